# SPDX-License-Identifier: Apache-2.0
"""The process's settings, with what the command line says about where its data are."""

from __future__ import annotations

from pathlib import Path

from app.cli.misconfigured import Misconfigured
from app.config import ConfigurationError, Settings, load_settings
from app.storage.found_ledger import Site


def settings_for(data_dir: Path | None, **said: object) -> Settings:
    """Return the settings; what the command line says wins over the environment.

    Raises:
        Misconfigured: naming every setting that is wrong, and no value.
    """
    if data_dir is not None:
        said["data_dir"] = data_dir
    try:
        return load_settings(**said)
    except ConfigurationError as error:
        raise Misconfigured(str(error)) from error


def site_of(settings: Settings) -> Site:
    """Return where the settings keep a ledger.

    Raises:
        Misconfigured: on PostgreSQL without a login that may change the schema.
    """
    return Site(settings.database_url, migration_url(settings), settings.data_dir)


def migration_url(settings: Settings) -> str:
    """Return the login that may change the schema.

    Raises:
        Misconfigured: none was named.
    """
    try:
        return settings.url_for_migrations
    except ConfigurationError as error:
        raise Misconfigured(str(error)) from error
