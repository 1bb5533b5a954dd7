//! How much an assertion demands: a value, a part of it, or only that something is there.

use super::tolerance::arguments;

/// An error that must come, and what it says.
pub(super) const MESSAGE: u8 = 4;
/// The whole value, or an error that must come.
pub(super) const VALUE: u8 = 3;
pub(super) const PART: u8 = 2;
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
    ",some(_)",
    ",ok(_)",
    ",err(_)",
    "tobeint",
    "tobestring",
    "tobearray",
    "tobebool",
    "tobefloat",
    "tobenumeric",
    "tobeobject",
    "tobeiterable",
    "tobecallable",
    "assertisbool",
    "assertisfloat",
    "assertisobject",
    "assertisnumeric",
    "assertiscallable",
    "assertisiterable",
    "is_int(",
    "is_string(",
    "is_array(",
    "is_numeric(",
    "kind_of",
    "instance_of",
    "beoftype",
    "istype<",
    "assignable",
    "to.be.an(",
    "notbenull",
    "shouldnotbe",
    "notbe(",
    "notzero",
    "notbeempty",
    "not.be.empty",
    "not_tobe_empty",
    "asserttype(",
    "refute_empty",
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
    "matches!(",
    "inrange(",
    "isbetween(",
    "be_between(",
    "tobebetween(",
    "containsstring",
    "assertcontains",
    "assert_includes",
    "assert_match",
    "assertmatches",
    "greaterthan",
    "lessthan",
    "positive(",
    "be_positive",
    "is.positive",
    "be.above(",
    "be.below(",
    "is_err()",
    "assert.error(",
    "require.error(",
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
        || takes_whatever_comes(&lower)
        || fallback(&plain).is_some_and(|value| plain.matches(value).count() > 1)
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
        "expect.any(",
        "jasmine.any(",
        "==any",
        "/.*/",
        "(?s).*",
        "gomock.any",
        "stringcontaining(\"\")",
        "toinclude('')",
        "contain('')",
        "match(/(?:)/)",
        "issubset",
        "tomatchobject({})",
        "typeof",
    ]) {
        return PRESENCE;
    }
    if says_which_error(&lower) {
        return MESSAGE;
    }
    if has(ANYTHING) || is_bound(&lower) || is_bare(statement, &lower) {
        return PRESENCE;
    }
    let is_listed = [" in (", " in [", " in {"].iter().any(|list| statement.contains(list));
    let is_part = has(PRESENT) || is_listed || is_above_or_below(&lower);
    let is_less =
        is_length(&lower) || is_not_empty(&lower) || is_either(statement) || is_unordered(&lower);
    if is_less || is_part && !is_equality(statement, &lower) { PART } else { VALUE }
}

/// What is compared may have the name of a matcher: `assertEquals(match, router.match(path))`.
fn is_equality(statement: &str, lower: &str) -> bool {
    const EQUAL: &[&str] = &[
        "assertequal",
        "assert_equal",
        "assert_eq!",
        "areequal",
        "isequalto(",
        "assertsame(",
        ".toequal(",
    ];
    const OTHER: &[&str] = &["true", "false", "containing"];
    let has = |marks: &[&str]| marks.iter().any(|mark| lower.contains(mark));
    let is_infix = statement.contains(" shouldBe ");
    (has(EQUAL) || is_infix) && !has(OTHER)
}

/// How many there are says less than which.
fn is_length(lower: &str) -> bool {
    const LENGTHS: &[&str] = &[
        "(len(",
        ",len(",
        "assertlen(",
        ".length)",
        ".length==",
        ".size()",
        "hassize(",
        "assertcount(",
    ];
    let is_rust = lower.contains("assert_eq!(") && lower.contains(".len()");
    is_rust || LENGTHS.iter().any(|length| lower.contains(length))
}

/// One of two values, where one was asked for.
fn is_either(statement: &str) -> bool {
    let has_way = statement.contains("||") || statement.contains(" or ");
    has_way && statement.matches("==").count() > 1
}

/// The same things in whatever order.
fn is_unordered(lower: &str) -> bool {
    const ANY_ORDER: &[&str] = &[
        "elementsmatch(",
        "inanyorder(",
        "contain_exactly(",
        "match_array(",
        "assertcountequal(",
        "canonicalizing(",
    ];
    let is_twice = |call: &str| lower.matches(call).count() > 1;
    is_twice("sorted(") || is_twice("set(") || ANY_ORDER.iter().any(|call| lower.contains(call))
}

