//! Stories of declared outputs: what is found, and what is left in peace.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::testing::{Shows, shown};
use expect_test::expect;
use std::collections::BTreeMap;

struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let owned = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        Self(owned.collect())
    }
}

impl RepositoryFiles for Files {
    fn is_file(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).cloned()
    }

    fn files_below(&self, folder: &str) -> Vec<String> {
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        self.0.keys().filter(|path| path.starts_with(&folder)).cloned().collect()
    }
}

fn said(path: &str, text: &str, files: &[(&str, &str)]) -> String {
    shown(&check(path, text.as_bytes(), &Files::new(files)))
}

fn is_good(path: &str, text: &str, files: &[(&str, &str)]) {
    let report = check(path, text.as_bytes(), &Files::new(files));
    assert!(report.diagnostics.is_empty(), "{text}\n{}", shown(&report));
}

#[test]
fn an_empty_output_is_as_good_as_a_missing_one() {
    for (path, text) in
        [("a.xml", ""), ("src/a.rs", " \n\t"), ("a.md", "\n"), ("a.md", "# Title\n\n<!-- x -->\n")]
    {
        let report = check(path, text.as_bytes(), &Files::new(&[]));
        assert_eq!(
            shown(&report).lines().next(),
            Some(&*format!("error artefact.empty {path}: the file says nothing"))
        );
    }
    is_good("a.bin", "\u{0}anything", &[]);
    is_good("a.xml", "<not closed", &[]);
}

