//! What a run may take, by what similar sessions took here.

use tollgate_core::count::counted;
use tollgate_core::view::{Standing, Summary};
use tollgate_host::context::Context;
use tollgate_host::sessions::{self, Measure};

/// In words, where sessions of the same action are done here.
pub fn of(context: &Context, action: &str) -> Option<String> {
    let state = Some(context.state_home.as_path());
    let listed = sessions::summaries(&context.layout, state, Measure::Nothing).ok()?;
    let is_similar = |summary: &Summary| {
        summary.standing == Some(Standing::Done) && summary.action.as_deref() == Some(action)
    };
    let similar: Vec<Summary> =
        listed.into_iter().map(|one| one.summary).filter(is_similar).collect();
    words(&similar)
}

fn words(similar: &[Summary]) -> Option<String> {
    let dispatches = median(similar.iter().map(|one| one.dispatches).collect())?;
    let minutes = median(similar.iter().map(|one| one.agent_ms).collect())? / 60_000;
    let minutes = match minutes {
        0 => "less than a minute".to_owned(),
        minutes => counted(usize::try_from(minutes).unwrap_or(usize::MAX), "minute"),
    };
    // In hundredths, because only whole numbers have an order.
    let cents = similar.iter().filter_map(|one| one.usd).map(|usd| (usd * 100.0).round() as u64);
    let price = match median(cents.collect()) {
        Some(cents) => format!(", ${}.{:02}", cents / 100, cents % 100),
        None => String::new(),
    };
    let as_what = match similar.len() {
        1 => "session of this action that is".to_owned(),
        count => format!("{count} sessions of this action that are"),
    };
    Some(format!(
        "about {}, {minutes} of agent time{price} (as the {as_what} done here)",
        counted(dispatches, "dispatch")
    ))
}

fn median<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use tollgate_core::id::SessionName;

    #[test]
    fn the_middle_of_what_similar_sessions_took_is_told() {
        let took = |dispatches, minutes: u64, usd| Summary {
            dispatches,
            agent_ms: minutes * 60_000,
            usd,
            ..Summary::unknown(SessionName::parse("2026-11-15_x").unwrap())
        };
        assert_eq!(words(&[]), None);
        let similar = [took(9, 1, None), took(11, 12, Some(0.804)), took(30, 90, Some(0.5))];
        let told = words(&similar).unwrap();
        assert!(told.starts_with("about 11 dispatches, 12 minutes of agent time, $0.80"), "{told}");
        assert!(told.ends_with("(as the 3 sessions of this action that are done here)"), "{told}");
        let unknown = words(&[took(1, 0, None)]).unwrap();
        assert!(unknown.starts_with("about 1 dispatch, less than a minute"), "{unknown}");
        assert!(
            unknown.ends_with("(as the session of this action that is done here)"),
            "{unknown}"
        );
        assert!(!unknown.contains('$'), "{unknown}");
    }
}
