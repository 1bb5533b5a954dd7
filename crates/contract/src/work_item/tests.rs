//! Stories of work items.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod references;
mod scope_lists;

use super::*;
use crate::testing::{REFINEMENT, Shows, TASK, shown};
use expect_test::expect;
use proptest::prelude::*;

fn said(text: &str) -> String {
    let (_, report) = read(text, "T-001.md");
    shown(&report)
}

fn good(text: &str) -> WorkItem {
    let (item, report) = read(text, "T-001.md");
    assert_eq!(shown(&report), "");
    item.unwrap()
}

#[test]
fn r090_a_whole_task_is_read_to_the_last_field() {
    let item = good(TASK);
    let task = item.as_task().unwrap();
    assert_eq!(task.objective, "Wrong passwords are counted and the sixth is refused.");
    assert_eq!(task.spec_reference.specs[0].text, "docs/specs/login.md");
    assert_eq!(task.spec_reference.sections[0].text, "2.1 Counting");
    assert_eq!(item.in_scope(), ["bin/limit", "tests/test_limit.sh"]);
    let owned = Excluded { path: "bin/login".to_owned(), owner: Some("T-002".to_owned()) };
    let bare = Excluded { path: "docs/".to_owned(), owner: None };
    assert_eq!(task.out_of_scope, [owned, bare]);
    let criteria: Vec<(&str, bool, Option<&str>)> =
        task.criteria.iter().map(|c| (c.text.as_str(), c.is_checked, c.test.as_deref())).collect();
    assert_eq!(
        criteria,
        [
            ("The sixth wrong password within a minute is refused", false, None),
            ("cmd: sh tests/run.sh limit", true, None),
            ("Test: tests/test_limit.sh passes", false, Some("tests/test_limit.sh")),
        ]
    );
    assert_eq!(task.context, "The counter is a file; see `data/`.");
    assert_eq!(
        task.constraint_lines(),
        ["Do not change the format of data/users.", "No new dependency, not even a small one."]
    );
}

#[test]
fn r092_a_whole_refinement_is_read_to_the_last_field() {
    let item = good(REFINEMENT);
    let ItemKind::Refinement(refinement) = &item.kind else { panic!("{item:?}") };
    assert_eq!(refinement.spec_reference.quotes[0].text, "five wrong passwords");
    assert_eq!(refinement.options, ["**Per user** — simple and cheap", "**Per address** — fair"]);
    assert_eq!(refinement.recommendation, "Per user.");
    assert_eq!(refinement.blocked_tasks, "- Counting");
    assert!(item.in_scope().is_empty());
}