#[test]
fn r066_markdown_is_well_formed_or_every_fault_has_its_line() {
    said("docs/a.md", "---\ntitle: [\n---\n# A\ntext\n<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> theirs\n~~~sh\n```\n", &[]).shows(expect![[r#"
        error yaml.syntax docs/a.md:2: this is not valid YAML: unclosed bracket '['
          help: Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces
        error artefact.conflict_marker docs/a.md:6: this line was left behind by an unfinished merge
          help: Decide which side is right and remove the conflict markers
        error artefact.conflict_marker docs/a.md:10: this line was left behind by an unfinished merge
          help: Decide which side is right and remove the conflict markers
        error artefact.fence_open docs/a.md:11: the code block that begins here never ends
          help: Close it with a line of the same marks
    "#]]);
    said("docs/a.md", "---\ntitle: x\n\ntext\n", &[]).shows(expect![[r#"
        error artefact.front_matter_open docs/a.md:1: the front matter has no line "---" at its end
          help: Put a line `---` after the last field
    "#]]);
    let report = check("a.md", b"a\xff", &Files::new(&[]));
    assert_eq!(report.diagnostics[0].code, "text.not_utf8");
}

#[test]
fn good_markdown_of_many_kinds_is_left_in_peace() {
    for text in [
        "text",
        "---\nprose between rules, no fields\n---\ntext\n",
        "---\n\ntext after a rule\n",
        "---\ntitle: x\n---\ntext\n",
        "\u{feff}---\ntitle: x\n---\ntext\n",
        "# A\n- ```sh\n  [x](nowhere.md)\n  ```\n- b\n",
        "1. a\n\n   ~~~\n   [x](nowhere.md)\n   ~~~\n",
        "> ```\n> [x](nowhere.md)\n> ```\n\ntext\n",
        "> ```\n> [x](nowhere.md)\n\nafter the quote\n",
        "````md\n```\n[x](nowhere.md)\n```\n````\n",
        "text\n\n    [x](nowhere.md)\n\n\t[x](nowhere.md)\n",
        "`[x](nowhere.md)` and ``a ` [x](nowhere.md)`` and `two\nlines [x](nowhere.md)`",
        "a <!-- [x](nowhere.md) --> b\n\n<!--\n[x](nowhere.md)\n-->\n",
        "```\n<<<<<<< HEAD\n```\n",
        "Title\n=======\ntext\n",
        "rows[i][j] and \\[x](y.md) and [ ] and [x] and a](b.md) and [note](see there)",
        "- [ ] open\n- [x] done[^1]\n\n[^1]: a note\n",
        "[a](https://a.example/x_(y)) <https://b.example> ![i](//c.example/i.png) [m](mailto:x@y.example)",
    ] {
        is_good("docs/a.md", text, &[]);
    }
}

#[test]
fn r066_links_that_lead_nowhere_are_named_with_their_line() {
    said("docs/guide/a.md", "# Here\n[a](../b.md) ![i](img.png \"t\")\n[gone][label] [else][Nobody]\n\n- [x](#there)\n    [y](<with blank.md>)\n\n[label]: ../usage.md\n[](  )\n[up](../../../x) [abs](/etc/passwd) [f](file:///x)\n[c](../c.md#second)\n", &[("docs/usages.md", "x"), ("docs/c.md", "# First\n# Secund\n")]).shows(expect![[r#"
        error artefact.link_broken docs/guide/a.md:2: "../b.md" points to "docs/b.md", which does not exist
          help: Did you mean "c.md" in that folder?
        error artefact.link_broken docs/guide/a.md:2: "img.png" points to "docs/guide/img.png", which does not exist
          help: Write the file, or correct or remove the link
        error artefact.link_label docs/guide/a.md:3: the label "Nobody" of this link is not defined
          help: Add a line "[Nobody]: target"
        error artefact.link_anchor docs/guide/a.md:5: "docs/guide/a.md" has no heading with the anchor "there"
          help: Did you mean "here"?
        error artefact.link_broken docs/guide/a.md:6: "with blank.md" points to "docs/guide/with blank.md", which does not exist
          help: Write the file, or correct or remove the link
        error artefact.link_broken docs/guide/a.md:8: "../usage.md" points to "docs/usage.md", which does not exist
          help: Did you mean "usages.md" in that folder?
        error artefact.link_broken docs/guide/a.md:9: this link has no target
          help: Give it a target, or make it plain text
        error artefact.link_refused docs/guide/a.md:10: "../../../x" cannot be followed: it points outside the repository
          help: Write a path relative to this document
        error artefact.link_refused docs/guide/a.md:10: "/etc/passwd" cannot be followed: it is absolute
          help: Write a path relative to this document
        error artefact.link_refused docs/guide/a.md:10: "file:///x" cannot be followed: it names a file on one machine
          help: Write a path relative to this document
        error artefact.link_anchor docs/guide/a.md:11: "docs/c.md" has no heading with the anchor "second"
          help: Did you mean "secund"?
    "#]]);
}

#[test]
fn what_only_looks_like_code_is_read() {
    said("docs/a.md", "- item\n\n    [in the item](gone.md)\n\nnew paragraph\n    [lazy](gone.md)\n\n> ```\n> code\n\n[after](gone.md)\n`` a ` [open](gone.md)\n", &[]).shows(expect![[r#"
        error artefact.link_broken docs/a.md:3: "gone.md" points to "docs/gone.md", which does not exist
          help: Write the file, or correct or remove the link
        error artefact.link_broken docs/a.md:6: "gone.md" points to "docs/gone.md", which does not exist
          help: Write the file, or correct or remove the link
        error artefact.link_broken docs/a.md:11: "gone.md" points to "docs/gone.md", which does not exist
          help: Write the file, or correct or remove the link
        error artefact.link_broken docs/a.md:12: "gone.md" points to "docs/gone.md", which does not exist
          help: Write the file, or correct or remove the link
    "#]]);
}

#[test]
fn links_that_lead_somewhere_are_left_in_peace() {
    let files = &[
        ("docs/b c.md", "# Über uns\n# Same\n# Same\n<a id=\"by-hand\"></a>\n"),
        ("docs/img/a.png", "x"),
        ("src/main.rs", "x"),
        ("LICENSE", "x"),
    ];
    for text in [
        "[a](b%20c.md) [b](<b c.md>) [c](./b%20c.md#über-uns) [d](b%20c.md#same-1) [e](b%20c.md#By-Hand)",
        "![i](img/a.png) [folder](img/) [folder](img) [root](..) [l](../LICENSE) [s](../src/main.rs#L10)",
        "[![badge](img/a.png)](../LICENSE)",
        "[text][Some  Label] and [some label][] and [some label]\n\n[some label]: b%20c.md 'title'\n",
        "# Top (1)\n[self](#top-1) [self](a.md) [plain](a.md?plain=1#L3)\n",
        "[a\nb](../LICENSE)",
        "---\nfiles: [src/main.rs, img/a.png, 'src/**', 'https://a.example/x']\nsource: Jira v1.2\nnote: docs/none.md\n---\ntext",
    ] {
        is_good("docs/a.md", text, files);
    }
}

#[test]
fn r066_paths_in_front_matter_exist() {
    said("docs/a.md", "---\nfiles:\n  - src/main.rs\n  - src/gone.rs\noutputs: [planning-mds/BLUEPRINT.md]\nlinks: {one: ../../up.md}\n---\ntext\n", &[("src/main.rs", "x")]).shows(expect![[r#"
        error artefact.link_broken docs/a.md:4: "src/gone.rs" points to "src/gone.rs", which does not exist
          help: Write the file, or correct or remove the link
        error artefact.link_refused docs/a.md:6: "../../up.md" cannot be followed: it points outside the repository
          help: Write a path relative to this document
    "#]]);
}

const STORY: &str =
    "# Log in\n## Story\nAs a clerk I log in.\n## Acceptance criteria\n- AC-001: it works\n";

#[test]
fn r066_ids_that_nobody_defines_are_named_with_their_line() {
    said("planning-mds/notes.md", "---\nfeature: F0002\n---\nF0001-S0099 comes after F0001-S0001.\n`F0009` and AC-002, see [F0003](https://a.example/?id=F0004).\n\n```\nF0005\n```\nT-001 lives in a session. https://a.example/?id=F0006\n", &[("planning-mds/stories/F0001-S0001-login.md", STORY)]).shows(expect![[r#"
        error artefact.id_undefined planning-mds/notes.md:2: "F0002" is defined nowhere in planning-mds/
          help: Write the document that defines it, or remove it
        error artefact.id_undefined planning-mds/notes.md:4: "F0001-S0099" is defined nowhere in planning-mds/
          help: Did you mean "F0001-S0001"?
        error artefact.id_undefined planning-mds/notes.md:5: "AC-002" is defined nowhere in planning-mds/
          help: Did you mean "AC-001"?
        error artefact.id_undefined planning-mds/notes.md:5: "F0003" is defined nowhere in planning-mds/
          help: Write the document that defines it, or remove it
        error artefact.id_undefined planning-mds/notes.md:5: "F0009" is defined nowhere in planning-mds/
          help: Write the document that defines it, or remove it
    "#]]);
}

#[test]
fn ids_are_defined_by_headings_names_fields_and_lists() {
    let files = &[
        ("planning-mds/BLUEPRINT.md", "# B\n## Features\n### F0001: Login\n"),
        ("planning-mds/features/F0002-billing/README.md", "x"),
        ("planning-mds/stories/by-hand.md", "---\nid: F0003-S0001\n---\n# S\n"),
        ("planning-mds/tasks.yaml", "tasks:\n  - id: T-001\n"),
        ("planning-mds/criteria.json", "{\"all\": [{\"id\": \"AC-001\"}]}"),
        ("planning-mds/table.md", "| id | what |\n|---|---|\n| **T-002** | x |\n"),
    ];
    let text = "F0001 F0002 F0003-S0001 T-001 AC-001 T-002";
    is_good("planning-mds/notes.md", text, files);
    is_good("docs/elsewhere.md", "F9999 is no matter of planning here", files);
    is_good("planning-mds/notes.md", "# F0007\nF0007 is defined right here", files);
}

#[test]
fn r066_one_id_is_one_document() {
    let login = ("planning-mds/stories/F0001-S0001-login.md", STORY);
    said("planning-mds/stories/F0001-S0001-other.md", STORY, &[login]).shows(expect![[r#"
        error artefact.id_twice planning-mds/stories/F0001-S0001-other.md: "F0001-S0001" is already defined by planning-mds/stories/F0001-S0001-login.md
          help: Give one of them its own id
    "#]]);
    said("planning-mds/stories/z.md", "---\nid: F0001-S0001\n---\ntext\n", &[login]).shows(expect![[r#"
        error artefact.id_twice planning-mds/stories/z.md:2: "F0001-S0001" is already defined by planning-mds/stories/F0001-S0001-login.md
          help: Give one of them its own id
    "#]]);
    said("planning-mds/list.md", "# F0001: a\nx\n# F0001 - b\ny\n## F0001: deeper\n# F0001 in short\n", &[]).shows(expect![[r#"
        error artefact.id_twice planning-mds/list.md:3: "F0001" is already defined by planning-mds/list.md:1
          help: Give one of them its own id
    "#]]);
    // A chapter about a feature elsewhere does not define it again.
    is_good(
        "planning-mds/architecture/notes.md",
        "## F0001-S0001: in depth\nx\n## F0001-S0001: tests\ny",
        &[login],
    );
    is_good(
        "planning-mds/screens/F0001-login.md",
        "# S\n## Purpose\na\n## Elements\nb\n## States\nc\n",
        &[("planning-mds/features/F0001-login.md", "x")],
    );
}

#[test]
fn r066_known_documents_have_their_sections_with_content() {
    said("planning-mds/features/F0001-login.md", "# Login\n## Goal\n- TODO: say why\n## Scope\n\n### Deeper\n", &[]).shows(expect![[r###"
        error sections.missing planning-mds/features/F0001-login.md: the section "Stories" is missing
          help: Add a heading such as "## Stories" with its content below it
        error artefact.placeholder planning-mds/features/F0001-login.md:2: the section "Goal" contains only a placeholder
          help: Write the real text, or say why there is none
        error sections.empty planning-mds/features/F0001-login.md:4: the section "Scope" is empty
          help: Write its content, or say why there is none
    "###]]);
    said("planning-mds/personas/clerk.md", "# Clerk\n## Who\n{{users}}\n## Goals\n...\n## Needs\n<describe them>\n", &[]).shows(expect![[r#"
        error artefact.placeholder planning-mds/personas/clerk.md:2: the section "Who" contains only a placeholder
          help: Write the real text, or say why there is none
        error artefact.placeholder planning-mds/personas/clerk.md:3: the placeholder "{{users}}" was not filled in
          help: Replace it with its value
        error artefact.placeholder planning-mds/personas/clerk.md:4: the section "Goals" contains only a placeholder
          help: Write the real text, or say why there is none
        error artefact.placeholder planning-mds/personas/clerk.md:6: the section "Needs" contains only a placeholder
          help: Write the real text, or say why there is none
    "#]]);
    said("docs/a.md", "# A\n## B\nTBD\n- [ ] TODO\n", &[]).shows(expect![[r#"
        error artefact.placeholder docs/a.md:1: the document contains only placeholders
          help: Write the real text, or say why there is none
    "#]]);
    for goal in [
        "The todo list is shared.",
        "Todo items are sorted by date.",
        "Placeholder texts are grey.",
        "<img src=\"a.png\">",
        "TODO: later\nUntil then a clerk logs in by hand.",
        "Todos are kept for a year.",
        "None: the feature only prepares F0002.",
        "| TBD | 7 |\n|---|---|\n| a | 8 |",
        "<details>more</details>",
    ] {
        let text = format!("# F0002\n## Goal\n{goal}\n## Scope\nx\n## Stories\nnone yet\n");
        is_good("planning-mds/features/F0002-lists.md", &text, &[]);
    }
    is_good("planning-mds/personas/README.md", "An index.", &[]);
}

#[test]
fn r066_json_is_strict_and_faults_have_lines() {
    said("a.json", "{\"a\": 1,\n \"b\": {\"x\": [{\"c\": \"\\\"a\\\": {\"}, {\"c\": 1}],\n  \"x\": 2},\n \"\\u0061\": 3}", &[]).shows(expect![[r#"
        error shape.key_twice a.json:3: the key "x" occurs twice
          help: Keep one of them
        error shape.key_twice a.json:4: the key "a" occurs twice
          help: Keep one of them
    "#]]);
    said("a.json", "{\"a\": 1,\n \"b\": }", &[]).shows(expect![[r#"
        error json.syntax a.json:2: this is not valid JSON: expected value (column 7)
          help: Write the file with a JSON serializer instead of by hand
    "#]]);
    is_good("a.json", "[{\"a\": {\"a\": \"a\"}}, {\"a\": null}]", &[]);
}

#[test]
fn r066_yaml_is_strict_and_faults_have_lines() {
    said("a.yaml", "a: 1\nb:\n  c: 1\n  c: 2\n", &[]).shows(expect![[r#"
        error yaml.syntax a.yaml:4: this is not valid YAML: the key "c" occurs twice
          help: Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces
    "#]]);
    let deep: String = (0..40).map(|level| format!("{}a:\n", "  ".repeat(level))).collect();
    for text in ["a: 1\n---\nb: 2\n", "on: push\n200: x\n", &deep, "a: !Ref b\nc: !Sub 'd'\n"] {
        is_good("a.yml", text, &[]);
    }
}

#[test]
fn r066_an_interface_description_is_one() {
    said("planning-mds/api/orders.yaml", "info:\n  version: 1\ncomponents:\n  schemas:\n    A: {$ref: '#/components/schemas/B'}\n    C: {$ref: 'other.yaml#/x'}\n    D: {$ref: '#/components/schemas/A'}\n", &[]).shows(expect![[r##"
        error artefact.api_incomplete planning-mds/api/orders.yaml:1: the API description lacks its version, openapi or swagger
          help: Describe the API as OpenAPI
        error artefact.api_incomplete planning-mds/api/orders.yaml:1: the API description lacks paths
          help: Describe the API as OpenAPI
        error artefact.api_incomplete planning-mds/api/orders.yaml:2: the API description lacks info.title
          help: Describe the API as OpenAPI
        error artefact.ref_broken planning-mds/api/orders.yaml:5: the reference "#/components/schemas/B" points to nothing
          help: Correct the reference, or write what it points to
        error artefact.ref_broken planning-mds/api/orders.yaml:6: the reference "other.yaml#/x" points to nothing
          help: Correct the reference, or write what it points to
    "##]]);
    let good = "openapi: 3.0.3\ninfo: {title: Orders, version: '1'}\npaths:\n  /orders/{id}:\n    get:\n      responses:\n        200: {$ref: 'common.yaml#/ok'}\n        404: {$ref: '#/paths/~1orders~1{id}/get/responses/200'}\n";
    is_good("planning-mds/api/orders.yaml", good, &[("planning-mds/api/common.yaml", "x: 1")]);
    is_good("planning-mds/api/schemas/order.json", "{\"type\": \"object\"}", &[]);
    is_good("planning-mds/api/order.schema.json", "{\"$schema\": \"x\"}", &[]);
    is_good("planning-mds/api/README.md", "The interface is the command line.", &[]);
}

#[test]
fn r066_outputs_of_one_step_may_refer_to_each_other() {
    let outputs: &[(&str, &[u8])] =
        &[("docs/a.md", b"[b](b.md#deep)"), ("docs/b.md", b"# Deep\n[a](a.md)\n[c](c.md)")];
    expect![[r#"
        error artefact.link_broken docs/b.md:3: "c.md" points to "docs/c.md", which does not exist
          help: Did you mean "a.md" in that folder?
    "#]]
    .assert_eq(&shown(&check_outputs(outputs, &Files::new(&[]))));
}

#[test]
fn r086_all_of_planning_is_checked_at_once() {
    let files = Files::new(&[
        ("README.md", "[broken](but-not-planning.md)"),
        ("planning-mds/a.md", "F0001 [b](b.md)"),
        ("planning-mds/b.md", "# F0002\ntext\n"),
        ("planning-mds/c.json", "{"),
        ("planning-mds/stories/F0002-S0001-a.md", STORY),
        ("planning-mds/stories/F0002-S0001-b.md", STORY),
    ]);
    expect![[r#"
        error artefact.id_undefined planning-mds/a.md:1: "F0001" is defined nowhere in planning-mds/
          help: Did you mean "F0002"?
        error json.syntax planning-mds/c.json:1: this is not valid JSON: EOF while parsing an object (column 1)
          help: Write the file with a JSON serializer instead of by hand
        error artefact.id_twice planning-mds/stories/F0002-S0001-b.md: "F0002-S0001" is already defined by planning-mds/stories/F0002-S0001-a.md
          help: Give one of them its own id
    "#]]
    .assert_eq(&shown(&check_planning(&files)));
    expect![[r#"
        error artefact.empty planning-mds/: there is nothing to check in planning-mds/
          help: Create it with `tollgate run --action init`
    "#]]
    .assert_eq(&shown(&check_planning(&Files::new(&[("README.md", "x")]))));
}
