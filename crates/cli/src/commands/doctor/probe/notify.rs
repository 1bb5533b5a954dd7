//! Whether the means of [notify], and the collector of [telemetry], have what they need, without using them.

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
    let collector = config.telemetry.otlp.iter().map(|otlp| collector(otlp, config));
    Means::all(&config.notify).into_iter().map(found).chain(collector).collect()
}

fn collector(otlp: &str, config: &Config) -> DoctorCheck {
    let is_ready = || {
        tollgate_http::headers(&config.telemetry.header_env, |name| std::env::var_os(name))?;
        Ok::<_, String>(tollgate_http::Address::parse(otlp)?.host().to_owned())
    };
    match is_ready() {
        Ok(host) => DoctorCheck::ok("telemetry", format!("traces go to {host}")),
        Err(why) => DoctorCheck::warn("telemetry", why, "set the variable, then try again"),
    }
}
