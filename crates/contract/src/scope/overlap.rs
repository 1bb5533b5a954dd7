//! Whether two scopes may have a file in common.
pub fn may_overlap(a: &[String], b: &[String]) -> bool {
    a.iter().any(|x| b.contains(x))
}
