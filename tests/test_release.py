"""A release, up to its tag, in a copy of the checkout; what PyPI, conda and ROS are given."""

import re
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from conftest import ROOT
from release import (
    BUILT_FROM,
    changes_of,
    copy_of,
    prepare,
    refuse_unready,
    RELATIVE_LINK,
    ReleaseError,
    run,
    set_owner,
    tag,
    values_of,
)

from urdf_tools.base import version as own_version
from urdf_tools.base.version import __version__
from urdf_tools.report.plan_text import _who
from urdf_tools.urdf.urdf_notes import note_of_words

PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
PACKAGING = ROOT / ".github" / "packaging"
NEXT = "999.1.0"
# What a release writes, and what it runs.
PARTS = (*BUILT_FROM, ".github", "tests/tools", "urdf_simplify.py", "Makefile")
OF_THE_VARIABLE = {
    ".ci/run",
    ".github/CONTRIBUTING.md",
    "Makefile",
    "tests/test_release.py",
    "tests/tools/release.py",
}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Return a copy of the checkout after a release, and the commands that would publish it."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout of git")
    work = tmp_path_factory.mktemp("release")
    archive = work / "archive.tar.gz"
    archive.write_bytes(b"abc")
    copy = copy_of(ROOT, work / "copy", PARTS)
    values = values_of(NEXT, "2030-01-02")
    refuse_unready(copy, NEXT)
    prepare(copy, "some-one", values)
    return copy, tag(copy, work, archive, values)


def at(copy, name):
    """Return a file of the copy as the tag of the release has it."""
    return run(["git", "show", f"v{NEXT}:{name}"], copy)


def test_a_release_says_what_it_is_everywhere(released):
    copy, commands = released
    assert f'__version__ = "{NEXT}"\n' in at(copy, "urdf_tools/base/version.py")
    assert f'__version__ = "{NEXT}"\n' in at(copy, "urdf_simplify.py")
    assert f"## {NEXT} (2030-01-02)\n" in at(copy, ".github/CHANGELOG.md")
    assert f"version: {NEXT}\ndate-released: 2030-01-02\n" in at(copy, ".github/CITATION.cff")
    assert f"<version>{NEXT}</version>" in at(copy, ".github/packaging/ros/package.xml")
    recipe = at(copy, ".github/packaging/recipe.yaml")
    assert f"  version: {NEXT}\n" in recipe
    assert "  sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n" in recipe
    assert "pip install urdf-simplify   " in at(copy, "README.md")
    assert [command.split()[:3] for command in commands] == [
        ["git", "push", "origin"],
        ["git", "push", "origin"],
        ["gh", "release", "create"],
    ]
    assert (copy.parent / "notes.md").read_text("utf-8").startswith("### ")


def test_no_address_lacks_the_owner(released):
    """What still says OWNER speaks of the variable of `make release`."""
    copy, _ = released
    named = ["git", "grep", "-l", "-F", "OWNER"]
    assert {*run(named, copy).splitlines()} == OF_THE_VARIABLE - {
        ".ci/run",
        "tests/test_release.py",
    }
    elsewhere = [name for name in run(named, ROOT).splitlines() if not (copy / name).exists()]
    assert {*elsewhere} <= OF_THE_VARIABLE
    assert 'email="some-one@users' in at(copy, ".github/packaging/ros/package.xml")
    assert "maintainers:\n    - some-one\n" in at(copy, ".github/packaging/recipe.yaml")


def test_the_next_release_begins_after_the_tag(released):
    copy, _ = released
    text = (copy / "urdf_tools" / "base" / "version.py").read_text("utf-8")
    assert '__version__ = "999.2.0.dev0"\n' in text
    changelog = (copy / ".github" / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## 999.2.0 (unreleased)\n\n## {NEXT} (" in changelog
    shown = run([sys.executable, "urdf_simplify.py", "-V"], copy)
    assert re.fullmatch(r"urdf_simplify 999\.2\.0\.dev0 \(source \w+\)\n", shown)
    assert run(["git", "status", "--porcelain"], copy) == ""


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        (NEXT, f"the tag v{NEXT} exists"),
        ("999.0.9", f".github/CHANGELOG.md has {NEXT}: give a version above it"),
        ("999.2.0", ".github/CHANGELOG.md names no change after the last release"),
    ],
)
def test_a_release_that_is_none_is_refused(released, version, reason):
    with pytest.raises(ReleaseError, match=re.escape(reason)):
        refuse_unready(released[0], version)


def test_what_is_not_committed_is_no_release(released):
    copy, _ = released
    (copy / "new.txt").write_text("new")
    with pytest.raises(ReleaseError, match="commit them first"):
        refuse_unready(copy, "999.2.0")
    (copy / "new.txt").unlink()


