//! What the model says next: the part of an answer that the conversation in the request still lacks.

use crate::conversation::{Conversation, ToolResult};
use crate::dialect::{Input, ModelMessage, PlacedCall, mark_of};
use crate::script::{Call, File, ScriptedTurn, ServiceFault, StopReason};
use crate::toolbox::{ToolCall, Toolbox};
use serde_json::{Value, json};

/// The message that continues the conversation. Rules are distinguished by number, so that the calls of one do not count
/// as those of another.
pub fn next_message(rule: usize, answer: &ScriptedTurn, talk: &Conversation) -> ModelMessage {
    let walk = Walk { rule, toolbox: Toolbox(talk), results: talk.results().collect() };
    let calls = match answer.fault {
        Some(ServiceFault::WrongArguments) => walk.calls(answer).map(break_first),
        Some(ServiceFault::UnknownTool) => Some(vec![unknown_tool()]),
        _ => walk.calls(answer),
    };
    let thinking = answer.thinking.clone();
    match calls {
        Some(calls) => ModelMessage {
            thinking,
            text: answer.aside.clone(),
            calls,
            ending: StopReason::Complete,
            usage: answer.usage,
        },
        None => ModelMessage {
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
    fn calls(&self, answer: &ScriptedTurn) -> Option<Vec<PlacedCall>> {
        let mut files = answer.write.iter().enumerate();
        let mut commands = answer.run.iter().enumerate();
        files
            .find_map(|(index, file)| self.write(index, file))
            .or_else(|| commands.find_map(|(index, command)| self.run(index, command)))
            .map(|call| vec![call])
            .or_else(|| self.tools(&answer.tools))
            .or_else(|| self.hand_in(answer.reply.as_ref()).map(|call| vec![call]))
    }

    /// The next call for a file. Some tools overwrite only what the agent has read, some nothing that exists, and
    /// some make no folders: then the file is read, written again or edited, and at last left to the shell.
    fn write(&self, index: usize, file: &File) -> Option<PlacedCall> {
        let [first, read, second, last] = ["", "r", "x", "y"].map(|part| format!("w{index}{part}"));
        let Some(refusal) = self.result(&first) else {
            return self.place(&first, self.toolbox.write(file)?);
        };
        if !refused(refusal) {
            return None;
        }
        if says(refusal, &NOT_READ) || says(refusal, &EXISTS) {
            let Some(content) = self.result(&read) else {
                return self.place(&read, self.toolbox.read(&file.path)?);
            };
            let again = if says(refusal, &EXISTS) {
                self.toolbox.edit(file, &content.text)
            } else {
                self.toolbox.write(file)
            };
            match (self.result(&second), again) {
                (Some(result), _) if !refused(result) => return None,
                (None, Some(call)) => return self.place(&second, call),
                _ => {}
            }
        }
        match self.result(&last) {
            Some(_) => None,
            None => self.place(&last, self.toolbox.write_with_shell(file)?),
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
        let placed = tools.iter().enumerate().map(|(index, call)| {
            let meant = self.toolbox.meant(&call.name);
            let offered = meant.and_then(|tool| tool.namespace.clone());
            PlacedCall {
                mark: self.mark(&format!("t{index}")),
                name: meant.map_or(&call.name, |tool| &tool.name).clone(),
                namespace: call.namespace.clone().or(offered),
                input: input_of(call),
            }
        });
        Some(placed.collect())
    }

    fn hand_in(&self, reply: Option<&Value>) -> Option<PlacedCall> {
        match self.result("s") {
            Some(_) => None,
            None => self.place("s", self.toolbox.hand_in(reply?)?),
        }
    }

    fn last_words(&self, answer: &ScriptedTurn) -> String {
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

/// How agents say that a file is there already.
const EXISTS: [&str; 1] = ["already exists"];

/// How else agents say that they did not write, where they do not mark it as an error.
const NOT_WRITTEN: [&str; 5] = [
    "You need to create it",
    "must be absolute",
    "Permission denied",
    "verification failed",
    "Invalid inputs",
];

fn says(result: &ToolResult, words: &[&str]) -> bool {
    words.iter().any(|words| result.text.contains(words))
}

fn refused(result: &ToolResult) -> bool {
    result.failed || says(result, &NOT_READ) || says(result, &EXISTS) || says(result, &NOT_WRITTEN)
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
