"""What the server is told at its start: closed to strangers, durable, fit for a memory."""

import sys

import psutil

MB = 1024**2


def server_options() -> dict[str, str]:
    """The server's settings, scaled to the memory of the machine."""
    memory = psutil.virtual_memory().total // MB
    return {
        # Only this machine, only through the socket folder.
        "listen_addresses": "",
        "port": "5432",
        "unix_socket_permissions": "0700",
        "max_connections": "100",
        # A modest share of a machine that has other work; the page cache does the rest.
        "shared_buffers": f"{min(max(memory // 32, 64), 512)}MB",
        "effective_cache_size": f"{max(memory // 2, 256)}MB",
        "maintenance_work_mem": f"{min(max(memory // 32, 64), 256)}MB",
        # Not /dev/shm, which is 64 MB in a container: too little to build a vector index in.
        "dynamic_shared_memory_type": "sysv" if sys.platform == "linux" else "posix",
        "random_page_cost": "1.1",
        "effective_io_concurrency": "32",
        "jit": "off",
        # Full durability.
        "fsync": "on",
        "full_page_writes": "on",
        "synchronous_commit": "on",
        "wal_compression": "on",
        # Tables grow in bursts: plans and visibility have to follow.
        "autovacuum_naptime": "20s",
        "autovacuum_vacuum_scale_factor": "0.05",
        "autovacuum_vacuum_insert_scale_factor": "0.05",
        "autovacuum_analyze_scale_factor": "0.02",
        # The log says what the server does, not what it remembers.
        "log_checkpoints": "off",
        "log_min_error_statement": "panic",
    }
