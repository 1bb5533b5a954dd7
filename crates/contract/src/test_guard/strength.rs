//! How much an assertion demands: a value, a part of it, or only that something is there.

/// The whole value, or an error that must come.
pub(super) const VALUE: u8 = 3;
const PART: u8 = 2;
const PRESENCE: u8 = 1;

/// Of a statement without its comments.
pub(super) fn of(statement: &str) -> u8 {
    let plain: String = statement.chars().filter(|c| !c.is_whitespace()).collect();
    let lower = plain.to_ascii_lowercase();
    let has = |marks: &[&str]| marks.iter().any(|mark| lower.contains(mark));
    // Whatever comes is right.
    if has(&[
        "anything()", "objectcontaining({})", "arraycontaining([])", "mock.any", "stringcontaining('')",
        "mock.anything", "any(string)", "==any", "/.*/", "(?s).*", "gomock.any", "stringcontaining(\"\")",
        "toinclude('')", "contain('')", "match(/(?:)/)", "issubset", "any(object)", "any(function)",
        "tomatchobject({})", "typeof",
    ]) {
        return PRESENCE;
    }
    if has(&[
        "tobedefined(", "tobetruthy(", "not.tobenull", "not.tobeundefined", "isnotnone", "isnotnull",
        "notnull(", "notnil", "isnot none", "isnotnil", "!=nil", "tobe.ok", "assert.ok(", "be_truthy",
        "to.exist", "to.not.be.null", "tobegreaterthan", "greaterorequal", "assertgreater", "tobelessthan",
        "assertless", "isinstance(", "tobeinstanceof", "instanceof", "is_some()", "is_ok()", "not.tothrow",
        "doesnotthrow", "nothing_raised", "tobeinthedocument(", "notempty", "not_to.be_nil", "notto(be_nil",
        "be_present", "assert_not_nil", "refute_nil", "assertnotnull", "assertnotnone", "iscallable", "callable(",
        "respond_to", "not_tobe_nil", "be_a(", "be_an(", "hasattr(", "not.toequal(", "assertnotequal",
        "not_to eq", "assert_ne!", "notequal(", "tohavelength", "islist", "isarray", "assertisarray",
        "assertisstring", "assertisint", "isnumber", "tobe.a(", "assertinstanceof", "not_toeq", "matches!(",
    ]) || is_bound(&lower)
        || is_bare(&lower)
    {
        return PRESENCE;
    }
    if has(&[
        "tocontain", "tomatch", "assertin(", "contains(", "objectcontaining", "arraycontaining", "include(",
        "assertregex", "tohaveproperty", "tohavebeencalled()", "match(", "startswith", "endswith",
    ]) {
        return PART;
    }
    VALUE
}

/// Only a bound, where a value could stand.
fn is_bound(lower: &str) -> bool {
    let has_bound = [">=", "<=", "-ge", "-le", ">0", "!="].iter().any(|sign| lower.contains(sign));
    has_bound && !lower.contains("==") && !lower.contains("=>")
}

/// `assert x`, `assertTrue(x)`, `assert!(x)` without a comparison.
fn is_bare(lower: &str) -> bool {
    const TRUTH: &[&str] = &["assert", "asserttrue(", "assert!(", "assert.true(", "assert.istrue(", "self.asserttrue("];
    let rest = TRUTH.iter().rev().find_map(|start| lower.strip_prefix(start));
    let Some(rest) = rest else { return false };
    let is_name = rest.chars().all(|c| c.is_alphanumeric() || "_.[]()'\"$,->".contains(c));
    is_name && !rest.contains('(') && !rest.contains(',')
        || (is_name && rest.ends_with("()") && false)
}
