//! What a test does: its assertions one by one, and which of them can be passed by.

use super::assertions;
use super::blocks::{self, Block, Kind, begins_statement, line_of, never_runs, statement_end};
use super::cases;
use super::found::Found;
use super::language::Language;
use super::lex::Source;
use super::scan::{line_start, part, word_at, words};
use super::strength;
use super::swallow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

#[derive(Debug, Default, Clone)]
pub(super) struct Facts {
    pub asserted: Vec<Asserted>,
    /// Those that nothing is in the way of.
    pub firm: usize,
    /// Those behind a condition, a return, a handler or a function that nobody calls.
    pub soft: usize,
    /// Ways out under a condition, before the last assertion.
    pub early: usize,
    /// Rows of the tables that it runs over.
    pub cases: usize,
    pub is_empty: bool,
    /// In the attributes before it: an error that must come.
    pub by_marks: usize,
    /// Errors that the test raises itself.
    pub throws: usize,
    /// Places where it leaves out rows of what it runs over.
    pub cuts: usize,
}

/// One assertion, as it is without its layout.
#[derive(Debug, Clone)]
pub(super) struct Asserted {
    pub text: String,
    pub strength: u8,
}

impl Facts {
    pub(super) fn of(source: &Source<'_>, helpers: &HashSet<&str>, test: &Found) -> Self {
        let marks = test.head.start..test.at.clamp(test.head.start, test.head.end);
        let inner = inner(source, test.body.clone());
        let total = assertions::count(source, helpers, marks.clone(), inner.clone());
        let is_empty = assertions::is_empty(source, test.body.clone());
        let head = test.head.start..test.body.start.max(test.head.end);
        let cases = cases::count(source, head, test.body.clone());
        if matches!(source.language, Language::Shell | Language::Bats) {
            let lines = assertions::shell_lines(part(&source.bare, test.body.clone()));
            let asserted = lines.filter(|line| !line.starts_with("run ")).map(|line| Asserted {
                text: line.split_whitespace().collect(),
                strength: strength::of_shell(line),
            });
            return Self {
                asserted: asserted.collect(),
                firm: total,
                cases,
                is_empty,
                ..Self::default()
            };
        }
        let sites = assertions::sites(source, helpers, inner.clone());
        let end = inner.end;
        let throws = words(&source.code[inner.clone()])
            .filter(|(_, word)| matches!(*word, "panic" | "throw" | "raise"))
            .count();
        let before = test.head.start..inner.start.max(test.head.start);
        let around = Around::new(source, inner);
        let runs = around.blocks.iter().filter(|block| match block.kind {
            Kind::Loop => true,
            Kind::Function => source.code[block.head.clone()].contains("ach("),
            _ => false,
        });
        let heads = runs.map(|block| block.head.clone()).chain([before]);
        let cuts = heads.map(|head| cases::cuts(part(&source.code, head))).sum();
        let soft = sites.iter().filter(|at| around.is_soft(**at)).count();
        let asserted = sites.iter().map(|at| asserted(source, helpers, &around, *at)).collect();
        // Without an assertion a test fails where something in it panics or throws.
        let early = around.early(sites.last().copied().unwrap_or(end));
        let by_marks = assertions::sites(source, &HashSet::new(), marks).len();
        Self {
            asserted,
            firm: sites.len() - soft,
            soft,
            early,
            cases,
            is_empty,
            by_marks,
            throws,
            cuts,
        }
    }

    pub(super) fn total(&self) -> usize {
        self.firm + self.soft + self.by_marks
    }
}

/// What the test function does; in JavaScript a test is a call, and its function one of the arguments.
pub(super) fn inner(source: &Source<'_>, body: Range<usize>) -> Range<usize> {
    if source.language != Language::JavaScript {
        let is_braced = source.code[body.clone()].starts_with('{') && body.len() > 1;
        return if is_braced { source.inside(body.start) } else { body };
    }
    let code = &source.code[body.clone()];
    let arrow = code.find("=>").map(|at| at + 2);
    let function = code.find("function").map(|at| at + 8);
    let from = match (arrow, function) {
        (Some(a), Some(f)) => a.min(f),
        (a, f) => a.or(f).unwrap_or(0),
    };
    let Some(open) = code[from..].find('{').map(|at| body.start + from + at) else { return body };
    // `() => expect(x).toBe(1)` has no block of its own.
    let is_expression = arrow == Some(from) && !code[from..].trim_start().starts_with('{');
    if is_expression { body.start + from..body.end } else { source.inside(open) }
}

