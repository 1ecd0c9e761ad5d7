"""A parser of the options that the words may hold reads them as one of all options does."""

from hypothesis import example, given, strategies as st

from urdf_tools.app.package_options import TABLE
from urdf_tools.base.errors import UsageError
from urdf_tools.base.option_table import rows_of
from urdf_tools.cli.parse_arguments import _parser_of

ROWS = rows_of("simplify", TABLE)
ALL = " ".join(row.spelling for row in ROWS)
OPTIONS = st.sampled_from([word for row in ROWS for word in (row.short, row.spelling) if word])
VALUES = st.sampled_from(["", "-", "-5", "a", "a b", "n", "o=x", "--bogus"])
WORDS = st.one_of(OPTIONS, VALUES, *(st.tuples(OPTIONS, VALUES).map(by.join) for by in ("=", "")))


def read(words, text):
    """Return the values and the other words, or what is said of the first fault."""
    try:
        parsed, rest = _parser_of(ROWS, text).parse_known_args(words)
    except UsageError as error:
        return str(error)
    return {name: value for name, value in vars(parsed).items() if value is not None}, rest


@given(st.lists(WORDS, max_size=6))
@example(["-qn", "robot.urdf", "--snap=0.1"])
@example(["--snap"])
def test_options_that_are_not_in_the_words_are_not_missed(words):
    assert read(words, " ".join(words)) == read(words, ALL)
