//! Reads a command of a shell into lists of pipelines. What is more than that, such as a loop, is not read at all.

use std::iter::Peekable;
use std::str::Chars;

/// `a && b || c`, and whether it runs in the background.
#[derive(Debug)]
pub struct AndOr {
    pub parts: Vec<(Join, Pipeline)>,
    pub in_background: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    First,
    And,
    Or,
}

#[derive(Debug)]
pub struct Pipeline {
    pub is_inverted: bool,
    pub commands: Vec<Command>,
}

/// `may_not_open`: it reads or writes a file by name, which may not be there.
#[derive(Debug)]
pub enum Command {
    Simple { words: Vec<Word>, may_not_open: bool },
    Group { list: Vec<AndOr>, may_not_open: bool },
    Subshell { list: Vec<AndOr>, may_not_open: bool },
    If { condition: Vec<AndOr>, then: Vec<AndOr>, otherwise: Vec<AndOr>, may_not_open: bool },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    /// Something in it is put in by the shell.
    pub is_filled_in: bool,
    /// And that is what a command printed.
    pub runs_commands: bool,
    /// The shell ends when something is not set: `${NAME:?}`.
    pub may_be_missing: bool,
}

impl Word {
    pub fn is_assignment(&self) -> bool {
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
        };
        self.text.split_once('=').is_some_and(|(name, _)| is_name(name))
    }
}

/// None for what is not understood.
pub fn parse(text: &str) -> Option<Vec<AndOr>> {
    let mut parser = Parser { tokens: tokens(text)?.into_iter().peekable() };
    let list = parser.list(0)?;
    parser.tokens.next().is_none().then_some(list)
}

/// Far deeper than anybody writes.
const DEPTH_MAX: usize = 20;
/// Words that begin what is more than a list of commands, and `trap`, which changes how the shell ends.
const NOT_READ: [&str; 12] = [
    "elif", "for", "while", "until", "do", "done", "case", "esac", "select", "function", "coproc",
    "trap",
];
/// Words that end a list where a command would begin.
const ENDS_LIST: [&str; 4] = ["}", "then", "else", "fi"];

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(Word),
    End,
    Background,
    And,
    Or,
    Pipe,
    Open,
    Close,
    /// Its file is the next word.
    Input,
    Output,
    /// `2>&1`: it names no file.
    Stream,
}

struct Parser {
    tokens: Peekable<std::vec::IntoIter<Token>>,
}

impl Parser {
    /// Up to what ends it: a bracket, or nothing more.
    fn list(&mut self, depth: usize) -> Option<Vec<AndOr>> {
        let mut list = Vec::new();
        if depth > DEPTH_MAX {
            return None;
        }
        loop {
            while self.tokens.next_if_eq(&Token::End).is_some() {}
            if matches!(self.tokens.peek(), None | Some(Token::Close))
                || ENDS_LIST.iter().any(|word| self.is_next(word))
            {
                return Some(list);
            }
            let parts = self.and_or(depth)?;
            let in_background = self.tokens.next_if_eq(&Token::Background).is_some();
            list.push(AndOr { parts, in_background });
            let goes_on = in_background || self.tokens.peek() == Some(&Token::End);
            if !goes_on {
                let is_over = matches!(self.tokens.peek(), None | Some(Token::Close));
                return is_over.then_some(list);
            }
        }
    }

    fn and_or(&mut self, depth: usize) -> Option<Vec<(Join, Pipeline)>> {
        let mut parts = vec![(Join::First, self.pipeline(depth)?)];
        loop {
            let join = match self.tokens.peek() {
                Some(Token::And) => Join::And,
                Some(Token::Or) => Join::Or,
                _ => return Some(parts),
            };
            self.tokens.next();
            while self.tokens.next_if_eq(&Token::End).is_some() {}
            parts.push((join, self.pipeline(depth)?));
        }
    }

