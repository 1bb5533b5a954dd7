//! One verb, one file.

pub mod answer;
pub mod cancel;
pub mod demo;
pub mod resume;
pub mod run;
pub mod status;
