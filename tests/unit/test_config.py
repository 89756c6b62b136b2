# SPDX-License-Identifier: Apache-2.0
"""Settings: what development fills in, what production refuses, and what no message shows."""

import os
from pathlib import Path

import pytest

from app.config import ConfigurationError, Environment, Settings, load_settings

PRODUCTION = {
    "FAIRTRIAL_ENVIRONMENT": "production",
    "FAIRTRIAL_DATABASE_URL": "postgresql+psycopg://fairtrial_app:kJ3vQ9xw@db/fairtrial",
    "FAIRTRIAL_DATA_DIR": "/srv/fairtrial",
    "FAIRTRIAL_PUBLIC_URL": "https://fairtrial.example.org/",
    "FAIRTRIAL_ALLOWED_HOSTS": "fairtrial.example.org, localhost",
}


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("FAIRTRIAL_")]:
        monkeypatch.delenv(name)


def load(monkeypatch: pytest.MonkeyPatch, **settings: str) -> Settings:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return load_settings()


def test_development_needs_no_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load_settings()
    assert settings.environment is Environment.DEVELOPMENT
    assert settings.data_dir == tmp_path / "var"
    assert settings.database_url == f"sqlite:///{tmp_path}/var/ledger.db"
    assert settings.url_for_migrations == settings.database_url
    assert settings.is_embedded
    assert settings.max_body_bytes == 16 * 1024 * 1024


def test_production_reads_every_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load(
        monkeypatch,
        **PRODUCTION,
        FAIRTRIAL_MIGRATION_URL="postgresql+psycopg://fairtrial_migrator:w8Yh2z@db/fairtrial",
    )
    assert settings.allowed_hosts == ("fairtrial.example.org", "localhost")
    assert settings.public_url == "https://fairtrial.example.org"
    assert not settings.is_embedded
    assert settings.url_for_migrations.startswith("postgresql+psycopg://fairtrial_migrator:")


@pytest.mark.parametrize("name", sorted(set(PRODUCTION) - {"FAIRTRIAL_ENVIRONMENT"}))
def test_production_without_a_setting_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    settings = {key: value for key, value in PRODUCTION.items() if key != name}
    with pytest.raises(ConfigurationError, match=f"{name} must be set in production"):
        load(monkeypatch, **settings)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DATABASE_URL", "postgresql+psycopg://fairtrial_app:change-me@db/f", "from an example"),
        ("DATABASE_URL", "postgresql+psycopg://fairtrial_app@db/f", "no password"),
        ("MIGRATION_URL", "postgresql+psycopg://owner:Fairtrial@db/f", "from an example"),
        ("MIGRATION_URL", "postgresql+psycopg://fairtrial_app:w8Yh2z@db/f", "service's login"),
        ("PUBLIC_URL", "http://fairtrial.example.org", "must begin with https"),
        ("ALLOWED_HOSTS", "*", "must name each host"),
        ("ALLOWED_HOSTS", " , ", "must name each host"),
        ("ALLOWED_HOSTS", "", "ALLOWED_HOSTS must be set"),
        ("DATABASE_URL", "", "DATABASE_URL must be set"),
        ("ALLOWED_HOSTS", "*.example.org", "must name each host"),
    ],
)
def test_production_with_an_unsafe_setting_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    with pytest.raises(ConfigurationError, match=said):
        load(monkeypatch, **{**PRODUCTION, f"FAIRTRIAL_{name}": value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ENVIRONMENT", "staging"),
        ("DATABASE_URL", "postgresql://fairtrial_app:kJ3vQ9xw@db/fairtrial"),
        ("DATABASE_URL", "kJ3vQ9xw"),
        ("DATABASE_URL", "sqlite://"),
        ("DATABASE_URL", "sqlite:///:memory:"),
        ("PUBLIC_URL", "kJ3vQ9xw"),
        ("MAX_BODY_BYTES", "0"),
        ("MAX_BODY_BYTES", "kJ3vQ9xw"),
        ("WITNESSES", "kJ3vQ9xw"),
        ("WITNESSES", "w.example+kJ3vQ9xw+AA== http://w.example"),
        ("WITNESSES", "w.example+kJ3vQ9xw+AA== https://"),
    ],
)
def test_wrong_setting_is_named_and_its_value_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(monkeypatch, **{f"FAIRTRIAL_{name}": value})
    assert f"FAIRTRIAL_{name}: " in str(caught.value)
    assert "kJ3vQ9xw" not in str(caught.value)


def test_migration_on_postgresql_without_the_owners_login_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = load(monkeypatch, **PRODUCTION)
    with pytest.raises(ConfigurationError, match="FAIRTRIAL_MIGRATION_URL must be set"):
        _ = settings.url_for_migrations


def test_settings_do_not_print_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "kJ3vQ9xw" not in repr(load(monkeypatch, **PRODUCTION))


def test_witnesses_are_named_by_key_and_a_safe_address(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = "w0.example+00+AA== https://w0.example", "w1.example+00+AA== http://127.0.0.1:1"
    settings = load(monkeypatch, FAIRTRIAL_WITNESSES=f"{one}, {other}")
    assert settings.witnesses == (one, other)
    assert load(monkeypatch, FAIRTRIAL_WITNESSES="").witnesses == ()