fn asserted(
    source: &Source<'_>,
    helpers: &HashSet<&str>,
    around: &Around<'_, '_>,
    at: usize,
) -> Asserted {
    let start = around.statement_start(at);
    let end = statement_end(source, at).max(at);
    let statement = part(&source.bare, start..end);
    let text = statement.split_whitespace().collect();
    // The condition around a failure says what is demanded.
    let condition = around.innermost(at).filter(|block| block.kind == Kind::If);
    let strength = match (source.language, condition) {
        _ if around.recomputes(at..end) => 0,
        // What a helper demands stands elsewhere.
        _ if helpers.contains(word_at(&source.code, at)) => strength::MESSAGE,
        (Language::Go, Some(block)) => {
            strength::of_condition(part(&source.bare, block.head.clone()))
        }
        _ if cases::cuts(part(&source.code, start..end)) > 0 => {
            strength::of(statement).min(strength::PART)
        }
        _ => strength::of(statement),
    };
    Asserted { text, strength }
}

/// A test function with what its blocks are.
pub(super) struct Around<'s, 'a> {
    source: &'s Source<'a>,
    body: Range<usize>,
    blocks: Vec<Block>,
    /// `return` and its like, with the block right around each.
    jumps: Vec<(Range<usize>, Option<usize>)>,
    /// Wanted values that the test computes as it computes what it got.
    mirrored: HashSet<&'s str>,
}

impl<'s, 'a> Around<'s, 'a> {
    pub(super) fn new(source: &'s Source<'a>, body: Range<usize>) -> Self {
        let blocks = blocks::of(source, body.clone());
        let mirrored = mirrored(part(&source.bare, body.clone()));
        let mut around = Self { source, body, blocks, jumps: Vec::new(), mirrored };
        around.jumps = around.find_jumps();
        around
    }

    fn find_jumps(&self) -> Vec<(Range<usize>, Option<usize>)> {
        const JUMPS_MAX: usize = 200;
        let start = self.body.start;
        let found = words(&self.source.code[self.body.clone()]).map(|(at, w)| (start + at, w));
        let is_jump = |(at, word): &(usize, &str)| {
            let rest = self.source.code[at + word.len()..].trim_start();
            match *word {
                "return" | "break" | "continue" => true,
                "done" => rest.starts_with("()"),
                _ => false,
            }
        };
        found
            .filter(is_jump)
            .take(JUMPS_MAX)
            .map(|(at, _)| (at..statement_end(self.source, at), self.innermost_index(at)))
            .collect()
    }

    fn innermost_index(&self, at: usize) -> Option<usize> {
        let around = self.blocks.iter().enumerate().filter(|(_, b)| b.body.contains(&at));
        around.min_by_key(|(_, block)| block.body.len()).map(|(index, _)| index)
    }

    fn innermost(&self, at: usize) -> Option<&Block> {
        self.innermost_index(at).map(|index| &self.blocks[index])
    }

    fn statement_start(&self, at: usize) -> usize {
        let code = &self.source.code;
        let mut start = at;
        while start > self.body.start {
            if begins_statement(self.source, start) {
                break;
            }
            start = code.floor_char_boundary(start - 1);
        }
        start
    }

    fn is_soft(&self, at: usize) -> bool {
        let is_around = |block: &&Block| block.body.contains(&at);
        self.blocks.iter().filter(is_around).any(|block| self.lets_pass(block))
            || self.is_behind_a_jump(at)
            || self.is_one_line_condition(at)
            || swallow::comes_later(self.source, line_start(&self.source.code, at)..at)
            || swallow::is_rescued(self.source, &self.blocks, at)
            || swallow::drops(self.source, at..statement_end(self.source, at))
    }

    fn lets_pass(&self, block: &Block) -> bool {
        let source = self.source;
        let head = &source.code[block.head.clone()];
        match block.kind {
            Kind::If if source.language == Language::Go => never_runs(head),
            Kind::If => true,
            Kind::Loop => never_runs(head),
            Kind::Try => swallow::handler_swallows(source, &self.blocks, block),
            Kind::Catch => swallow::is_passed_by(source, &self.blocks, block),
            Kind::Function => swallow::is_not_run(source, &self.body, block),
            Kind::Finally => false,
            Kind::Other => swallow::suppresses(head),
        }
    }

    fn is_behind_a_jump(&self, at: usize) -> bool {
        self.jumps.iter().any(|(jump, block)| {
            let reaches = match block.map(|index| &self.blocks[index]) {
                None => true,
                Some(block) => block.body.contains(&at),
            };
            at >= jump.end && reaches && !self.is_conditional_line(jump.start)
        })
    }

