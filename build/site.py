"""What './verbena docs' does beside MkDocs and javadoc: 'gather' brings the pages into one tree, 'check' follows every link of the site."""

import html.parser
import pathlib
import re
import shutil
import sys
import urllib.parse

FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)")


def title(page):
    found = re.search(r"^# (.*)$", page.read_text(), re.MULTILINE)
    return found.group(1) if found else page.stem


def listing(directory, home):
    """A page for a directory that has none: its pages, or its sources."""
    lines = [f"# {directory.relative_to(home).name.capitalize()}", ""]
    for page in sorted(directory.glob("*.md")):
        lines.append(f"- [{title(page)}]({page.name})")
    for source in sorted(directory.glob("src/main/java/**/*.java")):
        lines += [f"## {source.name}", "", "```java", source.read_text().rstrip(), "```", ""]
    return "\n".join(lines) + "\n"


def gather(home, pages):
    shutil.copy(home / "build/site.css", pages)
    for page in home.rglob("*.md"):
        place = page.relative_to(home)
        if "target" in place.parts or place.parts[0].startswith("."):
            continue

        def followed(link):
            target = (page.parent / link.group(1)).resolve()
            copy = pages / target.relative_to(home)
            if not target.is_dir():
                if target.suffix != ".md" and target.exists():
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(target, copy)
                return link.group()
            if not (target / "README.md").exists():
                copy.mkdir(parents=True, exist_ok=True)
                (copy / "README.md").write_text(listing(target, home))
            return f"]({link.group(1)}/README.md{link.group(2) or ''})"

        text = page.read_text()
        parts, end = [], 0
        for fenced in FENCED.finditer(text):
            parts += [LINK.sub(followed, text[end : fenced.start()]), fenced.group()]
            end = fenced.end()
        parts.append(LINK.sub(followed, text[end:]))
        copy = pages / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text("".join(parts))


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.parts = {""}, set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if given.get("href"):
            (self.links if tag == "a" else self.parts).add(given["href"])
        if given.get("src"):
            self.parts.add(given["src"])


def check(site):
    """Says what leads nowhere, and what would be fetched from elsewhere to show a page."""
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    wrong = []
    for path, page in pages.items():
        for link in sorted(page.links | page.parts):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.parts and parts.scheme != "data":
                    wrong.append(f"{path.relative_to(site)}: is fetched from elsewhere: {link}")
                continue
            base = site if parts.path.startswith("/") else path.parent
            target = (base / urllib.parse.unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists() or (target in pages and anchor not in pages[target].anchors):
                wrong.append(f"{path.relative_to(site)}: leads nowhere: {link}")
    for style in site.rglob("*.css"):
        for url in re.findall(r"url\(['\"]?([^'\")]+)|@import ['\"]([^'\"]+)", style.read_text()):
            url = url[0] or url[1]
            if not url.startswith("data:") and not (style.parent / url.split("#")[0].split("?")[0]).exists():
                wrong.append(f"{style.relative_to(site)}: is not here: {url}")
    print("\n".join(wrong) or f"{len(pages)} pages: each link and anchor leads somewhere, and nothing is fetched from elsewhere")
    return 1 if wrong else 0


command, *paths = sys.argv[1:]
sys.exit({"gather": gather, "check": check}[command](*(pathlib.Path(path).resolve() for path in paths)))
