//! `tollgate explain`: the page behind a code.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{explain, output};
use clap::Args;
use serde::Serialize;
use tollgate_contract::nearest::nearest;

/// Explain the code of an error or a blocker, or list all codes
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate explain timeout\n  tollgate explain tasks.dependency_cycle"
)]
pub struct Explain {
    /// The code in brackets after `error` or `BLOCKED`
    pub code: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Serialize)]
struct Page {
    code: &'static str,
    text: &'static str,
}

impl Explain {
    pub fn run(self) -> Result<Exit, Failure> {
        let Some(code) = &self.code else {
            self.list();
            return Ok(Exit::Ok);
        };
        let Some((code, text)) = explain::page(code) else {
            let failure = Failure::usage("cli.code", format!("there is no code {code:?}"))
                .hint("`tollgate explain` lists every code");
            return Err(match nearest(code, explain::pages().map(|(known, _)| known)) {
                Some(near) => failure.hint(format!("did you mean `tollgate explain {near}`?")),
                None => failure,
            });
        };
        if self.json {
            output::json(&Page { code, text });
        } else {
            output::data(&format!("{code}\n\n{text}"));
        }
        Ok(Exit::Ok)
    }

    fn list(&self) {
        if self.json {
            let all: Vec<Page> = explain::pages().map(|(code, text)| Page { code, text }).collect();
            output::json(&all);
        } else {
            let widest = explain::pages().map(|(code, _)| code.len()).max().unwrap_or(0);
            let lines: Vec<String> = explain::pages()
                .map(|(code, text)| format!("{code:<widest$}  {}", first_sentence(text)))
                .collect();
            output::data(&lines.join("\n"));
        }
    }
}

/// Enough to see which page to open.
fn first_sentence(text: &str) -> String {
    // Only a person's screen has an end.
    let chars_max = if output::is_read_by_a_person() { 100 } else { usize::MAX };
    let text = text.split("\n\n").next().unwrap_or(text).replace('\n', " ");
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    let sentence = text[..end].trim_end_matches('.');
    tollgate_files::sanitize::terminal_line(sentence, chars_max)
}
