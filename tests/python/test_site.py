"""Tests of what scripts/docs does with the blocks and links of pages."""

import os
import sys
from pathlib import Path

import pytest

SITE = Path(__file__).resolve().parents[2] / "docs" / "site"
sys.path.insert(0, str(SITE))

import blocks  # noqa: E402
import mermaid  # noqa: E402
import pages  # noqa: E402


@pytest.fixture
def run(tmp_path):
    """Runs the blocks of a text as those of a page, and returns (what each printed, the folder with its files)."""
    module = Path(os.environ["PYTHONPATH"].split(":")[0]).resolve()
    machine = blocks.Machine(Path(os.environ["STENCILSCOPE"]).resolve(), module, "")

    def run_text(text):
        items = blocks.parse("page.md", text)
        return blocks.run_page("page.md", items, machine, "", tmp_path)

    return run_text


def test_a_command_and_python_share_a_folder(run):
    outputs, kept = run(
        "# A page\n\n```sh\nstencilscope run --size 8 --steps 3 --backend cpu --export field.npy,field.png --quiet --out a\n```\n\n"
        "```python\nimport numpy\n\nprint(numpy.load('a/field.npy').shape)\n```\n\n```python\nprint(numpy.pi > 3)\n```\n\n"
        "<!-- docs: picture a/field.png The field -->\n"
    )
    assert outputs[7] == "(8, 8)\n"
    assert outputs[13] == "True\n"
    assert (kept / "a" / "field.png").exists()


def test_a_block_that_fails_is_told_with_its_page_and_line(run):
    with pytest.raises(blocks.Failure, match=r"page.md:3: exit status 2"):
        run("# A page\n\n```sh\nstencilscope run --steps many\n```\n")
    with pytest.raises(blocks.Failure, match=r'(?s)page.md:3: .*"page.md", line 5.*ZeroDivisionError'):
        run("# A page\n\n```python\na = 0\nprint(1 / a)\n```\n")
    with pytest.raises(blocks.Failure, match="page.md:3: no block made a.png"):
        run("# A page\n\n<!-- docs: picture a.png Nothing -->\n")


def test_a_block_may_be_meant_to_fail_but_then_it_must(run):
    outputs, _ = run("<!-- docs: fails 2 -->\n```sh\nstencilscope run --steps many\n```\n")
    assert "many" in outputs[2]
    with pytest.raises(blocks.Failure, match="exit status 0"):
        run("<!-- docs: fails 2 -->\n```sh\nstencilscope models\n```\n")


def test_words_are_added_to_each_command(run):
    outputs, _ = run(
        "<!-- docs: with --size 4 --steps 1 | --help -->\n```sh\n"
        "stencilscope run --size 2000 --backend cpu --export spec.json --out a\nstencilscope bench\n```\n"
    )
    assert "4x4" in outputs[2]
    assert "Usage: stencilscope bench" in outputs[2]


def test_what_was_run_is_not_run_again(run, tmp_path):
    text = "```python\nimport time\n\nprint(time.time_ns())\n```\n"
    assert run(text)[0] == run(text)[0]
    assert run(text)[0] != run(text + "\n```python\nprint(1)\n```\n")[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<!-- docs: skp it -->\n", "no directive is called 'skp'"),
        ("<!-- docs: skip -->\n```sh\nstencilscope\n```\n", "'skip' needs a reason"),
        ("<!-- docs: output -->\n\nwords\n", "no block follows"),
        ("<!-- docs: output -->\n```cpp\nint a;\n```\n", "none that is run"),
        ("```python\na = = 1\n```\n", "page.md:2: invalid syntax"),
        ("```sh\nstencilscope run 'a\n```\n", "bash does not take this"),
        ("```sh\nstencilscope\n", "not closed"),
    ],
)
def test_a_page_that_cannot_be_read_is_refused(text, told):
    with pytest.raises(blocks.Failure, match=told):
        blocks.parse("page.md", text)


def test_anchors_are_those_of_code_hosts():
    text = "# What `Solver::advance()` does, and why\n\n```sh\n# no heading\n```\n\n## Twice\n\n## Twice\n"
    assert pages.anchors(text) == {"what-solveradvance-does-and-why", "twice", "twice-1"}


def test_links_in_code_are_none():
    text = "[a](b.md#c) and `[x](y.md)`\n\n    [d](e.md)\n\n![f](g.png)\n"
    assert list(pages.links(text)) == [(1, "b.md#c"), (5, "g.png")]


def test_every_page_has_a_place_of_its_own():
    names = [pages.site_name(path) for path in pages.all_pages()]
    assert len(names) == len(set(names))


def test_a_flow_chart_with_an_unknown_line_is_refused():
    with pytest.raises(ValueError, match="a ==> b"):
        mermaid.graph("flowchart TD\na ==> b\n")