    fn pipeline(&mut self, depth: usize) -> Option<Pipeline> {
        let mut is_inverted = false;
        while self.takes("!") {
            is_inverted = !is_inverted;
        }
        let mut commands = vec![self.command(depth)?];
        while self.tokens.next_if_eq(&Token::Pipe).is_some() {
            while self.tokens.next_if_eq(&Token::End).is_some() {}
            commands.push(self.command(depth)?);
        }
        Some(Pipeline { is_inverted, commands })
    }

    fn command(&mut self, depth: usize) -> Option<Command> {
        if self.tokens.next_if_eq(&Token::Open).is_some() {
            let list = self.list(depth + 1)?;
            self.tokens.next_if_eq(&Token::Close)?;
            return Some(Command::Subshell { list, may_not_open: self.redirections_only()? });
        }
        if self.takes("{") {
            let list = self.list(depth + 1)?;
            self.takes("}").then_some(())?;
            return Some(Command::Group { list, may_not_open: self.redirections_only()? });
        }
        if self.takes("if") {
            return self.rest_of_if(depth + 1);
        }
        let (words, may_not_open) = self.words()?;
        let first = words.iter().find(|word| !word.is_assignment()).map(|word| word.text.as_str());
        // `[[ a && b ]]` is one test.
        let is_cut = first == Some("[[") && words.last().is_some_and(|word| word.text != "]]");
        let is_read = first.is_none_or(|first| !NOT_READ.contains(&first)) && !is_cut;
        let is_any = may_not_open.is_some() || !words.is_empty();
        let may_not_open = may_not_open.unwrap_or(false);
        (is_read && is_any).then_some(Command::Simple { words, may_not_open })
    }

    fn rest_of_if(&mut self, depth: usize) -> Option<Command> {
        let condition = self.some_list(depth)?;
        self.takes("then").then_some(())?;
        let then = self.some_list(depth)?;
        let otherwise = match self.takes("else") {
            true => self.some_list(depth)?,
            false => Vec::new(),
        };
        self.takes("fi").then_some(())?;
        let may_not_open = self.redirections_only()?;
        Some(Command::If { condition, then, otherwise, may_not_open })
    }

    fn some_list(&mut self, depth: usize) -> Option<Vec<AndOr>> {
        self.list(depth).filter(|list| !list.is_empty())
    }

    /// The words, and whether a file that is named may not open; none where no file is named.
    fn words(&mut self) -> Option<(Vec<Word>, Option<bool>)> {
        let (mut words, mut may_not_open) = (Vec::new(), None);
        loop {
            match self.tokens.peek() {
                Some(Token::Word(_)) => {
                    let Some(Token::Word(word)) = self.tokens.next() else { return None };
                    words.push(word);
                }
                Some(Token::Input | Token::Output) => {
                    let is_input = self.tokens.next() == Some(Token::Input);
                    let Some(Token::Word(file)) = self.tokens.next() else { return None };
                    let known = may_not_open.unwrap_or(false);
                    may_not_open = Some(known || !always_opens(&file, is_input));
                }
                Some(Token::Stream) => {
                    self.tokens.next();
                    may_not_open.get_or_insert(false);
                }
                // The beginning of a function.
                Some(Token::Open) => return None,
                _ => return Some((words, may_not_open)),
            }
        }
    }

    fn redirections_only(&mut self) -> Option<bool> {
        let (words, may_not_open) = self.words()?;
        words.is_empty().then_some(may_not_open.unwrap_or(false))
    }

    fn is_next(&mut self, text: &str) -> bool {
        matches!(self.tokens.peek(), Some(Token::Word(word)) if word.text == text)
    }

    fn takes(&mut self, text: &str) -> bool {
        self.is_next(text) && self.tokens.next().is_some()
    }
}

