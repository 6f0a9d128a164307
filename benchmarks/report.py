"""What was measured, on the screen and as JSON, and which targets it meets."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measure import Times


@dataclass(frozen=True)
class Row:
    """One thing measured. Times are medians in milliseconds, rates are events or rows a second."""

    what: str
    events: int  # that the tenant holds
    ours: float
    floor: float
    clients: int = 1
    p95: float | None = None
    library: float | None = None  # the same call of EventMemory in process
    rate: float | None = None
    floor_rate: float | None = None
    recall: float | None = None  # at 10, against brute force
    filter: str | None = None
    unfiltered: float | None = None  # the same query without its filter, asked in turns with it
    neighbours: int | None = None
    derivatives: int | None = None

    @classmethod
    def of(cls, what: str, events: int, times: dict[str, Times], **more: Any) -> "Row":
        """A row of a contest between `ours`, `floor` and perhaps `library`."""
        ours, library = times["ours"], times.get("library")
        return cls(
            what,
            events,
            ours.median,
            times["floor"].median,
            p95=ours.p95,
            library=library.median if library else None,
            **more,
        )

    @property
    def ratio(self) -> float:
        return self.ours / self.floor

    @property
    def over_unfiltered(self) -> float | None:
        return self.ours / self.unfiltered if self.unfiltered else None

    @property
    def where(self) -> str:
        """Where the time over the floor goes, as far as the columns tell."""
        if self.library is None:
            return f"of {self.ours:.1f} ms the floor {self.floor:.1f}; see the row for one client"
        return (
            f"of {self.ours:.1f} ms the floor {self.floor:.1f}, the library over it"
            f" {self.library - self.floor:.1f}, HTTP and JSON {self.ours - self.library:.1f}"
        )


@dataclass(frozen=True)
class Target:
    """A bound on what was measured. `at_most` is false where more is better."""

    what: str
    measured: float
    bound: float
    at_most: bool = True
    unit: str = "x"
    where: str = ""  # the time goes, for one that is missed

    @property
    def met(self) -> bool:
        return self.measured <= self.bound if self.at_most else self.measured >= self.bound

    @property
    def verdict(self) -> str:
        if self.met:
            return "met"
        return f"MISSED by {abs(self.measured / self.bound - 1):.0%}"


@dataclass
class Report:
    """Rows and targets as they come in; rows are printed at once."""

    settings: dict[str, Any]
    rows: list[Row] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def section(self, title: str) -> None:
        print(f"\n{title}")
        print(
            f"{'':30}{'events':>10}{'clients':>8}{'ours ms':>10}{'p95':>9}{'library':>9}"
            f"{'floor ms':>10}{'ratio':>7}{'a second':>10}{'floor':>9}"
            f"{'/ no filter':>13}{'recall':>8}"
        )

    def add(self, row: Row) -> None:
        self.rows.append(row)
        print(
            f"{row.what:30}{row.events:>10,}{row.clients:>8}{row.ours:>10.2f}{_number(row.p95, 9)}"
            f"{_number(row.library, 9)}{row.floor:>10.2f}{row.ratio:>7.2f}"
            f"{_number(row.rate, 10, 0)}{_number(row.floor_rate, 9, 0)}"
            f"{_number(row.over_unfiltered, 13)}{_number(row.recall, 8, 3)}",
            flush=True,
        )

    def note(self, text: str) -> None:
        self.notes.append(text)
        print(f"Note: {text}", flush=True)

    def judge(self, targets: Iterable[Target]) -> None:
        """Print the targets, each with what was measured."""
        self.targets += targets
        print(f"\n{'Targets':72}{'measured':>12}{'bound':>14}")
        for target in self.targets:
            sign = "<=" if target.at_most else ">="
            print(
                f"{target.what:72}{target.measured:>9,.2f} {target.unit:2}"
                f"{sign:>4} {target.bound:>6,g} {target.unit:2} {target.verdict}"
            )
            if target.where and not target.met:
                print(f"    {target.where}")

    def write(self, path: Path) -> None:
        value = {
            "settings": self.settings,
            "rows": [
                asdict(row) | {"ratio": row.ratio, "over_unfiltered": row.over_unfiltered}
                for row in self.rows
            ],
            "targets": [asdict(target) | {"met": target.met} for target in self.targets],
            "notes": self.notes,
        }
        path.write_text(json.dumps(value, indent=1) + "\n")
        print(f"\nWritten to {path}.")


def _number(value: float | None, width: int, digits: int = 2) -> str:
    return f"{value:>{width},.{digits}f}" if value is not None else " " * width
