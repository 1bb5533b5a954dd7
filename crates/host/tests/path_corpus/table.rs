//! The table of hostile paths.

use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    Refused,
    Odd,
    Git,
    Link,
    Inside,
    Twin,
    Special,
}

#[derive(Debug, Clone)]
pub struct Hostile {
    pub expected: Expected,
    pub path: String,
}

pub fn paths(outside: &Path) -> Vec<Hostile> {
    let lines = include_str!("paths.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| hostile(line, outside)).collect()
}

fn hostile(line: &str, outside: &Path) -> Hostile {
    let (word, path) = line.split_at(9);
    let expected = match word.trim() {
        "refused" => Expected::Refused,
        "odd" => Expected::Odd,
        "git" => Expected::Git,
        "link" => Expected::Link,
        "inside" => Expected::Inside,
        "twin" => Expected::Twin,
        "special" => Expected::Special,
        other => panic!("{other} is no expectation"),
    };
    let path = unescaped(path).replace("{outside}", outside.to_str().unwrap());
    let path = repeated(&path, "{name:", "n");
    Hostile { expected, path: repeated(&path, "{deep:", "d/") }
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match rest.next().unwrap() {
            '0' => plain.push('\0'),
            'n' => plain.push('\n'),
            'r' => plain.push('\r'),
            't' => plain.push('\t'),
            '\\' => plain.push('\\'),
            'u' => {
                let digits: String = rest.by_ref().skip(1).take_while(|c| *c != '}').collect();
                plain.push(char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap());
            }
            other => panic!("\\{other} in {text}"),
        }
    }
    plain
}

/// `{name:3}` as `nnn`.
fn repeated(path: &str, mark: &str, what: &str) -> String {
    let Some((before, rest)) = path.split_once(mark) else { return path.to_owned() };
    let (count, after) = rest.split_once('}').unwrap();
    let end = if what.ends_with('/') { "x" } else { "" };
    format!("{before}{}{end}{after}", what.repeat(count.parse().unwrap()))
}