#[test]
fn r090_every_missing_heading_is_named_alone_and_together() {
    for required in task::TEMPLATE {
        let without = without(TASK, required.name);
        let (item, report) = read(&without, "T-001.md");
        assert_eq!(item, None, "{}", required.name);
        let codes: Vec<&str> = report.errors().map(|d| d.code).collect();
        assert_eq!(codes, ["work_item.section_missing"], "{}", required.name);
        assert!(report.diagnostics[0].message.contains(required.name));
    }
    said("## Objective\n\nx\n\n## Constraints\n\nnone\n").shows(expect![[r####"
        error work_item.section_missing T-001.md:5: the section "Spec Reference" is missing
          help: Add a heading "## Spec Reference" with its content below it
        error work_item.section_missing T-001.md:5: the section "In Scope" is missing
          help: Add a heading "### In Scope" with its content below it
        error work_item.section_missing T-001.md:5: the section "Out of Scope" is missing
          help: Add a heading "### Out of Scope" with its content below it
        error work_item.section_missing T-001.md:5: the section "Acceptance Criteria" is missing
          help: Add a heading "## Acceptance Criteria" with its content below it
        error work_item.section_missing T-001.md:5: the section "Context" is missing
          help: Add a heading "## Context" with its content below it
    "####]]);
    said("").shows(expect![[r####"
        error work_item.section_missing T-001.md:1: the section "Objective" is missing
          help: Add a heading "## Objective" with its content below it
        error work_item.section_missing T-001.md:1: the section "Spec Reference" is missing
          help: Add a heading "## Spec Reference" with its content below it
        error work_item.section_missing T-001.md:1: the section "In Scope" is missing
          help: Add a heading "### In Scope" with its content below it
        error work_item.section_missing T-001.md:1: the section "Out of Scope" is missing
          help: Add a heading "### Out of Scope" with its content below it
        error work_item.section_missing T-001.md:1: the section "Acceptance Criteria" is missing
          help: Add a heading "## Acceptance Criteria" with its content below it
        error work_item.section_missing T-001.md:1: the section "Context" is missing
          help: Add a heading "## Context" with its content below it
        error work_item.section_missing T-001.md:1: the section "Constraints" is missing
          help: Add a heading "## Constraints" with its content below it
    "####]]);
}

#[test]
fn r092_every_missing_heading_of_a_refinement_is_named() {
    for required in refinement::TEMPLATE {
        let without = without(REFINEMENT, required.name);
        let (item, report) = read(&without, "R-001.md");
        assert_eq!(item, None);
        assert!(
            report.errors().any(|d| d.code == "work_item.section_missing"
                && d.message.contains(required.name)),
            "{}: {}",
            required.name,
            shown(&report)
        );
    }
    said(
        &REFINEMENT
            .replace("1. **Per user** — simple\n   and cheap\n2. **Per address** — fair", "either"),
    )
    .shows(expect![[r#"
        error work_item.too_few_options T-001.md:11: the refinement gives no option
          help: List at least two, such as "1. **Count per user** — exact, but needs a table"
    "#]]);
}

/// The text without one heading and what is below it.
fn without(text: &str, name: &str) -> String {
    let mut is_gone = false;
    let mut kept = String::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix('#') {
            is_gone = title.trim_start_matches('#').trim() == name;
        }
        if !is_gone {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[test]
fn r090_a_heading_in_a_fence_or_a_comment_is_none_and_an_empty_section_says_nothing() {
    let fenced = TASK
        .replace("## Context", "```\n## Context")
        .replace("## Constraints", "```\n## Constraints");
    said(&fenced).shows(expect![[r###"
        error work_item.section_missing T-001.md:36: the section "Context" is missing
          help: Add a heading "## Context" with its content below it
    "###]]);
    let commented = TASK.replace("## Context", "<!--\n## Context\n-->");
    said(&commented).shows(expect![[r###"
        error work_item.section_missing T-001.md:36: the section "Context" is missing
          help: Add a heading "## Context" with its content below it
    "###]]);
    let empty = TASK.replace("The counter is a file; see `data/`.", "<!-- later -->");
    said(&empty).shows(expect![[r#"
        error work_item.section_empty T-001.md:30: the section "Context" is empty
          help: Write its content, or say that there is none
    "#]]);
    let twice = format!("{TASK}\n## Context\n\nmore\n");
    said(&twice).shows(expect![[r#"
        error work_item.section_twice T-001.md:40: the section "Context" occurs twice; the first is in line 30
          help: Merge the two
        warning work_item.section_order T-001.md:40: the section "Context" comes after "Constraints"
    "#]]);
}

#[test]
fn r090_order_and_level_are_tolerated_with_a_warning() {
    let (head, tail) = TASK.split_once("## Context").unwrap();
    said(&format!("## Context{tail}\n{head}")).shows(expect![[r#"
        warning work_item.section_order T-001.md:11: the section "Objective" comes after "Constraints"
    "#]]);
    said(&TASK.replace("### In Scope", "## In-Scope:")).shows(expect![[r#"
        warning work_item.section_level T-001.md:12: the heading "In Scope" is of level 2; it is usually of level 3
    "#]]);
    // Another heading of the template's level ends a section; a deeper one divides it.
    let item = good(&TASK.replace(
        "The counter is a file; see `data/`.",
        "The counter is a file.\n\n### History\n\nold\n\n## Notes\n\nelsewhere",
    ));
    assert_eq!(item.as_task().unwrap().context, "The counter is a file.\n\n### History\n\nold");
}

#[test]
fn scope_lists_are_read_as_people_write_them() {
    let listed = |lines: &str| {
        let text = TASK.replace("- bin/limit\n- `tests/test_limit.sh` (new)", lines);
        let (item, report) = read(&text, "T-001.md");
        item.map(|item| item.in_scope().join(" ")).ok_or_else(|| shown(&report))
    };
    for (lines, paths) in [
        ("* src/*.rs\n+ guide/", "src/*.rs guide/"),
        ("1. `a b.txt` — has a blank", "a b.txt"),
        ("- `a.rs`, `b.rs` and `c.rs` (all new)", "a.rs b.rs c.rs"),
        ("- src/a.rs: the handler\n- src/b.rs - its caller", "src/a.rs src/b.rs"),
        ("- Backend:\n  - src/a.rs\n- Front:\n  - app/[id]/page.tsx", "src/a.rs app/[id]/page.tsx"),
        ("- src/a.rs (the handler,\n  which is new)", "src/a.rs"),
    ] {
        assert_eq!(listed(lines).as_deref(), Ok(paths), "{lines}");
    }
    for (lines, code) in [
        ("- All files under src", "work_item.path_unclear"),
        ("- a.rs, b.rs", "work_item.path_unclear"),
        ("- ../other/a.rs", "globs.pattern_invalid"),
        ("- /etc/passwd", "globs.pattern_invalid"),
        ("- src/*{a", "globs.pattern_invalid"),
        ("None", "work_item.scope_empty"),
        ("- none", "work_item.scope_empty"),
        ("- .", "globs.pattern_invalid"),
        ("Makefile", "work_item.scope_empty"),
    ] {
        let report = listed(lines).unwrap_err();
        assert!(report.contains(code), "{lines}: {report}");
    }
}

#[test]
fn out_of_scope_may_say_none_or_be_prose_that_nobody_enforces() {
    let with = |lines: &str| TASK.replace("- bin/login (owned by T-002)\n- docs/", lines);
    for none in ["None", "- None.", "-", "n/a", "none, nobody else works here"] {
        assert_eq!(good(&with(none)).out_of_scope(), Vec::<String>::new(), "{none}");
    }
    said(&with("- everything that has to do with billing\n- `lib/` (Owned by `task-b`)")).shows(expect![[r#"
        warning work_item.not_enforced T-001.md:21: "everything that has to do with billing" is not a path, so it is not enforced
          help: Name paths, globs or folders ending in /, each as a list item
    "#]]);
    said(&with("The rest.")).shows(expect![[r#"
        warning work_item.not_enforced T-001.md:19: "The rest." is not a path, so it is not enforced
          help: Name paths, globs or folders ending in /, each as a list item
    "#]]);
    let item = good(&with("- `lib/`, owned by #12.\n- x.rs (legacy; owned by: task-c, later)"));
    let owners: Vec<Option<&str>> =
        item.as_task().unwrap().out_of_scope.iter().map(|out| out.owner.as_deref()).collect();
    assert_eq!(owners, [Some("#12"), Some("task-c")]);
}

#[test]
fn a_path_in_scope_and_out_of_it_is_refused() {
    said(&TASK.replace("- docs/", "- `bin/limit`")).shows(expect![[r#"
        error work_item.in_and_out T-001.md:22: "bin/limit" is out of scope, but line 16 lists it in scope
          help: Remove one of the two
    "#]]);
}

#[test]
fn a_check_that_needs_a_file_out_of_scope_is_refused_before_any_agent_starts() {
    let out = |out: &str, check: &str| {
        let text = TASK.replace("- docs/", out).replace("cmd: sh tests/run.sh limit", "it runs");
        let text = text.replace("- [ ] Test: tests/test_limit.sh passes", check);
        let (_, report) = read(&text, "T-001.md");
        report.errors().map(|d| d.code).collect::<Vec<_>>().join(" ")
    };
    for (listed, check) in [
        ("- tests/login.sh", "- [ ] Test: tests/login.sh passes"),
        ("- tests/login/", "- [ ] Test: `tests/login/a.sh` passes on both"),
        ("- tests/**", "- [ ] Test: ./tests/other.sh passes"),
        ("- tests/login.sh", "- [ ] cmd: sh tests/login.sh --all"),
        ("- tests/login/", "- [ ] `cmd: (cd . && sh 'tests/login/b.sh')`"),
        ("- tools/", "- [ ] cmd: make -C tools/ all"),
        ("- `**`", "- [ ] Test: bin/tests/limit.sh passes"),
    ] {
        assert_eq!(out(listed, check), "work_item.check_out_of_scope", "{listed} {check}");
    }
    for (listed, check) in [
        // What is listed more exactly wins.
        ("- tests/**", "- [ ] Test: tests/test_limit.sh passes"),
        ("- `**`", "- [ ] Test: tests/test_limit.sh passes"),
        ("- tests/login.sh", "- [ ] manual: read tests/login.sh"),
        ("- tests/login.sh", "- [ ] cmd: sh tests/run.sh"),
    ] {
        assert_eq!(out(listed, check), "", "{listed} {check}");
    }
}

#[test]
fn criteria_without_boxes_and_without_a_list() {
    said(&TASK.replace("- [ ] The sixth", "- The sixth").replace("- [x] cmd:", "  - cmd:")).shows(expect![[r#"
        error work_item.no_box T-001.md:26: the criterion "The sixth wrong password within a minute is refused" has no check box
          help: Begin it with "- [ ] "
    "#]]);
    let text = without(TASK, "Acceptance Criteria") + "\n## Acceptance Criteria\n\nIt works.\n";
    said(&text).shows(expect![[r#"
        warning work_item.section_order T-001.md:34: the section "Acceptance Criteria" comes after "Constraints"
        error work_item.no_criteria T-001.md:34: Acceptance Criteria lists no criterion
          help: Add an item such as "- [ ] Test: tests/login.sh passes"
    "#]]);
}

#[test]
fn front_matter_carries_labels_title_and_state() {
    let item = good(&format!(
        "---\ntitle: 'Count: them'\nlabels: [task:implement, status:ready, priority:low, complexity:low, area:login]\nstate: closed\nblocked_by: [T-002]\n---\n{TASK}"
    ));
    assert_eq!(item.title.as_deref(), Some("Count: them"));
    assert_eq!(item.labels.len(), 5);
    assert!(item.is_closed());
    assert_eq!(item.blocked_by, ["T-002"]);
    assert_eq!(good(&format!("---\n---\n{TASK}")).labels, Vec::<String>::new());
    said(&format!(
        "---\nlable: []\nstate: done\nlabels: [task:implement]\n---\n{}",
        without(TASK, "Context")
    ))
    .shows(expect![[r###"
        error shape.field_unknown T-001.md:2: there is no field "lable" here
          help: Known: blocked_by, labels, state or title.
        error shape.value_unknown T-001.md:3: `state` is "done", but must be open or closed
        error work_item.section_missing T-001.md:35: the section "Context" is missing
          help: Add a heading "## Context" with its content below it
    "###]]);
    said(&format!("---\nlabels: [\n---\n{TASK}")).shows(expect![[r#"
        error yaml.syntax T-001.md:2: this is not valid YAML: unclosed bracket '['
          help: Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces
    "#]]);
    said(&format!("---\n{TASK}")).shows(expect![[r#"
        error front_matter.missing T-001.md:1: the front matter has no line "---" at its end
          help: Begin the file with a line `---`, the fields as YAML, and a line `---`
    "#]]);
}

#[test]
fn r091_r092_labels_in_a_file_follow_the_rules_of_its_kind() {
    said(&format!(
            "---\nlabels: [task:refinement, status:pending, priority:low, complexity:low]\n---\n{REFINEMENT}"
        )).shows(expect![[r#"
        error labels.priority_low T-001.md:2: a refinement has "priority:low", although other work waits for its answer
          help: Use priority:high or priority:medium
        error labels.complexity_refused T-001.md:2: a refinement has "complexity:low", but it is a question, not work
          help: Remove it
    "#]]);
    said(&format!(
        "---\nlabels: [task:implement, status:pending, priority:low, priority:high]\n---\n{TASK}"
    ))
    .shows(expect![[r#"
        error labels.several T-001.md:2: 2 priority labels: priority:high, priority:low
          help: Keep exactly one of them
        error labels.missing T-001.md:2: a task has no complexity label
          help: Add complexity:trivial, complexity:low, complexity:medium or complexity:high
    "#]]);
}

#[test]
fn what_is_written_reads_back_and_keeps_every_word() {
    for text in [TASK, REFINEMENT] {
        let item = good(text);
        assert_eq!(write(&item), text);
        let full = WorkItem {
            title: Some("A \"title\": with # marks\u{2028}".to_owned()),
            state: Some(ItemState::Open),
            blocked_by: vec!["T-007".to_owned()],
            ..item
        };
        let written = write(&full);
        assert_eq!(good(&written), full);
        assert_eq!(write(&good(&written)), written);
    }
}

proptest! {
    #[test]
    fn whatever_is_read_is_written_and_read_the_same(
        title in proptest::option::of("[^\u{0}]{1,40}"),
        objective in "[a-z][ -~]{0,60}",
        context in "[a-z][^\u{0}\r<`~#]{0,80}",
        paths in proptest::collection::vec("[a-z]{1,8}(/[a-z]{1,8}){0,2}", 1..5),
    ) {
        let scope: String = paths.iter().map(|path| format!("- in/{path}\n")).collect();
        let text = TASK
            .replace("Wrong passwords are counted and the sixth is refused.", &objective)
            .replace("The counter is a file; see `data/`.", &context)
            .replace("- bin/limit\n", &scope);
        if let (Some(item), _) = read(&text, "T-001.md") {
            let item = WorkItem { title: title.filter(|t| !t.trim().is_empty()), ..item };
            let (again, report) = read(&write(&item), "T-001.md");
            prop_assert_eq!(again.as_ref(), Some(&item), "{}", shown(&report));
            prop_assert!(write(&item).contains(context.trim_end_matches('\n')));
        }
    }

    #[test]
    fn no_text_makes_the_reader_fall(text in "\\PC{0,200}", cut in 0..600usize) {
        let _ = read(&text, "x.md");
        let cut = TASK.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(TASK.len());
        let _ = read(&format!("{}{text}{}", &TASK[..cut], &TASK[cut..]), "x.md");
    }
}

#[test]
fn r095_a_path_in_backticks_is_not_read_for_a_note() {
    let lines = "- `docs/notes (draft)`\n- `src/ — old/a.ts`\n- `lib/x` (new)";
    let text = TASK.replace("- bin/limit\n- `tests/test_limit.sh` (new)", lines);
    let text = text.replace("- docs/\n", "- `gen/x (y)`\n");
    let (item, report) = read(&text, "T-001.md");
    let item = item.unwrap_or_else(|| panic!("{}", shown(&report)));
    let rules = tollgate_judge::scope::ScopeRules {
        in_scope: item.in_scope().to_vec(),
        out_of_scope: item.out_of_scope(),
        authorized: vec!["gen/x/z.ts".to_owned()],
        ..Default::default()
    };
    let class = |path: &str| {
        let change = tollgate_core::work::FileChange {
            path: path.to_owned(),
            change_type: tollgate_core::work::ChangeType::Modified,
            old_path: None,
        };
        tollgate_judge::scope::sort(&rules, &[change])[0].class.as_str()
    };
    for path in
        ["docs/notes (draft)", "docs/notes (draft)/a.md", "src/ — old/a.ts", "lib/x", "lib/x/y"]
    {
        assert_eq!(class(path), "primary", "{path}");
    }
    for path in ["docs/notes", "docs/notes/a.md", "src/b.ts", "src/a/b.ts"] {
        assert_eq!(class(path), "violation", "{path}");
    }
    assert_eq!(class("gen/x/z.ts"), "authorized");
}
