# SPDX-License-Identifier: Apache-2.0
"""The PostgreSQL that the storage tests stand on: its address, its roles, its fresh databases."""

import psycopg
import pytest

from tests.postgres import Database, PostgresServer, conninfo


def test_server_listens_on_loopback_only(postgres: PostgresServer) -> None:
    with psycopg.connect(conninfo(postgres.superuser_url)) as connection:
        rows = connection.execute(
            "SELECT current_setting('listen_addresses'), current_setting('unix_socket_directories')"
        ).fetchall()
    assert rows == [("127.0.0.1", "")]


def test_owner_cannot_log_in(postgres: PostgresServer, postgres_database: Database) -> None:
    url = postgres.url_of("fairtrial_owner", postgres_database.name)
    with pytest.raises(psycopg.OperationalError, match="fairtrial_owner"):
        psycopg.connect(conninfo(url))
    with psycopg.connect(conninfo(postgres.superuser_url)) as connection:
        roles = connection.execute(
            "SELECT rolname, rolcanlogin, rolsuper FROM pg_roles"
            " WHERE rolname LIKE 'fairtrial%' ORDER BY rolname"
        ).fetchall()
    assert roles == [
        ("fairtrial_app", True, False),
        ("fairtrial_migrator", True, False),
        ("fairtrial_owner", False, False),
    ]


def test_migrator_creates_tables_as_owner_only(postgres_database: Database) -> None:
    with psycopg.connect(conninfo(postgres_database.migration_url)) as connection:
        with (
            pytest.raises(psycopg.errors.InsufficientPrivilege),
            connection.transaction(),
        ):
            connection.execute("CREATE TABLE leaf (index bigint)")
        connection.execute("SET ROLE fairtrial_owner")
        connection.execute("CREATE TABLE leaf (index bigint)")
        owners = connection.execute(
            "SELECT tableowner FROM pg_tables WHERE tablename = 'leaf'"
        ).fetchall()
    assert owners == [("fairtrial_owner",)]


def test_app_can_neither_create_nor_become_owner(postgres_database: Database) -> None:
    with psycopg.connect(conninfo(postgres_database.app_url), autocommit=True) as connection:
        for statement in ("CREATE TABLE leaf (index bigint)", "SET ROLE fairtrial_owner"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


def test_database_made_from_a_template_has_its_tables(
    postgres: PostgresServer, postgres_database: Database
) -> None:
    with psycopg.connect(conninfo(postgres_database.migration_url)) as connection:
        connection.execute("SET ROLE fairtrial_owner")
        connection.execute("CREATE TABLE leaf (index bigint)")
    copy = postgres.create_database(template=postgres_database.name)
    try:
        with psycopg.connect(conninfo(copy.superuser_url)) as connection:
            assert connection.execute("SELECT count(*) FROM leaf").fetchall() == [(0,)]
    finally:
        postgres.drop_database(copy)
