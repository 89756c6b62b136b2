# SPDX-License-Identifier: Apache-2.0
"""Settings of one process, read from the environment (`FAIRTRIAL_...`) and checked once.

In development every setting has a value that works on one machine. In production nothing is
guessed: a setting that decides where evidence lives or who may reach it must be said, and a
password that stands in an example is refused. An empty variable counts as one that is not set.
Thresholds are not settings; they live in locked protocols.

Only the composition root and the command line read this module.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

PREFIX = "FAIRTRIAL_"
MAX_BODY_BYTES = 16 * 1024 * 1024
DRIVERS = ("sqlite", "postgresql+psycopg")
# What stands in examples, ours and others'. A production process does not start with one of them.
DEFAULT_PASSWORDS = frozenset(
    {"", "admin", "change-me", "changeme", "fairtrial", "password", "postgres", "secret"}
)


_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class ConfigurationError(Exception):
    """The settings cannot be used; the message names each one and never its value."""


class Environment(StrEnum):
    """How much may be guessed."""

    DEVELOPMENT = "development"
    PRODUCTION = "production"


def _embedded_url(data: dict[str, Any]) -> str:
    return f"sqlite:///{data['data_dir'] / 'ledger.db'}"


class Settings(BaseSettings):
    """The checked settings.

    Attributes:
        environment: `development` fills in what is missing, `production` refuses to.
        data_dir: the log's key, the checkpoint file and blobs; absolute once read.
        database_url: the service's own login: `sqlite:////path/ledger.db` or
            `postgresql+psycopg://fairtrial_app:...@host/fairtrial`; in development `ledger.db`
            in `data_dir`.
        migration_url: a login that may become the owner of the ledger's tables. Only
            `fairtrial admin migrate` needs it; the service should not have it. None on SQLite.
        public_url: the address that readers use, without a trailing slash.
        allowed_hosts: values of `Host` that are answered, comma separated, without a port.
        max_body_bytes: the largest request body that is read.
        witnesses: whom the ledger asks to cosign, comma separated: a verifier key (C2SP
            tlog-cosignature) and a submission prefix each, https or on this machine.
        max_waiting: statements that may wait for a commit in one process; the next is answered
            503 with Retry-After, and nothing of it is kept.
        max_batch: statements that go in with one commit.
        scrub_pause_s: seconds between two slices (64 entries) of the background scrub; 0: none.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        validate_default=True,
    )

    environment: Environment = Environment.DEVELOPMENT
    data_dir: Path = Path("var")
    database_url: str = Field(default_factory=_embedded_url, repr=False)
    migration_url: Annotated[str | None, Field(repr=False)] = None
    public_url: str = "http://127.0.0.1:8000"
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ("127.0.0.1", "localhost", "[::1]")
    max_body_bytes: Annotated[int, Field(ge=1024, le=1024**3)] = MAX_BODY_BYTES
    witnesses: Annotated[tuple[str, ...], NoDecode] = ()
    max_waiting: Annotated[int, Field(ge=1, le=1_000_000)] = 1024
    max_batch: Annotated[int, Field(ge=1, le=10_000)] = 256
    scrub_pause_s: Annotated[float, Field(ge=0, le=86_400)] = 2.0

    @field_validator("data_dir")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("witnesses")
    @classmethod
    def _asked_safely(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            vkey, _, url = one.partition(" ")
            parts = urlsplit(url)
            local = parts.scheme == "http" and parts.hostname in _LOOPBACK
            if "+" not in vkey or not parts.hostname or not (parts.scheme == "https" or local):
                message = "must be a verifier key and an https address for each, comma separated"
                raise ValueError(message)
        return value

    @field_validator("allowed_hosts", "witnesses", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(host.strip() for host in value.split(",") if host.strip())
        return value

    @field_validator("public_url")
    @classmethod
    def _web_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            message = "is not an address such as https://fairtrial.example.org"
            raise ValueError(message)
        return value.rstrip("/")

    @field_validator("database_url", "migration_url")
    @classmethod
    def _named_driver(cls, value: str | None) -> str | None:
        _parse_optional(value)
        return value

    @model_validator(mode="after")
    def _nothing_guessed_in_production(self) -> Self:
        if self.environment is Environment.PRODUCTION:
            problems = [*self._missing(), *self._unsafe()]
            if problems:
                raise ValueError("; ".join(problems))
        return self

    def _missing(self) -> list[str]:
        required = ("database_url", "data_dir", "public_url", "allowed_hosts")
        unsaid = [name for name in required if name not in self.model_fields_set]
        return [f"{PREFIX}{name.upper()} must be set in production" for name in unsaid]

    def _unsafe(self) -> list[str]:
        """Say what is set and must not be, in a process that others rely on."""
        problems = []
        if not self.public_url.startswith("https://"):
            problems.append(f"{PREFIX}PUBLIC_URL must begin with https://")
        if not self.allowed_hosts or any("*" in host for host in self.allowed_hosts):
            problems.append(f"{PREFIX}ALLOWED_HOSTS must name each host")
        service, migration = _parse(self.database_url), _parse_optional(self.migration_url)
        for name, url in (("DATABASE_URL", service), ("MIGRATION_URL", migration)):
            if url is not None and _has_default_password(url):
                problems.append(f"{PREFIX}{name} has no password or one from an example")
        if migration is not None and migration.username == service.username:
            # Owner DDL can rewrite rows, so append-only would rest on good manners alone.
            problems.append(f"{PREFIX}MIGRATION_URL must not use the service's login")
        return problems

    @property
    def url_for_migrations(self) -> str:
        """The login that may change the schema: on SQLite the service's own.

        Raises:
            ConfigurationError: on PostgreSQL without `migration_url`.
        """
        if self.migration_url:
            return self.migration_url
        if self.is_embedded:
            return self.database_url
        message = f"{PREFIX}MIGRATION_URL must be set: the service's login does not own its tables"
        raise ConfigurationError(message)

    @property
    def is_embedded(self) -> bool:
        """Whether the ledger is one SQLite file, and so belongs to one process."""
        return _parse(self.database_url).drivername == "sqlite"


def load_settings(**said: object) -> Settings:
    """Read the settings of this process; what is said here wins over the environment.

    Raises:
        ConfigurationError: naming every setting that is wrong, and no value.
    """
    try:
        return Settings(**said)  # type: ignore[arg-type]  # checked by the fields' own types
    except ValidationError as error:
        lines = [
            _line(str(one["loc"][0]) if one["loc"] else "", one["msg"]) for one in error.errors()
        ]
        raise ConfigurationError("; ".join(lines)) from error


def _line(name: str, message: str) -> str:
    said = message.removeprefix("Value error, ")
    return f"{PREFIX}{name.upper()}: {said}" if name else said


def _parse(value: str) -> URL:
    try:
        url = make_url(value)
    except ArgumentError as error:
        message = "is not a database URL"
        raise ValueError(message) from error
    if url.drivername not in DRIVERS:
        message = f"must begin with one of {', '.join(f'{driver}://' for driver in DRIVERS)}"
        raise ValueError(message)
    if url.drivername == "sqlite" and url.database in (None, "", ":memory:"):
        message = "must name a file: a ledger in memory is lost with its process"
        raise ValueError(message)
    return url


def _parse_optional(value: str | None) -> URL | None:
    return _parse(value) if value else None


def _has_default_password(url: URL) -> bool:
    return url.drivername != "sqlite" and str(url.password or "").lower() in DEFAULT_PASSWORDS
