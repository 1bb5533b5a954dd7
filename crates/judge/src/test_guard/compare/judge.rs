//! A test before the change and the same test after it: which of the two demands more.

use super::{Elsewhere, Test};
use crate::test_guard::facts::Asserted;
use crate::test_guard::{Kind, strength};

/// In words, when it demands less.
pub(super) fn worse(old: &Test, new: &Test, elsewhere: &Elsewhere) -> Option<(Kind, String)> {
    // A macro that makes tests has the body of none.
    if new.name.starts_with('$') {
        return None;
    }
    let name = crate::quote(&new.name);
    let emptied = |what: &str| Some((Kind::Emptied, format!("the test {name} {what}")));
    if new.is_skipped {
        let message = format!("the test {name} ran before and is now skipped");
        return (!old.is_skipped).then_some((Kind::Skipped, message));
    }
    let (before, after) = (&old.facts, &new.facts);
    if before.total() > 0 && after.total() == 0 {
        return emptied("no longer asserts anything that could fail");
    }
    if after.is_empty && !before.is_empty {
        return emptied("no longer does anything");
    }
    if after.firm < before.firm && after.soft > before.soft {
        return emptied("reaches an assertion only under a condition, or ignores its failure");
    }
    if after.early > before.early {
        return emptied("ends early under a condition, before its assertions");
    }
    if after.by_marks > before.by_marks && is_kept(&before.asserted, &after.asserted) {
        return emptied("is now expected to fail");
    }
    if after.by_marks > 0 && after.throws > before.throws {
        return emptied("raises the error that it expects by itself");
    }
    if old.expects.is_some()
        && new.expects.as_deref().is_some_and(is_any_error)
        && old.expects != new.expects
    {
        return emptied("now accepts any error");
    }
    if let Some(replaced) = new.replaced.difference(&old.replaced).next() {
        return emptied(&format!("puts something else in place of {replaced:?}, which it tests"));
    }
    if let Some(name) = left(old, new) {
        return emptied(&format!("no longer calls {name:?}"));
    }
    if after.cases < before.cases
        && new.rows() < before.cases
        && after.asserted.len() <= before.asserted.len()
    {
        let (old, new) = (before.cases, after.cases);
        let message =
            format!("the test {name} runs over {new} values or cases; before, it ran over {old}");
        return Some((Kind::FewerTests, message));
    }
    if after.cuts > before.cuts && old.rows() > 0 {
        let message = format!("the test {name} leaves out rows that it ran over before");
        return Some((Kind::FewerTests, message));
    }
    // An exact value may become a close one, but not any one.
    let is_wide = new.tolerances.len() > old.tolerances.len()
        && after.asserted.len() <= before.asserted.len()
        && new.tolerances.iter().any(|wide| *wide >= 1.0 && !old.tolerances.contains(wide));
    if is_wide || is_looser(&old.tolerances, &new.tolerances) {
        return emptied("allows a larger difference");
    }
    let gone = weaker(&before.asserted, &after.asserted, elsewhere)?;
    let gone = crate::quote(gone);
    emptied(&format!("demands less: {gone} is gone or became weaker"))
}

/// The function that the test has its name from is not called, and no other one in its place.
fn left<'t>(old: &'t Test, new: &Test) -> Option<&'t str> {
    const NAME_BYTES_MIN: usize = 4;
    let has_other = new.calls.iter().any(|name| !old.calls.contains(name));
    let title: String = new.name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let mut gone = old.calls.iter().filter(|name| !new.calls.contains(*name));
    let is_its = |name: &&String| {
        let plain: String = name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        plain.len() >= NAME_BYTES_MIN && title.contains(&plain)
    };
    gone.find(is_its).map(String::as_str).filter(|_| !has_other)
}

fn is_any_error(name: &str) -> bool {
    matches!(name, "Throwable" | "Exception" | "Error" | "RuntimeException")
}

fn is_kept(old: &[Asserted], new: &[Asserted]) -> bool {
    !old.is_empty() && old.iter().all(|one| new.iter().any(|other| other.text == one.text))
}

fn is_looser(old: &[f64], new: &[f64]) -> bool {
    old.len() == new.len() && old.iter().zip(new).any(|(old, new)| new > old)
}

/// An assertion that is gone, and nothing as strong came for it.
fn weaker<'a>(old: &'a [Asserted], new: &[Asserted], elsewhere: &Elsewhere) -> Option<&'a str> {
    let mut kept: Vec<&str> = new.iter().map(|one| one.text.as_str()).collect();
    let mut gone: Vec<&Asserted> = Vec::new();
    for one in old {
        match kept.iter().position(|text| *text == one.text) {
            Some(place) if !is_recomputed(new, &one.text, one.strength) => {
                kept.swap_remove(place);
            }
            _ => gone.push(one),
        }
    }
    let added = new.iter().filter(|one| {
        !old.iter().any(|known| known.text == one.text && known.strength <= one.strength)
    });
    let values = added.clone().filter(|one| one.strength >= strength::VALUE).count();
    let best = added.map(|one| one.strength).max();
    let has_value = new.iter().any(|one| one.strength >= strength::VALUE);
    let is_lost = |one: &&&Asserted| {
        // What an error says may be compared after it came.
        let is_split = one.strength == strength::MESSAGE && values > 1;
        let is_weaker = best.is_none_or(|best| best < one.strength) && !is_split;
        let is_recomputed = is_recomputed(new, &one.text, one.strength);
        // That something is there is shown by what is said of it.
        let is_said = one.strength == 1 && has_value;
        is_weaker && !is_said && one.strength > 0 && (is_recomputed || !elsewhere.has(&one.text))
    };
    gone.iter().find(is_lost).map(|one| one.text.as_str())
}

/// The same words, but their other side is computed in the test now.
fn is_recomputed(new: &[Asserted], text: &str, strength: u8) -> bool {
    new.iter().any(|one| one.text == text && one.strength < strength)
}
