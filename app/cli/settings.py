# SPDX-License-Identifier: Apache-2.0
"""The process's settings, with what the command line says about where its data are."""

from __future__ import annotations

from pathlib import Path

from app.config import Settings, load_settings
from app.storage.found_ledger import Site


def settings_for(data_dir: Path | None) -> Settings:
    """Return the settings; ``--data-dir`` wins over the environment.

    Raises:
        ConfigurationError: naming every setting that is wrong, and no value.
    """
    return load_settings() if data_dir is None else load_settings(data_dir=data_dir)


def site_of(settings: Settings) -> Site:
    """Return where the settings keep a ledger.

    Raises:
        ConfigurationError: on PostgreSQL without a login that may change the schema.
    """
    return Site(settings.database_url, settings.url_for_migrations, settings.data_dir)
