//! How much an assertion demands: a value, a part of it, or only that something is there.

/// The whole value, or an error that must come.
pub(super) const VALUE: u8 = 3;
const PART: u8 = 2;
const PRESENCE: u8 = 1;

/// Whatever comes is right.
const ANYTHING: &[&str] = &[
    "tobedefined(",
    "tobetruthy(",
    "not.tobenull",
    "not.tobeundefined",
    "isnotnone",
    "isnotnull",
    "notnull(",
    "notnil",
    "isnot none",
    "isnotnil",
    "!=nil",
    "tobe.ok",
    "assert.ok(",
    "be_truthy",
    "to.exist",
    "to.not.be.null",
    "tobegreaterthan",
    "greaterorequal",
    "assertgreater",
    "tobelessthan",
    "assertless",
    "isinstance(",
    "tobeinstanceof",
    "instanceof",
    "is_some()",
    "is_ok()",
    "not.tothrow",
    "doesnotthrow",
    "nothing_raised",
    "tobeinthedocument(",
    "notempty",
    "not_to.be_nil",
    "notto(be_nil",
    "be_present",
    "assert_not_nil",
    "refute_nil",
    "assertnotnull",
    "assertnotnone",
    "iscallable",
    "callable(",
    "respond_to",
    "not_tobe_nil",
    "be_a(",
    "be_an(",
    "hasattr(",
    "not.toequal(",
    "assertnotequal",
    "not_to eq",
    "assert_ne!",
    "notequal(",
    "tohavelength",
    "islist",
    "isarray",
    "assertisarray",
    "assertisstring",
    "assertisint",
    "isnumber",
    "tobe.a(",
    "assertinstanceof",
    "not_toeq",
    "matches!(",
];
/// Something is there, or has a kind or a bound.
const PRESENT: &[&str] = &[
    "tocontain",
    "tomatch",
    "assertin(",
    "contains(",
    "objectcontaining",
    "arraycontaining",
    "include(",
    "assertregex",
    "tohaveproperty",
    "tohavebeencalled()",
    "match(",
    "startswith",
    "endswith",
    "raises(exception)",
    "raises(exception,",
    "throwsany<exception>",
    "throwable.class",
    "assertraises(exception)",
    "raise_error do",
    "(exception.class",
    "throws<exception>",
    "raises(baseexception",
    "tothrow()",
    "expectexception(\\throwable",
    "assert_raises(standarderror)",
    "raise_error}",
    "expectexception(throwable",
];

/// Of a statement without its comments.
pub(super) fn of(statement: &str) -> u8 {
    let plain: String = statement.chars().filter(|c| !c.is_whitespace()).collect();
    let lower = plain.to_ascii_lowercase();
    let has = |marks: &[&str]| marks.iter().any(|mark| lower.contains(mark));
    let is_of_empty =
        ["contains(", "include(", "contain(", "match("].iter().any(|call| lower.contains(call))
            && [",\"\")", ",'')", "(\"\")", "('')"].iter().any(|end| lower.contains(end));
    if is_of_empty
        || has(&[
            "\"\"in",
            "''in",
            "atleast(0)",
            "debug_assert",
            "isnotnegative",
            "is.not.null",
            "-ge0",
            "iferror(",
        ])
    {
        return PRESENCE;
    }
    // Whatever comes is right.
    if has(&[
        "anything()",
        "objectcontaining({})",
        "arraycontaining([])",
        "mock.any",
        "stringcontaining('')",
        "mock.anything",
        "any(string)",
        "==any",
        "/.*/",
        "(?s).*",
        "gomock.any",
        "stringcontaining(\"\")",
        "toinclude('')",
        "contain('')",
        "match(/(?:)/)",
        "issubset",
        "any(object)",
        "any(function)",
        "tomatchobject({})",
        "typeof",
    ]) {
        return PRESENCE;
    }
    if has(ANYTHING) || is_bound(&lower) || is_bare(statement, &lower) {
        return PRESENCE;
    }
    if has(PRESENT) || [" in (", " in [", " in {"].iter().any(|list| statement.contains(list)) {
        return PART;
    }
    VALUE
}

/// Only a bound, where a value could stand.
fn is_bound(lower: &str) -> bool {
    let has_bound = [">=", "<=", "-ge", "-le", ">0", "!="].iter().any(|sign| lower.contains(sign));
    has_bound && !lower.contains("==") && !lower.contains("=>")
}

/// `assert x`, `assertTrue(x)` without a comparison or a call.
fn is_bare(statement: &str, lower: &str) -> bool {
    const COMPARES: &[&str] = &[
        "==",
        "!=",
        "<",
        ">",
        " in ",
        " is ",
        "=~",
        "?",
        " not ",
        "all(",
        "any(",
        "isinstance",
        "startswith",
        "endswith",
    ];
    if let Some(rest) = statement.trim_start().strip_prefix("assert ") {
        return !COMPARES.iter().any(|sign| rest.contains(sign))
            && !rest.trim_start().starts_with("not ");
    }
    const TRUTH: &[&str] =
        &["asserttrue(", "assert!(", "assert.true(", "assert.istrue(", "self.asserttrue("];
    let Some(rest) = TRUTH.iter().find_map(|start| lower.strip_prefix(start)) else { return false };
    rest.trim_end_matches([')', ';']).chars().all(|c| c.is_alphanumeric() || "_.".contains(c))
}

/// Of the condition under which a Go test fails.
pub(super) fn of_condition(head: &str) -> u8 {
    let plain: String = head.chars().filter(|c| !c.is_whitespace()).collect();
    let compares = plain.contains("!=") || plain.contains("if!") || plain.contains(";!");
    if plain.contains("&&") && plain.contains("false") {
        return 0;
    }
    if compares { VALUE } else { PRESENCE }
}

/// Of a line of a shell test.
pub(super) fn of_shell(line: &str) -> u8 {
    let has = |marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
    let is_presence =
        has(&["test -n", "[ -n", "[[ -n", "-ge 0", "|| true", "|| :", "[ -z \"\"", "-ne 99"]);
    if is_presence { PRESENCE } else { VALUE }
}
