//! What an accepted reply asks for beside its own work, in words.

use super::{Line, Tone, about, detail, who};
use crate::id::{DispatchNumber, TaskRef};
use crate::role::Role;
use crate::session::Session;

pub(super) fn by_hand(session: &Session, number: DispatchNumber, text: &str) -> Line {
    detail(Tone::Note, "by hand", about(&who(session, number), text))
}

pub(super) fn look(
    session: &Session,
    task: &TaskRef,
    role: Role,
    by: DispatchNumber,
    concerns: &[String],
) -> Line {
    let asked = format!("{} asks for {role} to look at {task}", who(session, by));
    let text = match concerns {
        [] => asked,
        concerns => about(&asked, &concerns.join("; ")),
    };
    detail(Tone::Note, "look", text)
}
