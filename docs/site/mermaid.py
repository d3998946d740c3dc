"""Draws the flow charts of the pages, which code hosts draw from their text, by Graphviz: the site loads no script for it."""

import html
import re
import subprocess

NODE = re.compile(r'^(\w+)\["(.*)"\]$')
SUBGRAPH = re.compile(r'^subgraph (\w+)(?:\["(.*)"\])?$')
EDGE = re.compile(r"^(\w+) --> (\w+)$")
FENCE = re.compile(r"^```mermaid\n(.*?)^```$", re.M | re.S)


def graph(text: str) -> str:
    """A flow chart as a graph of Graphviz. Raises ValueError for a line that it does not know."""
    lines = [
        "digraph {",
        "rankdir=TB; nodesep=0.25; ranksep=0.35; bgcolor=transparent;",
        'node [shape=box, style="rounded", fontname=sans, fontsize=12];',
    ]
    for line in text.splitlines():
        line = line.strip()
        node, edge = NODE.match(line), EDGE.match(line)
        if not line or line.startswith("flowchart"):
            continue
        if line.startswith("subgraph "):
            name, title = SUBGRAPH.match(line).groups()
            lines.append(
                f'subgraph cluster_{name} {{ label="{title or name}"; labeljust=l; fontname=sans; style=rounded;'
            )
        elif line == "end":
            lines.append("}")
        elif node:
            lines.append(f'{node[1]} [label="{node[2].replace("<br>", chr(92) + "n")}"];')
        elif edge:
            lines.append(f"{edge[1]} -> {edge[2]};")
        else:
            raise ValueError(f"mermaid: no such line is known: {line}")
    return "\n".join([*lines, "}"])


def picture(match: re.Match) -> str:
    svg = subprocess.run(["dot", "-Tsvg"], input=graph(match[1]), capture_output=True, text=True, check=True).stdout
    svg = svg[svg.index("<svg") :]
    # Colours are those of the page, light or dark.
    svg = svg.replace('stroke="black"', 'stroke="currentColor"').replace('fill="black"', 'fill="currentColor"')
    svg = re.sub(r"(<text [^>]*)>", r'\1 fill="currentColor">', svg)
    svg = re.sub(r"<!--.*?-->|<title>.*?</title>", "", svg, flags=re.S)
    svg = "\n".join(line for line in svg.splitlines() if line.strip())
    found = (SUBGRAPH.match(line.strip()) for line in match[1].splitlines())
    names = ", ".join(html.escape(one[2] or one[1]) for one in found if one)
    return f'<div class="diagram" role="img" aria-label="Diagram of {names}">\n{svg}\n</div>\n'


def drawn(text: str) -> str:
    return FENCE.sub(picture, text)
