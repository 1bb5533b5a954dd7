//! Stories of In Scope and Out of Scope: no line that names a file is lost, and none names what nobody may change.

use super::*;

fn with_in(lines: &str) -> String {
    TASK.replace("- bin/limit\n- `tests/test_limit.sh` (new)", lines)
}

fn with_out(lines: &str) -> String {
    TASK.replace("- bin/login (owned by T-002)\n- docs/", lines)
}

fn codes(text: &str) -> String {
    let (_, report) = read(text, "T-001.md");
    report.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>().join(" ")
}

#[test]
fn r090_a_path_that_is_not_a_list_item_is_refused_with_its_line() {
    said(&with_in("- src/\n\n| file | why |\n|---|---|\n| src/a.ts | new |\n\nsrc/b.ts (new)")).shows(expect![[r#"
        error work_item.not_listed T-001.md:20: "| src/a.ts | new |" names a file, but is not a list item
          help: Write it as a list item, such as "- src/app.ts"
        error work_item.not_listed T-001.md:22: "src/b.ts (new)" names a file, but is not a list item
          help: Write it as a list item, such as "- src/app.ts"
    "#]]);
    said(&with_out("src/e.ts (owned by T-002)")).shows(expect![[r#"
        error work_item.not_listed T-001.md:21: "src/e.ts (owned by T-002)" names a file, but is not a list item
          help: Write it as a list item, such as "- src/app.ts"
    "#]]);
    for line in [
        "src/a.ts",
        "src/a.ts:",
        "README.md",
        "`Makefile`",
        "> src/a.ts",
        "• src/a.ts",
        "#### src/a.ts",
        "**src/a.ts**",
        "src/a.ts, src/b.ts",
        "src/a.ts and src/b.ts",
        "src/billing belongs to T-002",
        "Leave src/a.ts alone.",
        "Everything in `src/billing/` belongs to T-002.",
        "[src/a.ts](src/a.ts)",
        "src/**",
        ".gitignore",
        "    src/a.ts",
        "```\n- src/a.ts\n```",
    ] {
        for text in [with_in(&format!("- lib/\n\n{line}")), with_out(&format!("- lib/\n\n{line}"))]
        {
            assert_eq!(codes(&text), "work_item.not_listed", "{line}");
        }
    }
    // Right below an item it would count as its words.
    assert_eq!(codes(&with_out("- lib/ (old)\nsrc/a.ts")), "work_item.not_listed");
}

#[test]
fn r090_prose_beside_the_lists_is_tolerated() {
    for line in [
        "Files/modules this task may touch:",
        "Files of `src/` that this task may touch:",
        "Only what is needed, e.g. the handler.",
        "The read/write locks belong to others.",
        "UI/UX is someone else's.",
        "Backend",
        "---",
        "| file | why |",
    ] {
        assert_eq!(codes(&with_in(&format!("{line}\n\n- src/a.ts\n\n{line}"))), "", "{line}");
        assert_eq!(codes(&with_out(&format!("{line}\n\n- src/a.ts"))), "", "{line}");
    }
    assert_eq!(codes(&with_in("- src/a.ts (the handler,\n  which uses src/b.ts)")), "");
    assert_eq!(codes(&with_out("Files/modules explicitly excluded:\n\nNone")), "");
}

#[test]
fn a_pattern_that_takes_everything_is_read_as_such() {
    for all in ["**", "**/*", "`**`", "./**", "**/**"] {
        said(&with_in(&format!("- {all}"))).shows(expect![[r#"
            warning work_item.scope_everything T-001.md:16: every file of the repository is in scope
              help: Name the files or folders that the task is about
        "#]]);
    }
    for all in ["**", "`**`", "**/*"] {
        let text = with_out(&format!("- {all}"));
        let item = good(&text.replace("cmd: sh tests/run.sh limit", "it runs"));
        assert_eq!(item.out_of_scope(), [all.trim_matches('`')]);
    }
    let (item, _) = read(&with_in("- none.rs"), "T-001.md");
    assert_eq!(item.unwrap().in_scope(), ["none.rs"]);
}

#[test]
fn a_link_is_read_as_its_path_and_what_matches_nothing_is_refused() {
    for (item, path) in [
        ("[src/foo.ts](src/foo.ts)", "src/foo.ts"),
        ("[`src/foo.ts`](./src/foo.ts) (new)", "src/foo.ts"),
        ("[the handler](src/foo.ts)", "src/foo.ts"),
        ("[foo.ts](src/foo.ts) — new", "src/foo.ts"),
        ("[src/foo.ts](../../src/foo.ts)", "src/foo.ts"),
        ("[src/foo.ts](https://host.example/x/blob/main/src/foo.ts)", "src/foo.ts"),
        ("[id]/page.tsx", "[id]/page.tsx"),
        ("app/\\[id\\]/page.tsx", "app/\\[id\\]/page.tsx"),
    ] {
        assert_eq!(good(&with_in(&format!("- {item}"))).in_scope(), [path], "{item}");
    }
    for item in ["[src/a.ts](src/b.ts)", "[the handler](../x.ts)", "[x](https://host.example/)"] {
        assert_eq!(codes(&with_in(&format!("- {item}"))), "work_item.path_unclear", "{item}");
        assert_eq!(codes(&with_out(&format!("- {item}"))), "work_item.path_unclear", "{item}");
    }
    for item in ["src/a.ts src/b.ts", "src/a.ts, owned by T-002"] {
        assert_eq!(codes(&with_out(&format!("- {item}"))), "work_item.path_unclear", "{item}");
    }
    said(&with_in("- src/foo.ts:10\n- `src/foo.ts:10-20`\n- src/foo.ts#L10\n- src\\foo.ts")).shows(expect![[r#"
        error work_item.path_with_line T-001.md:16: "src/foo.ts:10" names a line of a file; a scope consists of whole files
          help: Write "src/foo.ts"
        error work_item.path_with_line T-001.md:17: "src/foo.ts:10-20" names a line of a file; a scope consists of whole files
          help: Write "src/foo.ts"
        error work_item.path_with_line T-001.md:18: "src/foo.ts#L10" names a line of a file; a scope consists of whole files
          help: Write "src/foo.ts"
        error work_item.backslash T-001.md:19: "src\\foo.ts" has backslashes
          help: Write "src/foo.ts"
    "#]]);
    assert_eq!(codes(&with_out("- src/foo.ts:10")), "work_item.path_with_line");
    assert_eq!(codes(&with_out("- src\\*.ts")), "work_item.backslash");
}

#[test]
fn r117_protected_files_are_not_in_scope() {
    for path in [
        ".git/config",
        ".GIT/config",
        "`.git./config`",
        "a/git~1/x",
        "**/.git/**",
        ".git",
        ".git\\config",
        ".agents-work/2026-11-15_login/spec.md",
        ".agents-work/",
        "tollgate.toml",
        "./tollgate.toml",
        "lifecycle-stage.yaml",
    ] {
        let (item, report) = read(&with_in(&format!("- {path}")), "T-001.md");
        let codes: Vec<&str> = report.errors().map(|d| d.code).collect();
        assert_eq!((item, codes), (None, vec!["work_item.protected"]), "{path}");
        assert_eq!(report.diagnostics[0].line, Some(16));
    }
    for path in ["/etc/passwd", "../x", "a/../../x"] {
        assert_eq!(codes(&with_in(&format!("- {path}"))), "globs.pattern_invalid", "{path}");
    }
    for path in [".gitignore", ".github/x.yml", "a/tollgate.toml"] {
        assert_eq!(codes(&with_in(&format!("- {path}"))), "", "{path}");
    }
    // To leave it alone is right.
    assert_eq!(codes(&with_out("- .git/\n- tollgate.toml")), "");
}

#[test]
fn r094_an_item_does_not_leave_to_itself_what_it_leaves_alone() {
    let text = with_out("- bin/login (owned by T-001)");
    let (_, report) = read(&text, "work-items/T-001.md");
    let expected = expect![[r#"
        error work_item.owned_by_itself work-items/T-001.md:21: "bin/login" is out of scope because "T-001" owns it, but "T-001" is this item
          help: Name the item that owns it, or put the file in scope
    "#]];
    expected.assert_eq(&shown(&report));
    let (_, report) = read(&text, "work-items/T-002.md");
    assert_eq!(shown(&report), "");
}
