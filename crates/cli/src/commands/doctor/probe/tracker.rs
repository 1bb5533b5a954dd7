//! Whether a tracker could be reached, without asking it.

use super::DoctorCheck;
use tollgate_contract::config::{Config, TrackerKind};
use tollgate_git::repository::Repository;
use tollgate_tracker::TrackerError;
use tollgate_tracker::login::TrackerLogin;
use tollgate_tracker::place::{Api, Slug};

/// A run works without a tracker, so this never fails.
pub(super) fn finding(repository: &Repository, config: &Config) -> Option<DoctorCheck> {
    if config.tracker == TrackerKind::Files {
        return None;
    }
    let found = found(repository, config);
    Some(found.unwrap_or_else(|error| {
        let fix = "`tollgate labels sync` tests it once this is fixed";
        DoctorCheck::warn("tracker", error.to_string(), fix)
    }))
}

fn found(repository: &Repository, config: &Config) -> Result<DoctorCheck, TrackerError> {
    let lookup = |name: &str| std::env::var_os(name);
    let api = Api::from_environment(&lookup)?;
    let slug = Slug::of(config.tracker_repository.as_deref(), repository, &api)?;
    let login = TrackerLogin::find(&api, &lookup)?;
    let (site, from) = (api.site(), login.from());
    Ok(DoctorCheck::ok(
        "tracker",
        format!("issues of {slug} on {site}, with the login from {from}"),
    ))
}