@pytest.mark.parametrize("version", ["", "1.2", "v1.2.3", "1.2.3.dev0", "01.2.3"])
def test_a_version_has_three_numbers(version):
    with pytest.raises(ReleaseError, match="give three numbers"):
        values_of(version, "2030-01-02")


@pytest.mark.parametrize("owner", ["OWNER", "a b", "x/y"])
def test_an_owner_is_an_account(released, owner):
    with pytest.raises(ReleaseError, match="give the account"):
        set_owner(released[0], owner)


def test_the_tree_between_releases_says_so():
    """Without `.dev0` the changelog has the release, and the checkout is its tag."""
    release = __version__.replace(".dev0", "")
    changelog = (ROOT / ".github" / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (\S+) \((.*)\)$", changelog, flags=re.M)
    assert newest.group(1) == release
    assert (newest.group(2) == "unreleased") == __version__.endswith(".dev0")


def test_a_release_folds_its_texts_as_the_tree_before_it(monkeypatch):
    folded = []
    for version in ("0.3.0", "0.3.0.dev0"):
        monkeypatch.setattr(own_version, "__version__", version)
        notes = [note_of_words("title", ["a" * 50, "b" * size], "\n") for size in range(60)]
        heads = ["\n".join(_who(robot_named("c" * size))) for size in range(40)]
        folded.append([text.replace(version, "") for text in (*notes, *heads)])
        assert {note.count("\n") for note in notes} == {0, 2}
        assert max(len(line) for head in heads for line in head.split("\n")) in range(70, 81)
    assert folded[0] == folded[1]


def robot_named(name):
    """Return what the head of a plan says of a robot."""
    return SimpleNamespace(
        document=SimpleNamespace(path="r.urdf"), name=name, links=[], joints=[], mass=1.0
    )


def test_changes_are_those_of_one_release(tmp_path):
    (tmp_path / ".github").mkdir()
    text = "# Changes\n\n## 2.0.0 (unreleased)\n\n- b\n\n## 1.0.0 (2030-01-02)\n\n- a\n"
    (tmp_path / ".github" / "CHANGELOG.md").write_text(text)
    assert changes_of(tmp_path, "unreleased") == "- b"
    assert changes_of(tmp_path, "2030-01-02") == "- a"


def test_the_page_at_pypi_has_no_dead_link():
    """The build carries out these substitutions; each link leads to a file of the checkout."""
    text = (ROOT / "README.md").read_text("utf-8")
    relative = [link[2:-1] for link in RELATIVE_LINK.findall(text)]
    rules = re.findall(r"^pattern = '(.*)'\nreplacement = '(.*)'$", PROJECT, flags=re.M)
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text)
    assert len(rules) == 2 and len(relative) > 30
    assert RELATIVE_LINK.findall(text) == []
    assert [link for link in relative if not (ROOT / link.partition("#")[0]).exists()] == []
    address = r"https://{}/[\w-]+/urdf_simplify/{}v\$HFPR_VERSION/{}"
    page = address.format("github.com", "blob/", re.escape("urdf_tools/cli/README.md"))
    picture = address.format("raw.githubusercontent.com", "", re.escape("fixtures/page/page.png"))
    assert re.search(rf"\[the command line\]\({page}\)", text)
    assert re.search(rf"!\[[^]]*\]\({picture}\)", text)


def value_of(key):
    """Return a value of pyproject.toml that is one text."""
    return re.search(rf'^{key} = "(.*)"$', PROJECT, flags=re.M).group(1)


def test_the_package_of_ros_is_the_project():
    package = ElementTree.parse(str(PACKAGING / "ros" / "package.xml"))
    assert package.findtext("name") == value_of("name").replace("-", "_")
    assert package.findtext("description") == value_of("description")
    assert package.findtext("license") == value_of("license")
    assert package.findtext("url") == value_of("Homepage")
    assert package.findtext("export/build_type") == "ament_python"
    assert f"urdf-simplify = {value_of('urdf-simplify')}" in (
        PACKAGING / "ros" / "setup.py"
    ).read_text("utf-8")


def test_the_recipe_of_conda_is_the_project():
    recipe = (PACKAGING / "recipe.yaml").read_text("utf-8")
    needs = re.findall(r'"([a-z-]+)(>=[\d.]+)"', value_of_build())
    package = ElementTree.parse(str(PACKAGING / "ros" / "package.xml"))
    assert [f"    - {name} {least}\n" in recipe for name, least in needs] == [True, True]
    assert f"  version: {package.findtext('version')}\n" in recipe
    assert f"  name: {value_of('name')}\n" in recipe
    assert f"  license: {value_of('license')}\n" in recipe
    assert f"  homepage: {value_of('Homepage')}\n" in recipe
    assert f"      - urdf-simplify = {value_of('urdf-simplify')}\n" in recipe


def value_of_build():
    """Return what pyproject.toml needs for a build."""
    return re.search(r"^requires = \[(.*)\]$", PROJECT, flags=re.M).group(1)