    fn is_conditional_line(&self, at: usize) -> bool {
        let line = line_of(self.source, at);
        let first = words(line).next().map_or("", |(_, word)| word);
        let is_modified = [" if ", " unless "].iter().any(|word| line.contains(word));
        matches!(first, "if" | "else" | "elif" | "unless" | "case" | "default" | "_")
            || (self.source.language == Language::Ruby && is_modified)
            || line.contains("=> return")
            || line.contains("?: return")
            || line.contains("or return")
            || line.contains("|| return")
            || line.contains("&& return")
    }

    /// `if (x) expect(y)` and `assert x if y`.
    fn is_one_line_condition(&self, at: usize) -> bool {
        let (source, line) = (self.source, line_of(self.source, at));
        let first = words(line).next().map_or("", |(_, word)| word);
        let is_brace_less = source.language.has_braces() && first == "if" && !line.contains('{');
        let is_and = source.language == Language::JavaScript
            && self.statement_start(at) < at
            && source.code[self.statement_start(at)..at].trim_end().ends_with("&&");
        let is_modified = source.language == Language::Ruby
            && [" if ", " unless "].iter().any(|word| line.contains(word));
        (is_brace_less && source.language != Language::Go) || is_and || is_modified
    }

    /// Ways out of the test function itself, under a condition that fails nothing.
    fn early(&self, last: usize) -> usize {
        let is_early = |(jump, block): &&(Range<usize>, Option<usize>)| {
            let word = &self.source.code[jump.start..];
            let in_loop = self.blocks.iter().any(|b| {
                b.kind == Kind::Loop && b.body.contains(&jump.start) && b.body.contains(&last)
            });
            let leaves = word.starts_with("return")
                || word.starts_with("done")
                || (word.starts_with("continue") && in_loop);
            let is_own = !self
                .blocks
                .iter()
                .any(|b| b.kind == Kind::Function && b.body.contains(&jump.start));
            let block = block.map(|index| &self.blocks[index]);
            let under = block.is_some_and(|block| matches!(block.kind, Kind::If | Kind::Catch));
            let fails = under && block.is_some_and(|b| self.fails_in(b.body.clone()));
            let is_line = self.is_conditional_line(jump.start);
            leaves && is_own && (under || is_line) && !fails && jump.end <= last
        };
        self.jumps.iter().filter(is_early).count()
    }

    fn fails_in(&self, range: Range<usize>) -> bool {
        !assertions::sites(self.source, &HashSet::new(), range.clone()).is_empty()
            || words(&self.source.code[range])
                .any(|(_, word)| matches!(word, "raise" | "throw" | "panic" | "fail"))
    }

    /// What is expected was computed, in the test, by the very call that it is held against.
    fn recomputes(&self, statement: Range<usize>) -> bool {
        let bare = &self.source.bare;
        let text: String = part(bare, statement.clone()).split_whitespace().collect();
        let above = part(bare, self.body.start..statement.start.max(self.body.start));
        above.lines().any(|line| {
            let Some((name, value)) = line.split_once('=') else { return false };
            let name = words(name).last().map_or("", |(_, word)| word);
            let value: String = value.split_whitespace().collect();
            let value = value.trim_end_matches(';');
            let is_call = value.contains('(') && value.ends_with(')') && value.len() > 4;
            let uses = words(part(bare, statement.clone())).any(|(_, word)| word == name);
            let is_filled = strength::fallback(value).is_some_and(|value| text.contains(value));
            uses && !name.is_empty() && (is_filled || is_call && text.contains(value))
        }) || self.mirrored.iter().any(|name| words(&text).any(|(_, word)| word == *name))
    }
}

/// `got := walk(x)` and `want := walk(x)`: the names of what is wanted.
fn mirrored(body: &str) -> HashSet<&str> {
    let mut known: HashMap<String, &str> = HashMap::new();
    let mut all = HashSet::new();
    for (left, right) in body.lines().filter_map(|line| line.split_once('=')) {
        let name = words(left).last().map_or("", |(_, word)| word);
        let value: String = right.split_whitespace().collect();
        let is_wanted = |name: &str| name.starts_with("want") || name.starts_with("expect");
        if let Some(other) = known.get(&value).filter(|_| value.ends_with([')', ';'])) {
            all.extend([name, other].into_iter().filter(|name| is_wanted(name)));
        }
        known.insert(value, name);
    }
    all
}
