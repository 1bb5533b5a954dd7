//! What the model says next: the part of an answer that the conversation in the request still lacks.

use crate::conversation::{Conversation, ToolResult};
use crate::dialect::{Input, Message, PlacedCall, mark_of};
use crate::script::{Answer, Call, Ending, Fault, File};
use crate::toolbox::{ToolCall, Toolbox};
use serde_json::{Value, json};

/// The message that continues the conversation. Rules are told apart by number, so that the calls of one do not count
/// as those of another.
pub fn next_message(rule: usize, answer: &Answer, talk: &Conversation) -> Message {
    let walk = Walk { rule, toolbox: Toolbox(talk), results: talk.results().collect() };
    let calls = match answer.fault {
        Some(Fault::WrongArguments) => walk.calls(answer).map(break_first),
        Some(Fault::UnknownTool) => Some(vec![unknown_tool()]),
        _ => walk.calls(answer),
    };
    let thinking = answer.thinking.clone();
    match calls {
        Some(calls) => Message {
            thinking,
            text: answer.aside.clone(),
            calls,
            ending: Ending::Complete,
            usage: answer.usage,
        },
        None => Message {
            thinking,
            text: Some(walk.last_words(answer)),
            calls: Vec::new(),
            ending: answer.ending,
            usage: answer.usage,
        },
    }
}

/// The way through an answer, as far as the results in the conversation show it was walked.
struct Walk<'a> {
    rule: usize,
    toolbox: Toolbox<'a>,
    results: Vec<&'a ToolResult>,
}

impl Walk<'_> {
    /// The calls to make now; none when all were made.
    fn calls(&self, answer: &Answer) -> Option<Vec<PlacedCall>> {
        let mut files = answer.write.iter().enumerate();
        let mut commands = answer.run.iter().enumerate();
        files
            .find_map(|(index, file)| self.write(index, file))
            .or_else(|| commands.find_map(|(index, command)| self.run(index, command)))
            .map(|call| vec![call])
            .or_else(|| self.tools(&answer.tools))
            .or_else(|| self.hand_in(answer.reply.as_ref()).map(|call| vec![call]))
    }

    /// The next call for a file. Some tools overwrite only what the agent has read, and some nothing at all.
    fn write(&self, index: usize, file: &File) -> Option<PlacedCall> {
        let step = format!("w{index}");
        let Some(result) = self.result(&step) else {
            return self.place(&step, self.toolbox.write(file)?);
        };
        if !refused(result) {
            return None;
        }
        let (read, again) = (format!("{step}r"), format!("{step}x"));
        let unread = NOT_READ.iter().any(|words| result.text.contains(words));
        match self.toolbox.read(&file.path).filter(|_| unread) {
            Some(call) if self.result(&read).is_none() => self.place(&read, call),
            _ if self.result(&again).is_some() => None,
            Some(_) => self.place(&again, self.toolbox.write(file)?),
            None => self.place(&again, self.toolbox.write_with_shell(file)?),
        }
    }

    fn run(&self, index: usize, command: &str) -> Option<PlacedCall> {
        let step = format!("r{index}");
        match self.result(&step) {
            Some(_) => None,
            None => self.place(&step, self.toolbox.run(command)?),
        }
    }

    fn tools(&self, tools: &[Call]) -> Option<Vec<PlacedCall>> {
        let made = (0..tools.len()).any(|index| self.result(&format!("t{index}")).is_some());
        if made || tools.is_empty() {
            return None;
        }
        let placed = tools.iter().enumerate().map(|(index, call)| PlacedCall {
            mark: self.mark(&format!("t{index}")),
            name: call.name.clone(),
            namespace: call.namespace.clone(),
            input: input_of(call),
        });
        Some(placed.collect())
    }

    fn hand_in(&self, reply: Option<&Value>) -> Option<PlacedCall> {
        match self.result("s") {
            Some(_) => None,
            None => self.place("s", self.toolbox.hand_in(reply?)?),
        }
    }

    fn last_words(&self, answer: &Answer) -> String {
        match (&answer.reply, &answer.text) {
            (Some(reply), _) if self.result("s").is_none() => reply.to_string(),
            (_, Some(text)) => text.clone(),
            _ => "Done.".to_owned(),
        }
    }

    fn place(&self, step: &str, call: ToolCall) -> Option<PlacedCall> {
        let ToolCall { name, namespace, input } = call;
        Some(PlacedCall { mark: self.mark(step), name, namespace, input })
    }

    fn result(&self, step: &str) -> Option<&ToolResult> {
        let mark = self.mark(step);
        self.results.iter().copied().find(|result| mark_of(&result.call) == mark)
    }

    fn mark(&self, step: &str) -> String {
        format!("{}{step}", self.rule)
    }
}

/// How agents say that a file must be read before it is overwritten.
const NOT_READ: [&str; 4] =
    ["has not been read", "must read the file", "must be read", "read the file first"];

/// How agents whose dialect cannot mark an error say that a file was not written.
const NOT_WRITTEN: [&str; 3] = ["already exists", "You need to create it", "verification failed"];

fn refused(result: &ToolResult) -> bool {
    let says = |words: &&str| result.text.contains(words);
    result.failed || NOT_READ.iter().any(says) || NOT_WRITTEN.iter().any(says)
}

fn input_of(call: &Call) -> Input {
    match (&call.input_raw, &call.input) {
        (Some(raw), _) if call.custom => Input::Custom(raw.clone()),
        (Some(raw), _) => Input::Raw(raw.clone()),
        (None, Some(Value::String(text))) if call.custom => Input::Custom(text.clone()),
        (None, Some(input)) if call.custom => Input::Custom(input.to_string()),
        (None, Some(input)) => Input::Json(input.clone()),
        (None, None) if call.custom => Input::Custom(String::new()),
        (None, None) => Input::Json(json!({})),
    }
}

/// Its own mark, so that the result does not count as that of the right call.
const WRONG: &str = "wrong";

fn break_first(mut calls: Vec<PlacedCall>) -> Vec<PlacedCall> {
    calls.truncate(1);
    for call in &mut calls {
        call.mark = WRONG.to_owned();
        call.input = match call.input {
            Input::Custom(_) => Input::Custom("not what this tool reads".to_owned()),
            _ => Input::Json(json!({"no_such_argument": true})),
        };
    }
    calls
}

fn unknown_tool() -> PlacedCall {
    PlacedCall {
        mark: WRONG.to_owned(),
        name: "no_such_tool".to_owned(),
        namespace: None,
        input: Input::Json(json!({})),
    }
}
