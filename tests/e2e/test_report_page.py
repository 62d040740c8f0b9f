"""The HTML report in a real browser: it renders, sorts and prints, without a complaint or a request.

With EDGE_PICTURES=FOLDER the pictures are kept, to be looked at.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser
from programs import PROGRAMS, SOURCE

PROGRAM = PROGRAMS / "bench-edge"
DATA = SOURCE / "tests" / "data" / "results"

if browser.find() is None:
    print("there is no chromium on this machine: install it, or run scripts/deps.sh browser")
    sys.exit(77)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        cls.pictures = pathlib.Path(os.environ.get("EDGE_PICTURES", cls.holder.name))
        for name in ("fixture_boards", "fixture_hostile"):
            with open(cls.folder / f"{name}.html", "w") as page:
                subprocess.run([PROGRAM, "report", "-f", "html", name], cwd=DATA, stdout=page,
                               check=True)
        cls.browser = browser.Browser().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.holder.cleanup()

    def open(self, name="fixture_boards", **how):
        self.browser.open(self.folder / f"{name}.html", **how)

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def test_complaints_are_noticed(self):
        page = self.folder / "bad.html"
        page.write_text("<script>console.error('fixture'); new Image().src = "
                        "'http://127.0.0.1:9/fixture.png'; setTimeout(() => fixture(), 0)</script>")
        self.browser.open(page)
        self.browser.evaluate("new Promise((done) => setTimeout(done, 100))")
        complaints = "\n".join(self.browser.complaints())
        for sign in ('"fixture"', "a request: http://127.0.0.1:9/", "ReferenceError"):
            self.assertIn(sign, complaints)
        self.browser.events.clear()

    def test_every_plot_is_drawn(self):
        self.open()
        # A plot is drawn where its canvas has pixels that are not all the same.
        drawn = """[...document.querySelectorAll('main > section figure, main > .plots figure')]
          .map((figure) => [...figure.querySelectorAll('canvas')].some((canvas) => {
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            return new Uint32Array(data.buffer).some((pixel, _, all) => pixel !== all[0]);
          }))"""
        found = self.browser.evaluate(drawn)
        self.assertGreater(len(found), 10)
        self.assertEqual(set(found), {True})
        self.browser.screenshot(self.pictures / "light.png")

    def test_dark(self):
        self.open(dark=True)
        color = "getComputedStyle(document.body).backgroundColor"
        self.assertEqual(self.browser.evaluate(color), "rgb(20, 23, 28)")
        self.browser.screenshot(self.pictures / "dark.png")
        self.browser.dark(False)  # and it follows a change
        self.assertEqual(self.browser.evaluate(color), "rgb(255, 255, 255)")

    def test_phone(self):
        self.open(width=390, height=844)
        # Nothing but tables is wider than the screen, and these scroll on their own.
        self.assertEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 390)
        self.browser.screenshot(self.pictures / "phone.png")

    def test_sorts_on_click_and_by_key(self):
        self.open()
        column = """[...document.querySelector('main table').tBodies[0].rows]
          .map((row) => Number(row.cells[%d].dataset.v))"""
        index = self.browser.evaluate(
            "[...document.querySelector('main table').tHead.rows[0].cells]"
            ".findIndex((cell) => cell.textContent.trim() === '99 % in')")
        before = self.browser.evaluate(column % index)
        box = self.browser.evaluate(
            f"(() => {{ const button = document.querySelector('main table').tHead.rows[0]"
            f".cells[{index}].firstChild; button.scrollIntoView({{block: 'center'}});"
            f"const r = button.getBoundingClientRect(); return [r.x + r.width / 2,"
            f"r.y + r.height / 2]; }})()")
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1],
                              button="left", clickCount=1)
        after = self.browser.evaluate(column % index)
        self.assertEqual(after, sorted(before))
        for kind in ("keyDown", "keyUp"):  # the button has the focus now
            self.browser.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter",
                              windowsVirtualKeyCode=13, text="\r")
        self.assertEqual(self.browser.evaluate(column % index), sorted(before, reverse=True))
        self.assertEqual(self.browser.evaluate(
            f"document.querySelector('main table').tHead.rows[0].cells[{index}].ariaSort"),
            "descending")

    def test_a_result_opens_with_its_plots(self):
        self.open()
        self.browser.evaluate("document.querySelector('main table tbody a').click()")
        self.browser.evaluate("new Promise((done) => setTimeout(done, 300))")
        self.assertGreaterEqual(self.browser.evaluate(
            "document.querySelectorAll('details[open].result canvas').length"), 6)
        self.browser.screenshot(self.pictures / "result.png")

    def test_prints(self):
        self.open(dark=True)
        path = self.pictures / "report.pdf"
        self.browser.print(path)
        self.assertEqual(path.read_bytes()[:5], b"%PDF-")

    def test_hostile_names_are_only_text(self):
        self.open("fixture_hostile")
        self.assertIn("</title><script>alert(1)</script>",
                      self.browser.evaluate("document.querySelector('main').innerText"))
        self.assertEqual(self.browser.evaluate("document.images.length"), 0)
        self.assertEqual(self.browser.evaluate("document.title"), "bench-edge report")


if __name__ == "__main__":
    unittest.main()
