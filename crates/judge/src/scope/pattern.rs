//! Patterns over paths as values, to ask whether two of them have a path in common.

use super::language::Id;

/// Each part of a path by itself.
pub(super) type Pattern = Vec<Part>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Any number of folders.
    Deep,
    /// One name that is one of these.
    One(Vec<Text>),
    /// The name of a test of this stem; `names` are all that it may have.
    Test { language: Id, stem: Text, names: Vec<Text> },
}

/// A text with gaps.
pub(super) type Text = Vec<Token>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Token {
    Char(char),
    AnyOne,
    AnyMany,
}

/// A text without gaps.
pub(super) fn literal(text: &str) -> Text {
    text.chars().map(Token::Char).collect()
}

pub(super) fn one(texts: &[&str]) -> Part {
    Part::One(texts.iter().map(|text| literal(text)).collect())
}

/// Any name that ends so.
pub(super) fn ending(end: &str) -> Text {
    std::iter::once(Token::AnyMany).chain(literal(end)).collect()
}

/// The path itself, whatever signs it has.
pub(super) fn path(path: &str) -> Pattern {
    path.split('/').map(|part| one(&[part])).collect()
}

/// Whether an entry is longer or deeper than people write it: then it counts as everything, since each of its parts would
/// be a place where a tree of tests may begin.
pub(super) fn is_beyond_reading(text: &str) -> bool {
    const BYTES_MAX: usize = 1_024;
    const PARTS_MAX: usize = 32;
    const GAPS_MAX: usize = 4;
    text.len() > BYTES_MAX
        || text.split('/').count() > PARTS_MAX
        || text.matches("**").count() > GAPS_MAX
}

/// A glob, or a folder that ends in `/`, as one pattern for each choice of its braces.
pub(super) fn glob(text: &str) -> Vec<Pattern> {
    const CHOICES_MAX: usize = 64;
    let Some(texts) = without_braces(text, CHOICES_MAX) else { return vec![anything()] };
    texts.iter().map(|text| without_choice(text)).collect()
}

pub(super) fn anything() -> Pattern {
    vec![Part::Deep, Part::One(vec![vec![Token::AnyMany]])]
}

/// Every choice written out; none where there are too many or they are not closed.
fn without_braces(text: &str, choices_max: usize) -> Option<Vec<String>> {
    let mut open = vec![text.to_owned()];
    let mut done = Vec::new();
    while let Some(text) = open.pop() {
        if open.len() + done.len() > choices_max {
            return None;
        }
        // The innermost first, so that what is between has no braces.
        let Some(end) = text.find('}') else {
            if text.contains('{') {
                return None;
            }
            done.push(text);
            continue;
        };
        let start = text[..end].rfind('{')?;
        for choice in text[start + 1..end].split(',') {
            open.push(format!("{}{choice}{}", &text[..start], &text[end + 1..]));
        }
    }
    Some(done)
}

fn without_choice(text: &str) -> Pattern {
    let mut pattern = Pattern::new();
    for part in text.split('/') {
        match part {
            "" => {}
            "**" => add_gap(&mut pattern),
            // A class may hold anything, a `/` too.
            _ if part.contains('[') != part.contains(']') => return anything(),
            _ => pattern.push(Part::One(vec![tokens(part)])),
        }
    }
    if text.ends_with('/') {
        add_gap(&mut pattern);
    }
    if pattern.last() == Some(&Part::Deep) {
        pattern.push(Part::One(vec![vec![Token::AnyMany]]));
    }
    pattern
}

/// Two gaps in a row say what one says.
fn add_gap(pattern: &mut Pattern) {
    if pattern.last() != Some(&Part::Deep) {
        pattern.push(Part::Deep);
    }
}

fn tokens(part: &str) -> Text {
    // Classes and escapes are rare in a scope: they count as any text.
    if part.contains(['[', '\\']) {
        return vec![Token::AnyMany];
    }
    let token = |c| match c {
        '*' => Token::AnyMany,
        '?' => Token::AnyOne,
        c => Token::Char(c),
    };
    part.chars().map(token).collect()
}

