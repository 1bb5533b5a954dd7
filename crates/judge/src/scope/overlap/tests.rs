//! Entries that nobody would write cost no more than plain ones.

use super::*;

fn reach(entries: &[&str]) -> Reach {
    Reach::of(&entries.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>())
}

fn count(reach: &Reach) -> usize {
    reach.groups.iter().map(|group| group.patterns.len()).sum()
}

#[test]
fn gaps_in_a_row_are_one() {
    assert_eq!(count(&reach(&["src/**/**/*.ts"])), count(&reach(&["src/**/*.ts"])));
    assert_eq!(count(&reach(&["src/**/"])), count(&reach(&["src/"])));
}

#[test]
fn an_entry_that_nobody_would_write_counts_as_everything() {
    let deep = "a/".repeat(40);
    let choices = format!("src/{{{}}}/x.ts", ",".repeat(500));
    let nested = format!("src/{}{}", "{a,".repeat(200), "}".repeat(200));
    let hostile = [
        "**/".repeat(10),
        "**/".repeat(40),
        "**/a/".repeat(40),
        "a**".repeat(300),
        format!("{deep}x.rs"),
        "x".repeat(100_000),
        choices,
        nested,
    ];
    let one = reach(&["src/a.ts"]);
    for entry in &hostile {
        let wide = reach(&[entry]);
        assert!(wide.is_everything && count(&wide) == 0, "{entry:.40}");
        assert!(wide.may_meet(&one) && one.may_meet(&wide), "{entry:.40}");
        assert!(!wide.may_meet(&reach(&[])), "{entry:.40}");
    }
}

#[test]
fn a_scope_of_too_many_patterns_counts_as_everything() {
    let entries: Vec<String> = (0..1_000).map(|n| format!("a{n}/*/*/*/*/b/")).collect();
    let wide = Reach::of(&entries);
    assert!(wide.is_everything && count(&wide) == 0);
    assert!(!reach(&["src/**/*.ts", "docs/", "src/a/b/c/d.py"]).is_everything);
}

#[test]
fn where_no_effort_is_left_scopes_meet() {
    let (one, other) = (reach(&["src/a/"]), reach(&["src/b/"]));
    assert!(!one.may_meet(&other));
    let mut effort = Effort::default();
    assert!(!one.may_meet_within(&other, &mut effort));
    effort.left = 10;
    assert!(one.may_meet_within(&other, &mut effort));
    assert!(!one.may_meet_within(&reach(&[]), &mut effort), "nothing meets nothing");
}
