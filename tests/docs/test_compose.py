# SPDX-License-Identifier: Apache-2.0
"""The compose file fits its schema and says nothing that the code does not know.

No Docker engine runs where this is tested; the scripts that the compose file gives to PostgreSQL
are run by the storage tests.
"""

import importlib.resources
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from app.config import MAX_BODY_BYTES, PREFIX, Settings

PROJECT = Path(__file__).resolve().parents[2]
TEXT = (PROJECT / "docker-compose.yml").read_text()
NGINX = (PROJECT / "deploy" / "nginx.conf").read_text()
SETTINGS = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
CONSOLE_SCRIPT = Path(sys.executable).with_name("fairtrial")
OWN_SERVICES = ("migrate", "service")


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(TEXT)["services"]
    return loaded


def test_compose_file_fits_the_compose_schema() -> None:
    vendored = importlib.resources.files("check_jsonschema") / "builtin_schemas" / "vendor"
    schema = json.loads((vendored / "compose-spec.json").read_text())
    validator = jsonschema.validators.validator_for(schema)
    validator(schema).validate(yaml.safe_load(TEXT))


@pytest.mark.parametrize("name", OWN_SERVICES)
def test_variables_are_settings(services: dict[str, Any], name: str) -> None:
    assert set(services[name]["environment"]) <= SETTINGS


@pytest.mark.parametrize("name", OWN_SERVICES)
def test_settings_of_the_compose_file_start_in_production(
    services: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled_in = {
        "FAIRTRIAL_APP_PASSWORD": "d41c6b",
        "FAIRTRIAL_MIGRATOR_PASSWORD": "7e90aa",
        "FAIRTRIAL_PUBLIC_URL": "https://fairtrial.example.org",
        "FAIRTRIAL_ALLOWED_HOSTS": "fairtrial.example.org,localhost",
    }
    for variable, value in services[name]["environment"].items():
        said = re.sub(
            r"\$\{(\w+):(\?[^}]*|-)\}",
            lambda match: "" if match[2] == "-" else filled_in[match[1]],
            value,
        )
        monkeypatch.setenv(variable, said)
    assert Settings().environment == "production"


def test_only_the_migration_may_become_the_owner(services: dict[str, Any]) -> None:
    holders = [
        name
        for name, service in services.items()
        if f"{PREFIX}MIGRATION_URL" in service.get("environment", {})
    ]
    assert holders == ["migrate"]


def test_no_variable_has_a_default_in_the_compose_file_save_that_nobody_witnesses() -> None:
    said = [
        one for one in re.findall(r"\$\{([^}]*)\}", TEXT) if not one.endswith(":?set it in .env")
    ]
    assert said == ["FAIRTRIAL_WITNESSES:-"]


def test_every_variable_stands_in_the_example() -> None:
    example = (PROJECT / "deploy" / "env.example").read_text()
    offered = set(re.findall(r"^([A-Z_]+)=", example, flags=re.MULTILINE))
    assert offered == set(re.findall(r"\$\{(\w+):", TEXT))


def test_service_waits_for_the_migration_and_the_migration_for_the_database(
    services: dict[str, Any],
) -> None:
    assert services["migrate"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert services["service"]["depends_on"] == {
        "migrate": {"condition": "service_completed_successfully"}
    }
    assert services["migrate"]["restart"] == "no"


@pytest.mark.parametrize("name", OWN_SERVICES)
def test_command_exists_with_these_options(services: dict[str, Any], name: str) -> None:
    program, *arguments = services[name]["command"]
    assert program == CONSOLE_SCRIPT.name
    # The options before --help are parsed first, so an unknown one is an error here too.
    done = subprocess.run(
        [CONSOLE_SCRIPT, *arguments, "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_images_are_pinned_to_an_exact_version(services: dict[str, Any]) -> None:
    dockerfile = (PROJECT / "Dockerfile").read_text()
    images = [service["image"] for service in services.values()]
    images += re.findall(r"^FROM (\S+)", dockerfile, flags=re.MULTILINE)
    assert [image for image in images if not re.search(r":\d+\.\d+", image)] == []


def test_only_the_proxy_is_reachable_and_only_from_this_machine(services: dict[str, Any]) -> None:
    assert {name: one["ports"] for name, one in services.items() if "ports" in one} == {
        "proxy": ["127.0.0.1:8080:8080"]
    }


def test_files_that_are_mounted_exist(services: dict[str, Any]) -> None:
    mounted = [
        volume.split(":")[0]
        for service in services.values()
        for volume in service.get("volumes", [])
        if volume.startswith("./")
    ]
    assert mounted
    assert [path for path in mounted if not (PROJECT / path).is_file()] == []


@pytest.mark.parametrize(
    "directive",
    ["client_header_timeout", "client_body_timeout", "keepalive_timeout", "send_timeout"],
)
def test_proxy_cuts_slow_clients_off(directive: str) -> None:
    (seconds,) = re.findall(rf"^\s*{directive} (\d+)s;", NGINX, flags=re.MULTILINE)
    assert 0 < int(seconds) <= 60


def test_proxy_and_service_agree_on_the_largest_body() -> None:
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", NGINX)
    assert int(megabytes) * 1024 * 1024 == MAX_BODY_BYTES
