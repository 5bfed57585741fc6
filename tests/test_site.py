"""The site: its pages are linked, list what there is, and say in two languages the same."""

import ast
import re
from pathlib import Path

import pytest
from docs.site_parts import docstrings, formulas, links, pages

import kinfolk as kf
from kinfolk import catalogue
from kinfolk.cli import app

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.parent.name in {"docs", "zh"})
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"), key=lambda path: path.name)


def code_of(page):
    """Syntax trees of a page's Python examples, without comments."""
    found = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    return [ast.dump(ast.parse(example)) for example in found]


def contents_of(page):
    """Pages that the lists of contents of a page name, by their place below docs/."""
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line and line[0] != ":"]
    folder = page.parent.relative_to(DOCS)
    return [str(folder / re.sub(r".*<(.*)>", r"\1", line)) for line in lines]


def test_the_reference_lists_every_public_name_once():
    listed = [name for names in pages.sections().values() for name in names]
    modules = {name.split(".")[-2] for name in listed if "." in name}
    plain = [name for name in listed if "." not in name]
    assert sorted([*plain, *modules]) == sorted(kf.__all__)
    assert len(set(listed)) == len(listed)


def test_one_page_leads_to_every_name_and_to_the_page_of_its_section():
    reference = pages.api()
    whole = reference.pop("api.rst")
    assert len(reference) == len(pages.sections())
    for (title, names), (file, page) in zip(
        pages.sections().items(), reference.items(), strict=True
    ):
        assert f":doc:`{title} <{file.removesuffix('.rst')}>`" in whole
        assert f"\n   {file.removesuffix('.rst')}\n" in whole  # in the list of contents
        for name in names:
            assert f"<kinfolk.{name}>`" in whole
            assert f"\n   {name}\n" in page


def test_the_reference_has_the_errors_but_not_what_the_library_raises_them_with():
    listed = pages.sections()["kinfolk.errors"]
    assert "errors.InputError" in listed
    assert "errors.no_such" not in listed


def test_no_page_stands_in_two_lists_of_contents():
    # The navigation would show it in one place and mark another.
    listed = [entry for page in PAGES for entry in contents_of(page)]
    assert sorted({entry for entry in listed if listed.count(entry) > 1}) == []


def test_the_page_of_methods_has_a_line_for_each():
    text = pages.methods()
    assert [name for name in catalogue.METHODS if f"| `{name}` |" not in text] == []


def test_the_page_of_commands_shows_the_options_of_each(monkeypatch):
    monkeypatch.setattr(app, "VERBS", {"methods": app.VERBS["methods"]})
    text = pages.commands()
    assert "## kinfolk methods" in text
    assert "--json" in text
    assert "/root" not in text


def test_notes_of_changes_become_one_log(tmp_path):
    (tmp_path / "b.fixed.md").write_text("A gap\nis closed.\n")
    (tmp_path / "a.added.md").write_text("See [it](docs/it.md).\n")
    text = pages.changes(tmp_path)
    assert text.index("### New") < text.index("### Mended")
    assert "- A gap\n  is closed." in text
    assert "[it](../it.md)" in text


def test_every_note_of_changes_has_a_known_kind():
    kinds = {path.name.split(".")[-2] for path in (ROOT / "changes").glob("*.*.md")}
    assert kinds <= set(pages.KINDS)


def test_the_page_of_commands_has_those_below_others():
    text = pages.commands()
    for shown in ("kinfolk run", "kinfolk datasets fetch", "kinfolk knowledge export"):
        assert f"## {shown}\n" in text


def test_no_page_has_a_name_that_the_site_hides():
    # Sphinx writes pages of its own by these names over ours.
    assert {page.stem for page in PAGES} & {"search", "genindex", "py-modindex"} == set()


def test_pages_that_did_not_change_are_not_written_again(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "changes").mkdir()
    source = tmp_path / "src" / "kinfolk" / "datasets"
    source.mkdir(parents=True)
    (source / "ATTRIBUTION.md").write_text("Thanks.")
    pages.write(tmp_path / "docs")
    page = tmp_path / "docs" / "generated" / "api.rst"
    before = page.stat().st_mtime_ns
    pages.write(tmp_path / "docs")
    assert page.stat().st_mtime_ns == before