fn is_not_empty(lower: &str) -> bool {
    let is_negated = ["assert!(!", "assertfalse(", "assertnot", "refute"];
    let asks = [".is_empty()", ".isempty()", ".empty?"].iter().any(|call| lower.contains(call));
    asks && is_negated.iter().any(|start| lower.contains(start))
}

/// The default for a value that is missing or too small: `x ?? 5`, `x.unwrap_or(5)`. The text has no spaces.
pub(super) fn fallback(plain: &str) -> Option<&str> {
    const MARKS: &[&str] = &[
        "??",
        "?:",
        "||",
        ".unwrap_or(",
        ".coerceAtLeast(",
        ".coerceAtMost(",
        ".orElse(",
        ".getOrElse(",
        ".GetValueOrDefault(",
    ];
    let (at, mark) = MARKS.iter().find_map(|mark| Some((plain.find(mark)?, mark)))?;
    let rest = &plain[at + mark.len()..];
    let mut depth = 0;
    let end = rest.find(|c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' | ',' | ';' if depth == 0 => return true,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        false
    });
    Some(&rest[..end.unwrap_or(rest.len())]).filter(|value| !value.is_empty())
}

/// A condition of its own that always holds.
fn takes_whatever_comes(lower: &str) -> bool {
    let is_own = lower.contains("satisf") || lower.contains(".matches(");
    is_own && ["{true", ">true)", "|true)", ">{}"].iter().any(|end| lower.contains(end))
}

/// Its text or a pattern for it, not only its type.
fn says_which_error(lower: &str) -> bool {
    let behind = |call: &str| lower.split_once(call).map_or("", |(_, rest)| rest);
    let is_quoted = |call: &str| behind(call).contains(['"', '\'', '/', '`']);
    [".tothrow(", ".tothrowerror(", "raise_error("].iter().any(|call| is_quoted(call))
        || behind("raises(").contains("match=")
        || ["raisesregex(", "hasmessage", "withmessage(", "raises_with_message"]
            .iter()
            .any(|call| lower.contains(call))
}

/// `x > 3`, where the number is not a tolerance.
fn is_above_or_below(lower: &str) -> bool {
    let is_tolerance = ["abs", "delta", "epsilon"].iter().any(|word| lower.contains(word));
    let bytes = lower.as_bytes();
    let is_sign = |three: &[u8]| {
        matches!(three[1], b'<' | b'>') && three[2].is_ascii_digit() && !b"<>=-".contains(&three[0])
    };
    !is_tolerance && !lower.contains("==") && bytes.windows(3).any(is_sign)
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
    // A value in the place of the message is compared with nothing.
    let second = arguments(&format!("({rest}")).into_iter().nth(1).unwrap_or_default();
    let is_value = second.starts_with(|c: char| c.is_ascii_digit() || "-[{(".contains(c));
    let plain = rest.trim_end_matches([')', ';']);
    is_value || plain.chars().all(|c| c.is_alphanumeric() || "_.".contains(c))
}

/// Of the condition under which a Go test fails.
pub(super) fn of_condition(head: &str) -> u8 {
    let plain: String = head.chars().filter(|c| !c.is_whitespace()).collect();
    let compares = plain.contains("!=") || plain.contains("if!") || plain.contains(";!");
    if plain.contains("&&") && plain.contains("false") {
        return 0;
    }
    if plain.starts_with("iflen(") && plain.contains("!=") || plain.contains("&&") {
        return PART;
    }
    if compares { VALUE } else { PRESENCE }
}

/// Of a line of a shell test.
pub(super) fn of_shell(line: &str) -> u8 {
    let has = |marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
    let is_presence = has(&[
        "test -n",
        "[ -n",
        "[[ -n",
        "-ge 0",
        "|| true",
        "|| :",
        "[ -z \"\"",
        "-ne 99",
        "== * ]",
        "=~ .*",
    ]);
    match is_presence {
        true => PRESENCE,
        false if has(&[" -le ", " -ge ", " -lt ", " -gt ", " -ne "]) => PART,
        false => VALUE,
    }
}
