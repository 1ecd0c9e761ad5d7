"""The page in the browser as text: its policy, its parts, and what its scripts name."""

import re
import shutil
import subprocess

import pytest
from conftest import ROOT
from pages import make_page, read_page

from urdf_tools.base.errors import UsageError
from urdf_tools.export.page.write_page import digest
import web_page as build_module
from web_page import build, OWN_FILES, page_text, palette, Part, part_of, POLICY, WORKER

WEB = ROOT / "urdf_tools" / "web"
NODE = shutil.which("node")
SCRIPTS = {path.name: path.read_text("utf-8") for path in sorted(WEB.glob("*.js"))}
PAGE = page_text([Part("a.whl", "a.whl", 3, "sha256-x")], "a.whl")
FORBIDDEN = (
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|(?<!-)eval|Function|"
    r"XMLHttpRequest|WebSocket|sendBeacon|localStorage|cookie)\b"
)


def policy():
    """Return the policy of the page by directive."""
    text = next(
        dict(attributes)["content"] or ""
        for tag, attributes in read_page(PAGE).tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    return {name: values for name, *values in (part.split() for part in text.split(";"))}


def test_the_page_is_well_formed_and_loads_only_its_own_files():
    reader = read_page(PAGE)
    for tag, attributes in reader.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"], (
            tag,
            attributes,
        )
        for name in ("src", "href"):
            address = attributes.get(name)
            assert (
                address is None
                or address in {*OWN_FILES, "palette.css", "#start"}
                or (tag, name) == ("a", "href")
            )
    own = {
        attributes.get("src") or attributes.get("href")
        for tag, attributes in reader.tags
        if tag in ("script", "link")
    }
    assert own - {None} == {"main.js", "icon.svg", "palette.css", "web.css"}
    assert {path.name for path in WEB.glob("*.*") if path.suffix in (".js", ".css", ".svg")} == {
        *OWN_FILES,
        WORKER,
    }


def test_the_policy_lets_run_only_what_is_here(tmp_path):
    """Its digests are those of the pages that are shown in the frame, which has this policy, too."""
    made = policy()
    assert made["default-src"] == ["'none'"] and made["connect-src"] == ["'self'"]
    assert not [
        value
        for values in made.values()
        for value in values
        if "unsafe-inline" in value or "http" in value
    ]
    framed = make_page(ROOT / "fixtures" / "humanoid" / "robot.urdf").text
    script = re.findall(r"<script>(.*?)</script>", framed, re.S)
    style = re.findall(r"<style>(.*?)</style>", framed, re.S)
    assert [f"'{digest(one)}'" in made["script-src"] for one in script] == [True]
    assert [f"'{digest(one)}'" in made["style-src"] for one in style] == [True]
    assert len([one for one in made["script-src"] if one.startswith("'sha256-")]) == 1


def test_after_loading_nothing_may_be_asked_for():
    """The policy that is added then is the first one without the server, and comes before the worker."""
    text = SCRIPTS["tool.js"]
    local = re.search(r'LOCAL = "(.*?)"', text)
    assert local and "connect-src 'none'" in local[1] and "'self'" not in local[1]
    order = [
        text.index(words) for words in ("await load(", "giveUpRequests(this", "return this.start()")
    ]
    assert order == sorted(order)
    assert "'self'" in POLICY and "new Worker" in text


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_make_elements_and_ask_for_nothing(name):
    """Only `tool.js` loads something, once; in the worker the word is replaced by the memory."""
    assert not re.findall(FORBIDDEN, SCRIPTS[name])
    assert len(re.findall(r"\bfetch\(", SCRIPTS[name])) == (name == "tool.js")


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_script_looks_for_is_there(name):
    identities = {attributes.get("id") for _, attributes in read_page(PAGE).tags}
    made = set(re.findall(r'id: "([\w-]+)"', "".join(SCRIPTS.values())))
    for found in re.findall(r'find\("#([\w-]+)"\)', SCRIPTS[name]):
        assert found in identities | made, found
    for file in re.findall(r'from "\./([\w.]+)"', SCRIPTS[name]):
        assert file in OWN_FILES


@pytest.mark.skipif(NODE is None, reason="no node")
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_scripts_are_javascript(name):
    run = subprocess.run(
        [str(NODE), "--input-type=module", "--check"],
        input=SCRIPTS[name],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        timeout=60,
    )
    assert run.returncode == 0, run.stderr


def test_every_color_is_one_of_the_page_of_before_and_after():
    style = (WEB / "web.css").read_text("utf-8")
    used, known = (
        set(re.findall(r"var\((--[\w-]+)", style)),
        set(re.findall(r"^\s+(--[\w-]+):", palette(), re.M)),
    )
    assert used and used <= known


def test_every_control_has_a_name_and_one_place_speaks():
    reader = read_page(PAGE)
    labeled = "".join(re.findall(r"<label\b.*?</label>", PAGE, re.S))
    for tag, attributes in reader.tags:
        if tag in ("input", "select", "progress", "pre") and not {
            "aria-label",
            "aria-labelledby",
        } & set(attributes):
            identity = f'id="{attributes["id"]}"' if "id" in attributes else "<input"
            assert (
                identity in labeled
                or 'role="tabpanel"' in PAGE.partition(identity)[0].rpartition("<div")[2]
            )
    assert [tag for tag, attributes in reader.tags if attributes.get("role") == "status"] == ["div"]


def test_a_folder_of_something_else_is_not_replaced(tmp_path):
    (tmp_path / "precious.txt").write_text("x", "utf-8")
    with pytest.raises(UsageError, match="this folder holds something else"):
        build(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


def test_another_archive_of_the_same_version_is_refused(tmp_path, monkeypatch):
    def pack(words, folder):
        (folder / f"pyodide-{build_module.PYODIDE}.tgz").write_bytes(b"other")

    monkeypatch.setattr(build_module, "run_program", pack)
    with pytest.raises(UsageError, match="npm has another pyodide"):
        build_module.fetch_pyodide(tmp_path)


def test_what_is_loaded_is_checked_against_its_digest(tmp_path):
    (tmp_path / "a.whl").write_bytes(b"abc")
    part = part_of(tmp_path, "a.whl")
    assert part == Part("a.whl", "a.whl", 3, "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
    assert "fetch(path, { integrity })" in SCRIPTS["tool.js"]
