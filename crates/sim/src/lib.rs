//! The doubter: the real engine in a false world by seed. It must find every bug that is planted in it.

pub mod action;
mod bug;
mod chance;
mod costs;
mod crew;
mod journal;
mod people;
mod repository;
mod route;
mod violation;
mod witness;
mod workload;
mod world;

pub use bug::Bug;
pub use violation::Violation;
pub use world::{Report, Run};

/// One workload in both worlds: the kind one first, because crashes can hide hangs.
pub fn doubt(seed: u64) -> Result<(), String> {
    for faults in [false, true] {
        let run = Run { seed, faults, bug: None };
        if let Err(violation) = run.live() {
            return Err(story(&run, &violation));
        }
    }
    Ok(())
}

/// The run told again from its seed, up to where the rule was broken.
pub fn story(run: &Run, violation: &Violation) -> String {
    let mut lines = Vec::new();
    let again = run.tell(&mut lines).err();
    let shown = lines[lines.len().saturating_sub(60)..].join("\n");
    format!(
        "seed {} ({} faults) breaks {violation}\n{shown}\nthe same again: {}",
        run.seed,
        if run.faults { "with" } else { "without" },
        again.as_ref() == Some(violation)
    )
}
