//! The small set of moves that every theme makes: ask, escalate, record a finding, open a dispatch, start an attempt, close it, open a
//! repair, enter a step. A theme imports moves; a move imports no theme.

pub(super) mod ask;
pub(super) mod attempt;
pub(super) mod ending;
pub(super) mod enter;
pub(super) mod escalate;
pub(super) mod finding;
pub(super) mod made;
pub(super) mod named;
pub(super) mod open;
mod remedy;
pub(super) mod repair;
pub(super) mod settle;
pub(super) mod tried;
