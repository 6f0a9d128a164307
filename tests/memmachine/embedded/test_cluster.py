"""The embedded server: shared, durable, closed to strangers, clear about what cannot work."""

import fcntl
import os
import signal
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import psycopg
import pytest

from memmachine.embedded import binaries
from memmachine.embedded.account import Account
from memmachine.embedded.cluster import Cluster
from tests.memmachine.embedded.support import (
    STRANGER,
    as_root,
    execute,
    kill,
    postmaster,
    refusal,
    script,
    stranger,
    user_of,
)


def test_rows_outlive_the_server(home):
    cluster = Cluster(home)
    execute(cluster.start(), "CREATE TABLE kept AS SELECT 42 AS n")
    cluster.release()
    assert postmaster(home) is None
    assert execute(cluster.start(), "SELECT n FROM kept") == [(42,)]
    cluster.release()


def test_vectors_are_at_hand_and_nothing_is_given_up_for_speed(home):
    cluster = Cluster(home)
    server = cluster.start()
    execute(server, "CREATE EXTENSION vector")
    assert execute(server, "SELECT '[1,2]'::halfvec <-> '[1,2]'::halfvec") == [(0.0,)]
    for name in ("fsync", "full_page_writes", "synchronous_commit"):
        assert execute(server, f"SHOW {name}") == [("on",)]
    cluster.release()


def test_processes_share_one_server_and_the_last_one_out_stops_it(home):
    cluster = Cluster(home)
    with user_of(home), user_of(home):
        pid = postmaster(home)
        server = cluster.start()
        assert postmaster(home) == pid
    assert execute(server, "SELECT 1") == [(1,)]
    cluster.release()
    cluster.release()
    assert postmaster(home) is None


def test_whoever_comes_first_in_threads_and_processes_makes_one_database(home):
    others = [script("cluster.start(); sys.stdin.read()", home) for _ in range(3)]
    cluster = Cluster(home)
    with ThreadPoolExecutor(8) as threads:
        servers = list(threads.map(lambda _: cluster.start(), range(8)))
    assert len(set(servers)) == 1
    assert execute(servers[0], "SELECT 1") == [(1,)]
    for other in others:
        other.communicate()
        assert other.returncode == 0
    cluster.release()
    assert postmaster(home) is None


def test_starts_and_stops_wait_for_one_another(home):
    cluster = Cluster(home)
    cluster.start()
    with (home / "lock").open() as lock, ThreadPoolExecutor(1) as threads:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for step in (cluster.release, cluster.start):
            waiting = threads.submit(step)
            time.sleep(0.2)
            assert not waiting.done()
            fcntl.flock(lock, fcntl.LOCK_UN)
            waiting.result()
            fcntl.flock(lock, fcntl.LOCK_EX)
        fcntl.flock(lock, fcntl.LOCK_UN)
    cluster.release()


def test_a_forked_child_does_not_stop_the_server_of_its_parent(home):
    code = (
        "cluster.start()\n"
        "if (child := os.fork()) == 0: sys.exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "if (child := os.fork()) == 0: cluster.start(); cluster.release(); sys.exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "assert cluster._server.process()\n"
    )
    with script(code, home) as process:
        try:
            assert process.wait(timeout=20) == 0
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert postmaster(home) is None


def test_rows_survive_the_kill_of_everything(home):
    with user_of(home) as process:
        cluster = Cluster(home)
        execute(cluster.start(), "CREATE TABLE kept AS SELECT 42 AS n")
        process.kill()
        kill(postmaster(home))
    assert execute(cluster.start(), "SELECT n FROM kept") == [(42,)]
    cluster.release()
    assert postmaster(home) is None


def test_a_server_whose_users_were_all_killed_is_found_again(home):
    with user_of(home) as process:
        pid = postmaster(home)
        process.kill()
    cluster = Cluster(home)
    cluster.start()
    assert postmaster(home) == pid
    cluster.release()
    assert postmaster(home) is None


def test_a_start_awaits_the_end_of_a_server_that_is_stopping(home):
    cluster = Cluster(home)
    server = cluster.start()
    with psycopg.connect(**asdict(server), dbname="postgres"):
        pid = postmaster(home)
        assert pid is not None
        os.kill(pid, signal.SIGTERM)  # "smart": waits for the connection
        while "stopping" not in (home / "data/postmaster.pid").read_text():
            time.sleep(0.01)
        with ThreadPoolExecutor(1) as threads:
            start = threads.submit(cluster.start)
            time.sleep(0.3)
            assert not start.done()
            os.kill(pid, signal.SIGINT)
            assert execute(start.result(), "SELECT 1") == [(1,)]
    cluster.release()


