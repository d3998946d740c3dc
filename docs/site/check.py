"""Checks the finished site: links and anchors, that nothing is loaded from a network, and each page in headless Chromium."""

import functools
import http.server
import json
import queue
import re
import shutil
import subprocess
import tempfile
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "link": "href", "video": "src", "source": "src", "iframe": "src"}
PHONE = 400  # pixels
SECONDS = 500  # for all pages


class Page(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.links: list[tuple[str, str]] = []  # tag, address
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        for name in ("id", "name"):
            if values.get(name):
                self.anchors.add(values[name])
        for name in ("href", "src", "poster"):
            if values.get(name):
                self.links.append((tag, values[name]))


def wrong_links(site: Path):
    """Yields a sentence for each link that leads nowhere in the site, and for each file that a page loads from elsewhere."""
    found = {path: Page(path.read_text(errors="replace")) for path in sorted(site.rglob("*.html"))}
    for path, page in found.items():
        where = path.relative_to(site)
        for tag, address in page.links:
            parts = urlsplit(address)
            if parts.scheme or address.startswith("//"):
                if tag in LOADED and parts.scheme not in ("data",):
                    yield f"{where}: loads {address}"
                continue
            target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                yield f"{where}: {address} leads nowhere"
            elif parts.fragment and target in found and unquote(parts.fragment) not in found[target].anchors:
                yield f"{where}: {address}: there is no such anchor"
    for path in site.rglob("*.css"):
        for address in re.findall(r"url\(['\"]?(https?:[^)'\"]+)", path.read_text(errors="replace")):
            yield f"{path.relative_to(site)}: loads {address}"


# Loads every page in a frame as wide as a phone's screen, and says which are wider than that.
DRIVER = """<!doctype html><meta charset=utf-8><title>check</title><body><script>
const pages = %s, wide = [];
(async () => {
  for (const page of pages) {
    const frame = document.createElement("iframe");
    frame.style = "width:%dpx;height:800px;border:0";
    await new Promise(done => { frame.onload = done; frame.src = page; document.body.append(frame); });
    await new Promise(done => setTimeout(done, 30));
    const root = frame.contentDocument.documentElement;
    if (root.scrollWidth > frame.clientWidth) wide.push(page + " " + root.scrollWidth);
    frame.remove();
  }
  fetch("_checked", {method: "POST", body: JSON.stringify({loaded: pages.length, wide})});
})();
</script>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the site, and takes what the driver says at its end."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.server.told.put(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()


def browser() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def wrong_in_browser(site: Path, chromium: str):
    left_out = site / "films", site / "_check.html"  # live pages need a GPU; the other is this check's own
    found = [path for path in sorted(site.rglob("*.html")) if path not in left_out and path.parent not in left_out]
    names = [str(path.relative_to(site)) for path in found]
    driver = site / "_check.html"
    driver.write_text(DRIVER % (json.dumps(names), PHONE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    server.told = queue.Queue()
    server.handle_error = lambda *_: None  # of frames that are removed before their films have come
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile, open(Path(profile) / "log", "w+") as log:
        process = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--user-data-dir={profile}/user"]
            + ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"http://127.0.0.1:{server.server_port}/_check.html"],
            stdout=subprocess.DEVNULL, stderr=log,
        )  # fmt: skip
        try:
            result = json.loads(server.told.get(timeout=SECONDS))
        except queue.Empty:
            result = None
        finally:
            process.terminate()
            process.wait()
            server.shutdown()
            driver.unlink()
        log.seek(0)
        said = log.read()
    if not result:
        yield f"Chromium did not load every page within {SECONDS} s: {said[-500:]}"
        return
    print(f"Chromium loaded {result['loaded']} pages")
    for line in dict.fromkeys(re.findall(r":CONSOLE[^\]]*\] (.*)", said)):
        yield f"console: {line}"
    for page in result["wide"]:
        yield f"{page}: wider than {PHONE} pixels"


def check(site: Path) -> list[str]:
    found = list(wrong_links(site))
    chromium = browser()
    if chromium:
        found += wrong_in_browser(site, chromium)
    else:
        print("note: no Chromium: consoles and widths were not checked")
    return found