def test_docstrings_keep_examples_and_formulas_as_they_are():
    lines = ["    J = |x|", "", "Raises", "------", "Error : k_ < 1", "", ">>> a * b_", "x | y"]
    assert docstrings.rewritten(lines) == [
        *(
            "    J = |x|",
            "",
            "Raises",
            "------",
            "Error",
            "    k\\_ < 1",
            "",
            "Examples",
            "--------",
            ">>> a * b_",
            "x | y",
        ),
    ]


def test_an_example_that_follows_a_list_is_no_entry_of_it():
    lines = ["Parameters", "----------", "n : int, >= 1", "", ">>> f(1)", "n : 2"]
    rewritten = docstrings.rewritten(lines)
    assert rewritten[2:4] == ["n", "    int, >= 1"]
    assert rewritten[4:] == ["", "Examples", "--------", ">>> f(1)", "n : 2"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target = link.partition("#")[0]
        if target and not target.startswith(("https:", "http:", "mailto:")):
            made = target.startswith(("generated/", "examples/", "../examples/", "../generated/"))
            assert made or (page.parent / target).exists(), f"{page.name}: {link}"


def slug(heading):
    """Return the anchor of a heading, as GitHub and MyST make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.replace("`", "").strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_anchors_in_links_are_headings(page):
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]*\.md#[^)\s]+|#[^)\s]+)\)", text):
        file, _, anchor = link.partition("#")
        target = (page.parent / file) if file else page
        if "generated" not in file:
            headings = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), f"{page.name}: {link}"


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")), ids=lambda page: page.name)
def test_links_of_pages_beside_the_site_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        target = link.partition("#")[0]
        if target and not target.startswith(("https:", "http:", "mailto:")):
            assert (ROOT / target).exists(), f"{page.name}: {link}"


def test_links_of_the_built_site_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "template.html").write_text('<a href="{{ no }}">')
    (tmp_path / "parts" / "index.html").write_text('<h2 id="one">1</h2><a name="two">2</a>')
    right = ["parts/index.html#one", "parts/#two", "#here", "https://example.org/x", "a%20b.png"]
    wrong = ["lost.html", "parts/index.html#three", "#there", "lost.png"]
    (tmp_path / "a b.png").write_bytes(b"")
    body = "".join(f'<a href="{link}">' for link in [*right, *wrong[:3]])
    (tmp_path / "index.html").write_text(f'<p id="here">{body}<img src="lost.png">')
    assert links.broken(tmp_path) == [f"index.html: {link}" for link in wrong]


def test_formulas_are_drawn_alike_each_time_in_the_color_of_the_text():
    svg, depth = formulas.drawing(r"\frac{1}{2} \sum_t |M_t|_F^2")
    formulas.drawing.cache_clear()
    assert formulas.drawing(r"\frac{1}{2} \sum_t |M_t|_F^2") == (svg, depth)
    assert "currentColor" in svg
    assert formulas.INK not in svg
    assert "#ffffff" not in svg
    assert "date" not in svg
    assert depth > 0


def test_two_formulas_of_a_page_share_no_names():
    names = [set(re.findall(r'id="([^"]+)"', formulas.drawing(tex)[0])) for tex in ("x_1", "x_2")]
    assert names[0]
    assert not names[0] & names[1]
    for used in re.findall(r'href="#([^"]+)"', formulas.drawing("x_1")[0]):
        assert used in names[0]


def test_a_formula_says_what_it_is_to_those_who_do_not_see_it():
    text = formulas.shown("a < b \n + c", block=True)
    assert 'aria-label="a &lt; b + c"' in text
    assert text.startswith("<div")


def test_formulas_that_cannot_be_drawn_are_refused():
    with pytest.raises(ValueError, match="aligned"):
        formulas.shown(r"\begin{aligned} a \end{aligned}", block=True)


def formulas_of(example):
    """Return the formulas in the text of an example."""
    text = ast.get_docstring(ast.parse(example.read_text("utf-8")))
    blocks = re.findall(r"\.\. math::((?: .*\n?)?(?:\s*\n(?:   .*\n?)+)?)", text + "\n")
    return [*re.findall(r":math:`([^`]+)`", text), *blocks]


def test_methods_of_the_gallery_show_their_formula():
    pages_of_methods = [path for path in EXAMPLES if path.parent.name == "3_methods"]
    without = [path.stem for path in pages_of_methods if not formulas_of(path)]
    assert without == ["plot_14_known_classes"]  # many methods, no formula in common
    for path in pages_of_methods:
        for tex in formulas_of(path):
            assert formulas.shown(tex, block=False)


def test_every_section_of_the_gallery_has_a_title_and_examples():
    for folder in sorted({path.parent for path in EXAMPLES}):
        title, line, *_ = (folder / "README.rst").read_text("utf-8").splitlines()
        assert line == "-" * len(title)


def test_every_page_is_in_a_list_of_contents():
    listed = {entry for page in PAGES for entry in contents_of(page)}
    lost = {str(page.relative_to(DOCS).with_suffix("")) for page in PAGES} - listed - {"index"}
    assert lost == set(), "add it to a toctree, such as that of docs/guides.md"


def test_the_chinese_tutorial_has_the_code_of_the_english_one():
    assert code_of(DOCS / "zh" / "penguins.md") == code_of(DOCS / "penguins.md")
    commands = re.compile(r"^    kinfolk .*$", re.MULTILINE)
    chinese = commands.findall((DOCS / "zh" / "penguins.md").read_text("utf-8"))
    assert chinese == commands.findall((DOCS / "penguins.md").read_text("utf-8"))


def test_pages_name_only_what_there_is():
    for page in ("which.md", "r.md", "zh/index.md", "index.md"):
        text = (DOCS / page).read_text("utf-8")
        for name in re.findall(r"\bkf[.$]([A-Za-z_]+)", text):
            assert hasattr(kf, name), f"{page}: kf.{name}"


def test_both_forms_of_the_picture_of_methods_name_the_same_ones():
    wide = (DOCS / "images" / "which-when.svg").read_text("utf-8")
    narrow = (DOCS / "site_parts" / "static" / "which-when-narrow.svg").read_text("utf-8")
    names = re.findall(r"\bkf\.(\w+)", wide.split("</desc>")[1])
    assert len(set(names)) > 12
    assert set(re.findall(r"\bkf\.(\w+)", narrow)) == set(names)
    assert [name for name in names if not hasattr(kf, name)] == []


def test_the_comparison_with_other_software_has_the_figures_of_the_yardsticks():
    told = r"(\d+) of (\d+) (?:answers are more than|that)"
    yardsticks = re.findall(told, (DOCS / "table-yardsticks.md").read_text("utf-8"))
    # The first three tables are those within data sets.
    assert re.findall(told, (DOCS / "other-software.md").read_text("utf-8")) == yardsticks[:3]


def test_the_page_of_r_asks_a_model_only_for_what_every_fit_leaves():
    birds = kf.datasets.load_penguins()
    model = kf.Kinfolk(3, families=["kmeans"], random_state=0).fit(birds.X, tasks=birds.tasks)
    asked = set(re.findall(r"\bmodel[$](\w+)", (DOCS / "r.md").read_text("utf-8")))
    assert len(asked) > 3
    assert [name for name in asked if not hasattr(model, name)] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_examples_begin_with_a_title_and_a_sentence(example):
    text = ast.get_docstring(ast.parse(example.read_text("utf-8")))
    title, line, gap, *rest = text.splitlines()
    assert set(line) == {"="}
    assert len(line) == len(title)
    assert gap == ""
    assert rest
    assert "plt.show" not in example.read_text("utf-8")


def test_the_gallery_has_at_least_sixteen_examples_in_order():
    numbers = [int(example.stem.split("_")[1]) for example in EXAMPLES]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 16
    assert f"with {len(numbers)} examples" in (ROOT / "README.md").read_text("utf-8")
