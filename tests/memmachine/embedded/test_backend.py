"""Django on the embedded server: its databases, its tests, its shell."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
SETTINGS = """
import sys
import django
from django.conf import settings
from django.core.management import call_command
settings.configure(USE_TZ=True, INSTALLED_APPS=["django.contrib.contenttypes"], DATABASES={
    "default": {"ENGINE": "memmachine.embedded", "NAME": "memmachine", "HOME": sys.argv[1],
                "CONN_HEALTH_CHECKS": True, "OPTIONS": {"pool": POOL}}})
django.setup()
from django.db import connection
"""


def run(code: str, home: Path, pool: bool = True) -> subprocess.CompletedProcess[str]:
    """A Django process of its own; whatever it leaves unclosed is an error."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", SETTINGS.replace("POOL", str(pool)) + code, home],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_first_connection_makes_the_database_and_the_exit_stops_the_server(tmp_path):
    for pool in (True, False):
        result = run("call_command('migrate', verbosity=0)", tmp_path, pool)
        assert (result.returncode, result.stderr) == (0, "")
        assert not (tmp_path / "data/postmaster.pid").exists()


def test_nothing_starts_before_the_first_connection(tmp_path):
    assert run("call_command('check')", tmp_path / "postgres").returncode == 0
    assert not (tmp_path / "postgres").exists()


def test_databases_for_tests_come_and_go(tmp_path):
    code = """
name = connection.creation.create_test_db(verbosity=0)
connection.creation.clone_test_db("1", verbosity=0)
connection.ensure_connection()
print(name, connection.introspection.table_names())
connection.creation.destroy_test_db("memmachine", verbosity=0, suffix="1")
connection.settings_dict["NAME"] = name
connection.creation.destroy_test_db("memmachine", verbosity=0)
with connection._nodb_cursor() as cursor:
    cursor.execute("SELECT datname FROM pg_database WHERE datname ~ 'memmachine'")
    print(cursor.fetchall())
"""
    result = run(code, tmp_path)
    assert result.stderr == ""
    assert result.stdout == "test_memmachine ['django_content_type', 'django_migrations']\n[]\n"


def test_dbshell_reaches_the_database(tmp_path):
    code = "call_command('dbshell', '--', '-Atc', 'SELECT current_database()')"
    assert run(code, tmp_path).stdout == "memmachine\n"


def test_what_keeps_the_server_from_starting_is_said_in_one_line(tmp_path):
    (tmp_path / "file").touch()
    result = run("connection.ensure_connection()", tmp_path / "file")
    last = result.stderr.splitlines()[-1]
    assert last.startswith("memmachine.embedded.errors.EmbeddedPostgresError: the database folder")
