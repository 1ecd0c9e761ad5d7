"""Chromium driven through two pipes: no package, no port, no network.

It speaks the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/) as JSON ended by a null
byte, on the file descriptors 3 (to the browser) and 4 (from it).
"""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))),
    None,
)
CAN_RUN = PROGRAM is not None and sys.platform != "win32"
WHY_NOT = "no Chromium that can be driven here"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
SOFTWARE_GL, NO_GL = (
    ("--enable-unsafe-swiftshader",),
    ("--disable-software-rasterizer", "--disable-3d-apis"),
)
SECONDS = 60.0
CANVAS = "(() => { const r = canvas.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()"
# What is beyond an edge, what scrolls, which names break within a word, and whether the picture is covered.
CUT = """(() => {
  const box = one => one.getBoundingClientRect(), named = one => one.id || one.className || one.tagName;
  const beyond = all("#top *").filter(one => box(one).right > innerWidth + .5 || box(one).left < -.5).map(named);
  const scrolls = all("html, header, main, nav, aside, #over, #toolbar div, #tree button, #joints li, .caption")
    .filter(one => one.scrollWidth > one.clientWidth + 1).map(named);
  const texts = all("#tree b, #joints label bdi, #toolbar button, #tree small").flatMap(one => {
    const walk = document.createTreeWalker(one, NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) found.push(walk.currentNode);
    return found;
  });
  const range = document.createRange();
  const pieces = text => (range.selectNode(text), range.getClientRects().length);
  const broken = texts.filter(text => pieces(text) > 1).map(text => text.data);
  const bottom = box(find("#over")).bottom, covered = bottom > box(canvas).top + .5 ? ["canvas"] : [];
  return [beyond, scrolls, broken, covered];
})()"""
# The least ratio of brightness of a text and what is behind it (WCAG 2.2, 1.4.3).
CONTRAST = """(() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number), part = value => (value /= 255,
    value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4);
  const light = ([red, green, blue]) => .2126 * part(red) + .7152 * part(green) + .0722 * part(blue);
  const behind = one => { const color = rgb(getComputedStyle(one).backgroundColor);
    return color.length < 4 || color[3] ? color : behind(one.parentElement); };
  return Math.min(...all("#missing, .tag, #tree b, #tree small, #verdict strong, #counts dd").map(one => {
    const [dark, pale] = [light(rgb(getComputedStyle(one).color)), light(behind(one))].sort((a, b) => a - b);
    return (pale + .05) / (dark + .05);
  }));
})()"""


