//! The reference is what the program itself says. `UPDATE_EXPECT=1 cargo test -p tollgate --test it docs_reference` writes it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use expect_test::expect_file;
use std::process::Command;

fn say(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .args(args)
        .env_clear()
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The verbs that a help text lists; none where it lists none.
fn verbs(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("Commands:\n") else { return Vec::new() };
    let list = list.split_once("\n\n").unwrap().0;
    let starts = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = starts.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_commands_are_described_as_the_program_describes_them() {
    let help = say(&["help"]);
    let mut page = format!("# Commands\n\n```text\n{}\n```\n", help.trim_end());
    for verb in verbs(&help) {
        let text = say(&["help", &verb]);
        page.push_str(&format!("\n## tollgate {verb}\n\n```text\n{}\n```\n", text.trim_end()));
        for below in verbs(&text) {
            let text = say(&["help", &verb, &below]);
            let title = format!("### tollgate {verb} {below}");
            page.push_str(&format!("\n{title}\n\n```text\n{}\n```\n", text.trim_end()));
        }
    }
    expect_file!["../../../docs/reference/commands.md"].assert_eq(&page);
}

#[test]
fn every_code_is_explained_in_the_reference() {
    let pages: serde_json::Value = serde_json::from_str(&say(&["explain", "--json"])).unwrap();
    let mut text = "# Codes\n\nWhat `tollgate explain CODE` prints.\n".to_owned();
    for page in pages.as_array().unwrap() {
        let (code, words) = (page["code"].as_str().unwrap(), page["text"].as_str().unwrap());
        text.push_str(&format!("\n## {code}\n\n{}\n", words.trim()));
    }
    expect_file!["../../../docs/reference/codes.md"].assert_eq(&text);
}
