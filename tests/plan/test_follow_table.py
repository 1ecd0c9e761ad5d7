"""The table "What follows a change" is that of the docstrings of what decides it."""
import follow_table

from urdf_tools.facts.values import RULES


def test_the_table_is_that_of_the_code() -> None:
    page = follow_table.PAGE.read_text(encoding="utf-8")
    assert f"<!-- follows -->\n{follow_table.table()}<!-- /follows -->" in page, "python3 tests/follow_table.py --write"


def test_every_rule_has_a_row() -> None:
    assert [tag for tag, rule in RULES.items() if "\n| " not in (rule.__doc__ or "").replace("    ", "")] == []
    assert {row.count(" |") for row in follow_table.table().split("\n")[2:-1]} == {4}