def test_a_pid_file_that_names_another_program_is_stale(home):
    cluster = Cluster(home)
    execute(cluster.start(), "CREATE TABLE kept AS SELECT 42 AS n")
    pid_file = (home / "data/postmaster.pid").read_text()
    socket_lock = (home / "run/.s.PGSQL.5432.lock").read_text()
    cluster.release()
    with Account.of(home / "data").spawn("sleep", "60") as other:
        for path, text in (
            (home / "data/postmaster.pid", pid_file),
            (home / "run/.s.PGSQL.5432.lock", socket_lock),
        ):
            path.write_text(text.replace(text.split()[0], str(other.pid), 1))
        assert execute(cluster.start(), "SELECT n FROM kept") == [(42,)]
        cluster.release()
        assert other.poll() is None
        other.kill()


def test_an_interrupted_initdb_counts_for_nothing(home):
    with script("cluster.start()", home) as process:
        while not (home / "data.new/base").exists():
            assert process.poll() is None
            time.sleep(0.001)
        process.kill()
    assert not (home / "data").exists()
    cluster = Cluster(home)
    assert execute(cluster.start(), "SELECT 1") == [(1,)]
    assert not (home / "data.new").exists()
    cluster.release()


def test_a_server_that_cannot_start_says_why_and_is_tried_again(home):
    cluster = Cluster(home)
    cluster.start()
    cluster.release()
    settings = home / "data/postgresql.conf"
    sound = settings.read_text()
    settings.write_text(sound + "max_connections = many\n")
    assert "max_connections" in refusal(home)
    settings.write_text(sound)
    cluster.start()
    cluster.release()
    assert postmaster(home) is None  # who failed to start takes no part


def test_a_file_in_the_place_of_the_folder_is_one_line(tmp_path):
    (tmp_path / "postgres").touch()
    assert f"{tmp_path}/postgres cannot be used" in refusal(tmp_path / "postgres")
    assert "MEMMACHINE_DATA_DIR" in refusal(tmp_path / "postgres" / "below")


@as_root
def test_folders_that_we_may_not_use_are_one_line(public, tmp_path):
    (public / "foreign").mkdir()
    (public / "data_foreign").mkdir()
    (public / "data_foreign" / "data").mkdir()
    os.chown(public / "data_foreign", STRANGER, -1)
    with stranger():
        for home, complaint in (
            (tmp_path / "postgres", "Permission denied"),
            (public / "new", "Permission denied"),
            (public / "foreign", "belongs to another user"),
            (public / "data_foreign", "data_foreign/data belongs to another user"),
        ):
            message = refusal(home)
            assert complaint in message
            assert str(home) in message
            assert "set MEMMACHINE_DATA_DIR" in message


@as_root
def test_strangers_can_neither_connect_nor_read(public):
    cluster = Cluster(public / "postgres")
    server = cluster.start()
    connection = {**asdict(server), "dbname": "postgres"}
    # Even with the folder of everything open: the socket's folder, and the password, still hold.
    (public / "postgres").chmod(0o755)
    with stranger():
        with pytest.raises(psycopg.OperationalError, match="Permission denied"):
            psycopg.connect(**connection)
        for name in ("password", "log", "lock", "users", "server"):
            with pytest.raises(PermissionError):
                (public / "postgres" / name).open()
        for name in ("data", "run"):
            with pytest.raises(PermissionError):
                os.listdir(public / "postgres" / name)
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(**{**connection, "password": "guessed"})
    cluster.release()


def test_what_is_made_is_private(home):
    cluster = Cluster(home)
    cluster.start()
    for path in (home.parent, home, *home.iterdir(), home / "run/.s.PGSQL.5432"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    cluster.release()


@pytest.mark.parametrize("name", ["x" * 120, "a,b"], ids=["long", "comma"])
def test_a_folder_whose_name_no_socket_can_have_works(tmp_path, name):
    cluster = Cluster(tmp_path / name / "postgres")
    assert execute(cluster.start(), "SELECT 1") == [(1,)]
    cluster.release()


def test_nothing_outside_home_changes(tmp_path):
    data_dir = tmp_path / "var"
    (data_dir / "other").mkdir(parents=True)
    data_dir.chmod(0o711)
    (data_dir / "other" / "file").touch(0o640)

    def outside() -> dict[Path, tuple[int, int, int]]:
        paths = [*data_dir.parents, data_dir, *(data_dir / "other").rglob("*"), binaries.wheel()]
        return {p: (p.stat().st_mode, p.stat().st_uid, p.stat().st_gid) for p in paths}

    before = outside()
    cluster = Cluster(data_dir / "postgres")
    cluster.start()
    cluster.release()
    assert outside() == before
    assert {path.name for path in data_dir.iterdir()} == {"other", "postgres"}
