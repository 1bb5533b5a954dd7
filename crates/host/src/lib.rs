//! placeholder

pub mod clock;
pub mod files;
pub mod inbox;
pub mod journal;
pub mod layout;
pub mod lock;