/// Whether some path fits both.
pub(super) fn meet(a: &[Part], b: &[Part]) -> bool {
    // The last parts are names and tell most pairs apart.
    match (a.last(), b.last()) {
        (Some(one), Some(other)) if !parts_meet(one, other) => false,
        _ => sequences_meet(a, b, |part| *part == Part::Deep, parts_meet),
    }
}

/// Whether some name fits both parts.
pub(super) fn parts_meet(a: &Part, b: &Part) -> bool {
    let any = |ours: &[Text], theirs: &[Text]| {
        ours.iter().any(|one| theirs.iter().any(|other| texts_meet(one, other)))
    };
    match (a, b) {
        (Part::Deep, _) | (_, Part::Deep) => true,
        (
            Part::Test { language, stem, names },
            Part::Test { language: other_language, stem: other, names: others },
        ) => {
            // Where a stem is open, so are the names around it.
            language == other_language
                && (has_gap(stem)
                    || has_gap(other)
                    || (is_related(stem, other) && any(names, others)))
        }
        (Part::One(ours), Part::One(theirs)) => any(ours, theirs),
        (Part::Test { language, names, .. }, Part::One(texts))
        | (Part::One(texts), Part::Test { language, names, .. }) => {
            let may_be_test = |text: &&Text| {
                let ends = language.test_extensions().chain(["snap"]);
                ends.into_iter().any(|end| may_have_extension(text, end))
            };
            texts.iter().filter(may_be_test).any(|text| any(std::slice::from_ref(text), names))
        }
    }
}

/// Read from its end, as far as no gap leaves it open.
fn may_have_extension(text: &[Token], extension: &str) -> bool {
    let mut tokens = text.iter().rev();
    for expected in extension.chars().rev().chain(['.']) {
        match tokens.next() {
            Some(Token::AnyMany) => return true,
            Some(Token::AnyOne) => {}
            Some(Token::Char(c)) if *c == expected => {}
            _ => return false,
        }
    }
    true
}

/// Whether it is more than one text.
pub(super) fn has_gap(text: &[Token]) -> bool {
    text.iter().any(|token| !matches!(token, Token::Char(_)))
}

/// Names around two stems are equal only where one stem is in the other; this spares most comparisons.
fn is_related(a: &[Token], b: &[Token]) -> bool {
    let holds = |long: &[Token], short: &[Token]| {
        short.is_empty() || long.windows(short.len()).any(|window| window == short)
    };
    holds(a, b) || holds(b, a)
}

pub(super) fn texts_meet(a: &[Token], b: &[Token]) -> bool {
    sequences_meet(
        a,
        b,
        |token| *token == Token::AnyMany,
        |a, b| match (a, b) {
            (Token::Char(a), Token::Char(b)) => a == b,
            _ => true,
        },
    )
}

/// Two sequences with gaps: row by row, whether what is read so far of both can be the same.
fn sequences_meet<T>(
    a: &[T],
    b: &[T],
    is_gap: impl Fn(&T) -> bool,
    is_same: impl Fn(&T, &T) -> bool,
) -> bool {
    // What comes before the first gap and behind the last one tells most pairs apart.
    let (mut a, mut b) = (a, b);
    while let (Some((one, rest)), Some((other, others))) = (a.split_first(), b.split_first()) {
        if is_gap(one) || is_gap(other) {
            break;
        }
        if !is_same(one, other) {
            return false;
        }
        (a, b) = (rest, others);
    }
    while let (Some((one, rest)), Some((other, others))) = (a.split_last(), b.split_last()) {
        if is_gap(one) || is_gap(other) {
            break;
        }
        if !is_same(one, other) {
            return false;
        }
        (a, b) = (rest, others);
    }
    if a.is_empty() || b.is_empty() {
        return a.iter().chain(b).all(is_gap);
    }
    let mut row: Vec<bool> = vec![true];
    row.extend(b.iter().scan(true, |reached, part| {
        *reached = *reached && is_gap(part);
        Some(*reached)
    }));
    for one in a {
        let mut next = vec![row[0] && is_gap(one)];
        for (j, other) in b.iter().enumerate() {
            let by_gap = (is_gap(one) || is_gap(other)) && (row[j + 1] || next[j]);
            let by_same = !is_gap(one) && !is_gap(other) && row[j] && is_same(one, other);
            next.push(by_gap || by_same);
        }
        row = next;
    }
    row.last().copied().unwrap_or(false)
}
