"""What a filter keeps, in the database, held against the model of a tenant's memory."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from episodic.filters.parsing import parse
from episodic.recall.selection import Selection
from tests.episodic import model
from tests.episodic.filters.strategies import trees
from tests.factories import at, event

pytestmark = pytest.mark.django_db

INTEGERS = [0, 1, -1, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)]
FLOATS = [0.0, 1.0, 0.5, 0.1, -2.5, 2.0**53, 2.0**52 + 0.5, 2.0**63, 1e16, 1e308, 5e-324]
TEXTS = ["", "red", "Red", "é", "it's", '"', "%", "%s", "r%", "r_d", "\\", "\\u0041", "1", "true"]
VALUES = [True, False, *INTEGERS, *FLOATS, *TEXTS]

# Every value is one event's `p`; `q` and `r` are spread over them, and are missing from some.
HELD = [
    event(
        minute=place % 5,
        properties={"p": value}
        | ({"q": VALUES[place * 7 % len(VALUES)]} if place % 3 else {})
        | ({"r": place % 2 == 0} if place % 5 else {}),
    )
    for place, value in enumerate(VALUES)
] + [event(minute=2)]
filters = trees(
    st.sampled_from(["p", "q", "r", "s"]),
    st.sampled_from(INTEGERS),
    st.sampled_from(FLOATS),
    st.sampled_from(TEXTS),
    st.sampled_from([at(minute) for minute in range(5)]),
)


@pytest.fixture
def held(memory, strange_memory):
    """Memory that holds the events, beside a stranger's that holds the same."""
    memory.encode(HELD)
    strange_memory.encode(HELD)
    return memory


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tree=filters)
def test_a_filter_keeps_what_the_model_keeps(held, tree):
    selection = Selection(filter=tree)
    found = [item.event for item in held.events(selection=selection, limit=1_000).items]
    assert [one.uuid for one in found] == [one.id for one in model.events(HELD, selection)]
    assert {one.tenant_id for one in found} <= {held.tenant.pk}


def kept(memory, expression: str) -> list:
    """The `p` of each event kept, None where it is missing."""
    page = memory.events(selection=Selection(filter=parse(expression)), limit=1_000)
    return [item.event.properties.get("p") for item in page.items]


def typed(values: list) -> list[str]:
    """The values in an order of their own, and no integer like a float or a boolean."""
    return sorted(map(repr, values))


def test_a_missing_property_satisfies_only_is_null(held):
    assert kept(held, "m.p is null") == [None]
    for test in ["= 1", "!= 1", "!= 'x'", "!= true", "< 1", ">= 1", "in (1)", "not in (1)"]:
        assert None not in kept(held, f"m.p {test}")
    assert None not in kept(held, "m.p is not null")


def test_not_is_the_complement_and_keeps_what_is_missing(held):
    assert typed(kept(held, "not m.p < 1e300")) == typed([True, False, 1e308, *TEXTS, None])


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("m.p = 1", [1, 1.0]),
        ("m.p = 1.0", [1, 1.0]),
        ("m.p = true", [True]),
        ("m.p != true", [False]),
        ("m.p = 'true'", ["true"]),
        ("m.p = '1'", ["1"]),
        ("m.p in (1)", [1, 1.0]),
        ("m.p in ('1')", ["1"]),
        ("m.p not in (red, 'é')", [text for text in TEXTS if text not in ("red", "é")]),
        ("m.p != red", [text for text in TEXTS if text != "red"]),
        ("m.p = 'r%'", ["r%"]),
        ("m.p = 'r_d'", ["r_d"]),
        ("m.p = '\\'", ["\\"]),
        ("m.p = 'it''s'", ["it's"]),
        ("m.p = ''", [""]),
    ],
)
def test_a_predicate_keeps_values_of_its_own_type_alone(held, expression, values):
    assert typed(kept(held, expression)) == typed(values)


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("m.p = 9007199254740993", [2**53 + 1]),
        ("m.p = 9007199254740992.0", [2**53, 2.0**53]),
        ("m.p > 9007199254740991 and m.p < 9007199254740993", [2**53, 2.0**53]),
        ("m.p > 9223372036854775806", [2**63 - 1, 2.0**63, 1e308]),
        ("m.p >= 9223372036854775808.0", [2.0**63, 1e308]),
        ("m.p > 0 and m.p < 0.1", [5e-324]),
    ],
)
def test_numbers_compare_exactly_whatever_their_size(held, expression, values):
    assert typed(kept(held, expression)) == typed(values)


def test_timestamp_compares_as_an_instant(held):
    fields = "timestamp = date('2026-06-01T14:02:00+02:00')"
    expected = [one.properties.get("p") for one in HELD if one.timestamp == at(2)]
    assert typed(kept(held, fields)) == typed(expected)


def test_every_event_has_a_timestamp(held):
    assert len(kept(held, "timestamp is not null")) == len(HELD)
    assert kept(held, "timestamp is null") == []
