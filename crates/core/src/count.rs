//! Numbers of things, with real plurals.

/// `1 file`, `2 files`, `3 dispatches`.
pub fn counted<N: std::fmt::Display + PartialEq + From<u8>>(count: N, one: &str) -> String {
    let ending = match (count == N::from(1), one.ends_with("ch")) {
        (true, _) => "",
        (false, true) => "es",
        (false, false) => "s",
    };
    format!("{count} {one}{ending}")
}
