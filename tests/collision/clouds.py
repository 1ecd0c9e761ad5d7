"""Random clouds of points that are hard for hulls, for the laws of this folder."""

from array import array

from hypothesis import strategies as st


def single(value):
    """Return a value as float32 holds it."""
    return float(array("f", [value])[0])


lattice = st.integers(-3, 3).map(float)
common = st.floats(-1.0, 1.0, allow_nan=False, width=32)
noisy = st.builds(
    lambda whole, noise: single(whole + noise * 2.0**-30), lattice, st.integers(-3, 3)
)
mixed = st.builds(
    lambda value, places: single(value * 2.0**-places), common, st.sampled_from([0, 7, 30, 60])
)


@st.composite
def clouds(draw, least=4, most=40):
    """Return points on lattices, with noise of the last digit, of mixed sizes, or as needles and plates."""
    number = draw(st.sampled_from([lattice, common, noisy, mixed]))
    points = draw(st.lists(st.tuples(number, number, number), min_size=least, max_size=most))
    stretch = draw(
        st.sampled_from([(1.0, 1.0, 1.0), (1.0, 2.0**-20, 1.0), (1.0, 2.0**-12, 2.0**-24)])
    )
    a, b, c = stretch  # the smallest values of float32 have no room for it
    return [(single(x * a), single(y * b), single(z * c)) for x, y, z in points]
