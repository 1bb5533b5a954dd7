//! Programs, by the grammars of tree-sitter. This is the only place that runs code of C over what an agent wrote: the
//! text is bounded, and so are the steps.

use super::Parsed;
use super::form::Language;
use crate::quote;
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, ParseState, Parser};
use tree_sitter_language::LanguageFn;

/// The parser reports every hundred steps or so; good code of the longest length needs far less.
const REPORTS_MAX: u32 = 60_000;
/// Longer code was made by a program.
pub(super) const CODE_BYTES_MAX: usize = 256 * 1024;
/// The parser lets go of its own stack by a call for each token of it, so nested code would overflow a usual one.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// JavaScript has everything that people add to JSON: comments, trailing commas, other quotes.
pub(super) fn loose_json(text: &str) -> Parsed {
    if text.trim().is_empty() {
        return Parsed::Whole;
    }
    // As a value; a brace at the beginning would open a block. A comment may be last.
    parse(Language::JavaScript, &format!("({text}\n)"))
}

pub(super) fn parse(language: Language, text: &str) -> Parsed {
    let look = |root: Node<'_>| match first_fault(root) {
        // Its grammar takes both sides of a condition for code, which they need not be together.
        Some(_) if language == Language::CSharp && has_conditions(text) => Parsed::Unknown,
        Some(node) => Parsed::broken(node.start_position().row + 1, told(node, text)),
        None => Parsed::Whole,
    };
    looked_at(language, text, look).unwrap_or(Parsed::Unknown)
}

/// What is seen in a text without faults.
pub(super) fn with_tree<T: Send>(
    language: Language,
    text: &str,
    look: impl Fn(Node<'_>) -> T + Sync,
) -> Option<T> {
    looked_at(language, text, |root| (!root.has_error()).then(|| look(root))).flatten()
}

/// None where the text is too long, or takes too long.
fn looked_at<T: Send>(
    language: Language,
    text: &str,
    look: impl Fn(Node<'_>) -> T + Sync,
) -> Option<T> {
    if text.len() > CODE_BYTES_MAX {
        return None;
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let parsing = thread.spawn_scoped(scope, || look_here(language, text, &look));
        parsing.ok()?.join().ok()?
    })
}

fn look_here<T>(language: Language, text: &str, look: &impl Fn(Node<'_>) -> T) -> Option<T> {
    let mut parser = Parser::new();
    parser.set_language(&grammar(language).into()).ok()?;
    let mut reports = 0;
    let mut within_bounds = |_: &ParseState| {
        reports += 1;
        if reports > REPORTS_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut within_bounds);
    let mut read = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options))?;
    Some(look(tree.root_node()))
}

fn grammar(language: Language) -> LanguageFn {
    match language {
        Language::Rust => tree_sitter_rust::LANGUAGE,
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::JavaScript => tree_sitter_javascript::LANGUAGE,
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        Language::Go => tree_sitter_go::LANGUAGE,
        Language::Java => tree_sitter_java::LANGUAGE,
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE,
        Language::Php => tree_sitter_php::LANGUAGE_PHP,
        Language::Ruby => tree_sitter_ruby::LANGUAGE,
    }
}

fn has_conditions(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("#if"))
}

/// The first node that the grammar could not place. Goes down one path only, whatever the depth.
fn first_fault(root: Node<'_>) -> Option<Node<'_>> {
    let mut node = root;
    while node.has_error() && !node.is_error() && !node.is_missing() {
        let mut cursor = node.walk();
        let inner = node.children(&mut cursor).find(|child| child.has_error())?;
        node = inner;
    }
    (node.is_error() || node.is_missing()).then_some(node)
}

fn told(node: Node<'_>, text: &str) -> String {
    if node.is_missing() {
        return format!("{} is missing", quote(node.kind()));
    }
    let found = text.get(node.byte_range()).unwrap_or_default();
    match found.trim().lines().next().filter(|line| !line.is_empty()) {
        Some(line) => format!("the parser does not understand {}", quote(line)),
        None => "the file ends too early".to_owned(),
    }
}
