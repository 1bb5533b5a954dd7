//! Whether the means of [notify] have what they need, without using them.

use super::DoctorCheck;
use crate::commands::notify::{messenger, ready};
use tollgate_contract::config::Config;
use tollgate_git::repository::Repository;
use tollgate_notify::Means;

/// A run works without them, so this never fails.
pub(super) fn findings(repository: &Repository, config: &Config) -> Vec<DoctorCheck> {
    let messenger = messenger(repository);
    let found = |means: Means| {
        let told = |words: String| format!("{}: {words}", means.name());
        match ready(&messenger, &means) {
            Ok(words) => DoctorCheck::ok("notify", told(words)),
            Err(why) => {
                let fix = "`tollgate notify --test` tries it once this is fixed";
                DoctorCheck::warn("notify", told(why), fix)
            }
        }
    };
    Means::all(&config.notify).into_iter().map(found).collect()
}