/// A file of its own folder can be written; what is read may be missing.
fn always_opens(file: &Word, is_input: bool) -> bool {
    let name = file.text.as_str();
    let is_always_there = matches!(name, "/dev/null" | "/dev/stdout" | "/dev/stderr");
    is_always_there || !(is_input || file.is_filled_in || name.contains('/'))
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.peek().copied() {
        let token = match char {
            ' ' | '\t' => {
                chars.next();
                continue;
            }
            // A line that continues on the next one.
            '\\' if chars.clone().nth(1) == Some('\n') => {
                chars.nth(1);
                continue;
            }
            '#' => {
                while chars.next_if(|char| *char != '\n').is_some() {}
                continue;
            }
            ';' | '\n' | '&' | '|' | '(' | ')' | '<' | '>' => operator(&mut chars)?,
            _ => {
                let word = word(&mut chars)?;
                if super::is_number(&word.text) && matches!(chars.peek(), Some('<' | '>')) {
                    continue;
                }
                Token::Word(word)
            }
        };
        tokens.push(token);
    }
    Some(tokens)
}

fn operator(chars: &mut Peekable<Chars<'_>>) -> Option<Token> {
    let char = chars.next()?;
    match char {
        // `((` calculates.
        '(' if chars.peek() == Some(&'(') => return None,
        '(' => return Some(Token::Open),
        ')' => return Some(Token::Close),
        '\n' => return Some(Token::End),
        _ => {}
    }
    let is_doubled = chars.next_if_eq(&char).is_some();
    match (char, is_doubled, chars.peek()) {
        ('&', true, _) => Some(Token::And),
        ('|', true, _) => Some(Token::Or),
        (';', false, _) => Some(Token::End),
        ('|', false, _) => {
            chars.next_if_eq(&'&');
            Some(Token::Pipe)
        }
        ('&', false, Some('>')) => operator(chars),
        ('&', false, _) => Some(Token::Background),
        ('<' | '>', false, Some('&')) => {
            chars.next();
            let stream = word(chars)?.text;
            let is_known = stream == "-" || super::is_number(&stream);
            is_known.then_some(Token::Stream)
        }
        // What a command reads or writes is not read here, and neither is text that follows.
        ('<' | '>', _, Some('(')) | ('<', true, _) | ('<', _, Some('>')) => None,
        ('>', _, _) => {
            chars.next_if_eq(&'|');
            Some(Token::Output)
        }
        ('<', false, _) => Some(Token::Input),
        _ => None,
    }
}

fn word(chars: &mut Peekable<Chars<'_>>) -> Option<Word> {
    let mut word = Word::default();
    while let Some(char) = chars.peek().copied() {
        match char {
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
            _ => {}
        }
        chars.next();
        match char {
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    inside => word.text.push(inside),
                }
            },
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => match chars.next()? {
                        '\n' => {}
                        escaped @ ('$' | '`' | '"' | '\\') => word.text.push(escaped),
                        other => word.text.extend(['\\', other]),
                    },
                    inside => filled(inside, &mut word, chars)?,
                }
            },
            '\\' => match chars.next()? {
                '\n' => {}
                escaped => word.text.push(escaped),
            },
            _ => filled(char, &mut word, chars)?,
        }
    }
    Some(word)
}

/// A character as it is, or what the shell puts in its place.
fn filled(char: char, word: &mut Word, chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    word.text.push(char);
    word.is_filled_in |= matches!(char, '$' | '`');
    match (char, chars.peek()) {
        ('`', _) => {
            word.runs_commands = true;
            chars.find(|char| *char == '`').map(drop)
        }
        ('$', Some('(')) => {
            word.runs_commands = true;
            over_brackets(chars, '(', ')').map(drop)
        }
        ('$', Some('{')) => {
            word.may_be_missing |= over_brackets(chars, '{', '}')?.contains('?');
            Some(())
        }
        _ => Some(()),
    }
}

/// Over `(…)`, with those inside; what is in quotes does not count.
fn over_brackets(chars: &mut Peekable<Chars<'_>>, open: char, close: char) -> Option<String> {
    let (mut depth, mut inside) = (0_u32, String::new());
    loop {
        let char = chars.next()?;
        match char {
            '\'' => drop(chars.find(|char| *char == '\'')?),
            '\\' => drop(chars.next()?),
            _ if char == open => depth += 1,
            _ if char == close => depth -= 1,
            _ => inside.push(char),
        }
        if depth == 0 {
            return Some(inside);
        }
    }
}
