"""Looks at the site that was built: every link leads to a page and a place in it, and nothing is loaded from outside.

Run as ``python docs/_site/check.py site``; prints what is wrong and exits with 1, or says how much was right.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""What a browser fetches by itself, and the attribute that says from where."""


class Page(HTMLParser):
    """The places of one page, its links, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places = {"", "top"}
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attributes if value is not None}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif LOADED.get(tag, "") in given:
            self.loads.append(given[LOADED[tag]])


def faults_of(site: Path) -> list[str]:
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    faults = [] if pages else [f"{site} has no pages"]
    for path, page in pages.items():
        here = path.relative_to(site.resolve())
        for address in page.loads:
            if is_outside(address):
                faults.append(f"{here}: loads {address} from outside")
        for address in page.links + page.loads:
            if not is_outside(address) and not is_there(address, path, pages):
                faults.append(f"{here}: {address} leads nowhere")
    for style in sorted(site.rglob("*.css")):
        text = style.read_text(encoding="utf-8").replace(" ", "").replace('"', "").replace("'", "")
        if any(f"url({scheme}" in text for scheme in ("http:", "https:", "//")) or "@importurl(http" in text:
            faults.append(f"{style.relative_to(site)}: loads something from outside")
    return faults


def is_outside(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def is_there(address: str, page: Path, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(address)
    if parts.scheme == "data":
        return True
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target in pages:
        return unquote(parts.fragment) in pages[target].places
    return target.is_file() and not parts.fragment


if __name__ == "__main__":
    found = faults_of(Path(sys.argv[1]))
    print("\n".join(found) or f"{sys.argv[1]}: every link leads somewhere, and nothing is loaded from outside")
    sys.exit(1 if found else 0)
