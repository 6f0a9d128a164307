"""`python -m benchmarks`: what a request costs beside the bare statements it comes down to.

Starts a server on a fresh data directory, fills tenants, and compares in one run: each request
over HTTP, as a client on the same machine sees it, in turns with its floor, the same reads or
writes as bare psycopg statements. Prints a table and the targets, and writes a JSON file.
"""

import argparse
import os
import platform
from pathlib import Path

from benchmarks.server import serving

QUICK = [2_000]
# 50,000 events have nearly as many derivatives: as many as are searched without a vector index.
USUAL = [10_000, 50_000, 100_000]
FULL = [10_000, 50_000, 100_000, 300_000, 1_000_000]
STRANGER = 50_000
PURGED = 5_000
PARTS = ["query", "timeline", "ingest", "purge"]


def main() -> None:
    options = arguments()
    with serving(options.embedder) as url:
        import django

        django.setup()
        run(options, url)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    scale = parser.add_mutually_exclusive_group()
    scale.add_argument("--events", type=int, nargs="+", help="sizes of the tenants")
    scale.add_argument("--full", action="store_true", help="up to 1,000,000 events")
    scale.add_argument("--quick", action="store_true", help="a look at whether all of it runs")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, help="what to measure")
    parser.add_argument("--embedder", choices=["wordllama", "hashing"], default="wordllama")
    parser.add_argument("--seconds", type=float, help="for each row of the table")
    parser.add_argument("--json", type=Path, default=Path("benchmarks.json"), metavar="FILE")
    options = parser.parse_args()
    options.scales = sorted(options.events or ()) or (
        QUICK if options.quick else FULL if options.full else USUAL
    )
    options.seconds = options.seconds or (0.5 if options.quick else 4.0)
    return options


def run(options: argparse.Namespace, url: str) -> None:
    from benchmarks import ingests, purges, queries, timelines
    from benchmarks.data import World
    from benchmarks.load import command, fill, settle
    from benchmarks.report import Report
    from benchmarks.targets import targets

    report = Report(
        {
            "scales": options.scales,
            "embedder": options.embedder,
            "seconds": options.seconds,
            "cores": os.cpu_count(),
            "machine": platform.platform(),
            "python": platform.python_version(),
        }
    )
    worlds = [World(f"events-{count}", count) for count in options.scales]
    fill([*worlds, World("stranger", min(STRANGER, max(options.scales)))])
    report.note("Large tenants get a vector index.")
    command("index_tenants")
    settle()
    report.note("Tables were vacuumed and analysed after loading, as autovacuum would have.")
    if "query" in options.only:
        for world in worlds:
            queries.measure(report, url, world, options.seconds)
        if len(worlds) > 1:
            queries.measure_growth(report, url, worlds[0], worlds[-1], options.seconds)
    if "timeline" in options.only:
        timelines.measure(report, url, worlds, options.seconds)
    if "ingest" in options.only:
        ingests.measure(report, url, sum(options.scales), options.seconds)
    if "purge" in options.only:
        purges.measure(report, url, min(PURGED, max(options.scales)))
    report.judge(targets(report.rows))
    report.write(options.json)


if __name__ == "__main__":
    main()
