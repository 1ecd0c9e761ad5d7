"""NumPy and torch judge the adapter: an array of many states becomes, row by row, what a list of one becomes."""

import golden
from edited_robots import carried_out
import pytest

from urdf_tools.export.adapter_writer import export_adapter
from urdf_tools.export.export_request import ExportRequest, SharedExportValues
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

np = pytest.importorskip("numpy", reason="the judge needs numpy")
PAIRS = (
    ("to_new", "OLD"),
    ("to_old", "NEW"),
    ("velocities_to_new", "OLD"),
    ("velocities_to_old", "NEW"),
    ("efforts_to_new", "OLD"),
    ("efforts_to_old", "NEW"),
    ("vector_to_new", ""),
    ("vector_to_old", ""),
    ("expand", "DRIVEN"),
    ("reduce", "NEW"),
)
LOCKED = {"lock": (("waist_yaw", 0.3),), "zero": (("*_elbow", "middle"),), "flip": ("left_elbow",)}


def module_of(order, **choices):
    data = (golden.FIXTURES / "variants" / "two_arms" / "robot.urdf").read_bytes()
    acts = [(name, value) for name, values in choices.items() for value in values]
    result = (
        carried_out(data.decode("utf-8"), acts)
        if acts
        else simplify_bytes(data, "robot.urdf", Options())
    )
    request = ExportRequest(
        result, {"adapter": "a.py", "adapter_order": order}, "", "", SharedExportValues()
    )
    ((_, text),) = export_adapter(request).files
    module = {"__name__": "adapter"}
    exec(compile(text, "adapter", "exec"), module)
    return module


@pytest.mark.parametrize(
    "choices", [{}, LOCKED, {"drop": ("*_arm",)}], ids=["plain", "locked", "dropped"]
)
@pytest.mark.parametrize("function, names", PAIRS)
def test_a_batch_is_its_rows(function, names, choices):
    module = module_of("isaac", **choices)
    width = len(module[names]) if names else 3
    stack = np.random.default_rng(1).normal(size=(4, 5, width))
    before = stack.copy()
    made = module[function](stack)
    rows = [module[function](row.tolist()) for row in stack.reshape(-1, width)]
    assert (made.reshape(20, -1) == np.array(rows).reshape(20, -1)).all() and (
        stack == before
    ).all()
    assert (module[function](stack[0, 0]) == rows[0]).all()
    assert module[function](stack.astype(np.float32)).dtype == np.float32
    whole = np.ones((2, width), dtype=int)
    assert (module[function](whole) == np.array([module[function]([1] * width)] * 2)).all()
    if names:
        with pytest.raises(
            ValueError, match=f"{names} has {width} joints, and {width + 1} numbers were given"
        ):
            module[function](np.zeros((3, width + 1)))


def test_the_line_of_the_page_is_the_map():
    module = module_of("isaac", **LOCKED)
    old = np.random.default_rng(2).normal(size=(7, len(module["OLD"])))
    order, signs, zeros = list(module["ORDER"]), module["SIGNS"], module["ZEROS"]
    new = (old[..., order] - zeros) * signs
    assert (new == module["to_new"](old)).all() and [module["OLD"][k] for k in order] == list(
        module["NEW"]
    )
    back = module["to_old"](new)
    old[..., order] = new * signs + zeros
    assert (old[..., order] == back[..., order]).all()


def test_torch_is_as_numpy():
    torch = pytest.importorskip("torch", reason="the judge needs torch")
    module = module_of("isaac", **LOCKED)
    for function, names in PAIRS:
        stack = np.random.default_rng(3).normal(size=(4, len(module[names]) if names else 3))
        assert (module[function](torch.tensor(stack)).numpy() == module[function](stack)).all()