class Chromium:
    """A browser with one page; close it, or use it in a `with` statement."""

    def __init__(self, drawing=SOFTWARE_GL, size="1500,900"):
        self.home = (
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            if sys.version_info >= (3, 10)
            else (tempfile.TemporaryDirectory())
        )
        from_us, self.pipe_in = os.pipe()
        self.pipe_out, from_it = os.pipe()

        def connect():
            # 3 and 4 may be the ends that are to be moved, so both go by way of high numbers.
            os.dup2(from_us, 200)
            os.dup2(from_it, 201)
            os.dup2(200, 3)
            os.dup2(201, 4)

        self.process = subprocess.Popen(
            [
                str(PROGRAM),
                *FLAGS,
                *drawing,
                f"--user-data-dir={self.home.name}",
                f"--window-size={size}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            preexec_fn=connect,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(from_us)
        os.close(from_it)
        self.held, self.number, self.session = b"", 0, ""
        self.events = []
        pages = [
            one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page"
        ]
        self.session = self.call(
            "Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self):
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self.held:
            ready, _, _ = select.select(
                [self.pipe_out], [], [], max(0.0, deadline - time.monotonic())
            )
            more = os.read(self.pipe_out, 1 << 16) if ready else b""
            if not more:
                raise RuntimeError("the browser ended" if ready else f"no answer in {SECONDS} s")
            self.held += more
        one, self.held = self.held.split(b"\0", 1)
        return dict(json.loads(one))

    def call(self, method, **parameters):
        """Call a method of the protocol and return its result; events that come before it are kept."""
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.pipe_in, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            self.events.append(answer)

    def open(self, path, state="aa=0"):
        """Open a file with a state in its address, and wait until it is loaded."""
        self.open_address(f"{path.resolve().as_uri()}#{state}")

    def open_address(self, target):
        """Open an address, and wait until it is loaded."""
        for address in ("about:blank", target):  # a new hash alone loads nothing
            self.events.clear()
            self.call("Page.navigate", url=address)
            while not any(one.get("method") == "Page.loadEventFired" for one in self.events):
                self.events.append(self._read())

    def give_files(self, selector, paths):
        """Choose files, or a folder, in a control for files."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", files=[str(path) for path in paths], nodeId=node)

    def drop(self, x, y, paths):
        """Drop files or folders at a point of the window."""
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def run(self, script):
        """Return the value of an expression, or of the promise that it is."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(
                str(answer["exceptionDetails"].get("exception", {}).get("description", answer))
            )
        return answer["result"].get("value")

    def wait(self, condition):
        """Wait until an expression is true."""
        deadline = time.monotonic() + SECONDS
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > deadline:
                raise RuntimeError(f"never true: {condition}")
            time.sleep(0.05)

    def mouse(self, kind, x, y, **more):
        """Send one event of the mouse at a point of the window."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        """Press and release the left button."""
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def drag(self, x, y, dx, dy):
        """Move with the left button held."""
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for step in range(1, 11):
            self.mouse(
                "mouseMoved", x + dx * step / 10, y + dy * step / 10, button="left", buttons=1
            )
        self.mouse("mouseReleased", x + dx, y + dy, button="left", clickCount=1)

    def key(self, key):
        """Press and release a key."""
        self.call(
            "Input.dispatchKeyEvent",
            type="keyDown",
            key=key,
            **({"text": key} if len(key) == 1 else {}),
        )
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def resize(self, width, height, phone=False):
        """Give the page another size, as of a phone."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )

    def prefer(self, scheme):
        """Prefer "dark" or "light"."""
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def screenshot(self, **more):
        """Return what is seen as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **more)["data"])

    def complaints(self):
        """Return the errors and warnings that the page caused; that pixels were read is none."""
        found = []
        for one in self.events:
            if one.get("method") == "Runtime.exceptionThrown":
                found.append(str(one["params"]["exceptionDetails"]))
            elif one.get("method") == "Log.entryAdded" and one["params"]["entry"]["level"] in (
                "error",
                "warning",
            ):
                found.append(str(one["params"]["entry"]["text"]))
        return [text for text in found if "GPU stall due to ReadPixels" not in text]

    def requests(self):
        """Return the addresses that were asked for."""
        return [
            str(one["params"]["request"]["url"])
            for one in self.events
            if one.get("method") == "Network.requestWillBeSent"
        ]

    def close(self):
        """End the browser."""
        try:
            self.session = ""
            self.call("Browser.close")
        except (RuntimeError, OSError):
            self.process.kill()
        self.process.wait(30)
        os.close(self.pipe_in)
        os.close(self.pipe_out)
        self.home.cleanup()


def assert_quiet(browser, path):
    """Assert that the page is ready, says of no error, and asked for no file but itself."""
    assert browser.run("document.documentElement.dataset.ready") == "1"
    assert browser.run("document.documentElement.dataset.error || ''") == ""
    assert browser.complaints() == []
    assert {address.split("#")[0] for address in browser.requests()} <= {path.resolve().as_uri()}


def middle(browser, selector):
    """Return center and size of an element in the window, scrolled into view."""
    return tuple(
        browser.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}}); "
            "const r = e.getBoundingClientRect(); "
            "return [r.left + r.width / 2, r.top + r.height / 2, r.width, r.height]; })()"
        )
    )
