//! The tools that a request offers, and how to write a file, read one, run a command or hand in an answer with them.
//!
//! Agents name their tools and arguments differently but mean the same few things, so a tool is chosen by its name and
//! filled by the names of its arguments. The names are those of the programs' current releases.

use crate::conversation::{Conversation, Tool};
use crate::dialect::Input;
use crate::folder::place;
use crate::script::File;
use serde_json::{Map, Value, json};

const WRITERS: [&str; 6] =
    ["write", "write_file", "create", "create_file", "text_editor", "str_replace_based_edit_tool"];
const READERS: [&str; 3] = ["read", "read_file", "view"];
const SHELLS: [&str; 6] =
    ["bash", "exec_command", "run_shell_command", "shell", "shell_command", "execute_command"];
const HANDING_IN: [&str; 3] = ["structuredoutput", "structured_output", "final_output"];
const PATH_ARGUMENTS: [&str; 3] = ["file_path", "filePath", "path"];
const CONTENT_ARGUMENTS: [&str; 3] = ["content", "file_text", "contents"];
const COMMAND_ARGUMENTS: [&str; 2] = ["command", "cmd"];

/// A call of one of the tools offered.
#[derive(Debug, PartialEq)]
pub struct ToolCall {
    pub name: String,
    pub namespace: Option<String>,
    pub input: Input,
}

#[derive(Debug, Clone, Copy)]
pub struct Toolbox<'a>(pub &'a Conversation);

impl<'a> Toolbox<'a> {
    /// Writes a file, whether it exists or not as far as the tool is concerned.
    pub fn write(self, file: &File) -> Option<ToolCall> {
        self.patch(file)
            .or_else(|| self.write_with_tool(file))
            .or_else(|| self.write_with_shell(file))
    }

    pub fn write_with_shell(self, file: &File) -> Option<ToolCall> {
        self.run(&shell_write(file))
    }

    pub fn read(self, path: &str) -> Option<ToolCall> {
        let tool = self.named(&READERS)?;
        let argument = tool.argument(&PATH_ARGUMENTS)?;
        Some(tool.call([(argument, place(self.0, path).into())]))
    }

    /// Replaces all that is in a file.
    pub fn edit(self, file: &File, old: &str) -> Option<ToolCall> {
        let tool = self.named(&["edit"]).filter(|_| !old.is_empty())?;
        let path = (tool.argument(&PATH_ARGUMENTS)?, place(self.0, &file.path).into());
        let old = (tool.argument(&["old_str"])?, old.into());
        let new = (tool.argument(&["new_str"])?, file.content.as_str().into());
        Some(tool.call([path, old, new]))
    }

    pub fn run(self, command: &str) -> Option<ToolCall> {
        if let Some(tool) = self.javascript() {
            let arguments = json!({"cmd": command, "yield_time_ms": 10_000});
            return Some(tool.text_call(format!("text(await tools.exec_command({arguments}));\n")));
        }
        let tool = self.named(&SHELLS)?;
        let argument = tool.argument(&COMMAND_ARGUMENTS)?;
        let value = match tool.schema["properties"][argument]["type"].as_str() {
            Some("array") => json!(["bash", "-lc", command]),
            _ => command.into(),
        };
        Some(tool.call([(argument, value)]))
    }

    /// Submits a structured answer.
    pub fn hand_in(self, reply: &Value) -> Option<ToolCall> {
        let tool = self.named(&HANDING_IN)?;
        Some(ToolCall {
            name: tool.name.clone(),
            namespace: tool.namespace.clone(),
            input: Input::Json(reply.clone()),
        })
    }

    /// The tool that a script means: agents put the name of a server in front of that of its tool, each in its own way.
    pub fn meant(self, name: &str) -> Option<&'a Tool> {
        let tools = &self.0.tools;
        let with_server = |tool: &&Tool| {
            tool.name
                .strip_suffix(name)
                .is_some_and(|server| server.ends_with(['_', '-', '.', '/']))
        };
        tools.iter().find(|tool| tool.name == name).or_else(|| tools.iter().find(with_server))
    }

    /// A patch adds its own line end and cannot leave a file empty.
    fn patch(self, file: &File) -> Option<ToolCall> {
        let tool = self.javascript().or_else(|| self.named(&["apply_patch"]))?;
        if !file.content.ends_with('\n')
            && let Some(call) = self.write_with_shell(file)
        {
            return Some(call);
        }
        let added: String = file.content.lines().map(|line| format!("+{line}\n")).collect();
        let patch = format!("*** Begin Patch\n*** Add File: {}\n{added}*** End Patch\n", file.path);
        match tool.argument(&["input", "patch", "patchText"]) {
            Some(argument) => Some(tool.call([(argument, patch.into())])),
            None if self.javascript().is_some() => {
                let literal = Value::String(patch);
                Some(tool.text_call(format!("text(await tools.apply_patch({literal}));\n")))
            }
            None => tool.custom.then(|| tool.text_call(patch)),
        }
    }

    /// The tool with which some models of Codex write programs that use the other tools.
    fn javascript(self) -> Option<&'a Tool> {
        self.named(&["exec"]).filter(|tool| tool.custom)
    }

    fn write_with_tool(self, file: &File) -> Option<ToolCall> {
        let tool = self.named(&WRITERS)?;
        let path = (tool.argument(&PATH_ARGUMENTS)?, place(self.0, &file.path).into());
        let content = (tool.argument(&CONTENT_ARGUMENTS)?, file.content.as_str().into());
        // An editor with several commands calls this one "create", or "write" where it may overwrite.
        match tool.argument(&["command"]) {
            Some(command) => {
                let choices = tool.schema["properties"][command]["enum"].as_array();
                let writes = choices.is_none_or(|choices| choices.contains(&"write".into()));
                let verb = if writes { "write" } else { "create" };
                Some(tool.call([path, content, (command, verb.into())]))
            }
            None => Some(tool.call([path, content])),
        }
    }

    /// The tool with the first of these names, without regard to case and to the server it comes from.
    fn named(self, names: &[&str]) -> Option<&'a Tool> {
        names.iter().find_map(|name| {
            self.0.tools.iter().find(|tool| {
                let own = tool.name.rsplit("__").next().unwrap_or_default();
                own.eq_ignore_ascii_case(name)
            })
        })
    }
}

impl Tool {
    /// The first of these names that the tool has as an argument.
    fn argument(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().copied().find(|name| !self.schema["properties"][name].is_null())
    }

    /// A call of a tool that takes text.
    fn text_call(&self, text: String) -> ToolCall {
        ToolCall {
            name: self.name.clone(),
            namespace: self.namespace.clone(),
            input: Input::Custom(text),
        }
    }

    /// A call with these arguments, and with something in every other one that the tool demands.
    fn call<const N: usize>(&self, given: [(&str, Value); N]) -> ToolCall {
        let mut arguments: Map<String, Value> =
            given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let required = self.schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        for name in required.iter().filter_map(Value::as_str) {
            if !arguments.contains_key(name) {
                let filler = match self.schema["properties"][name]["type"].as_str() {
                    Some("boolean") => false.into(),
                    Some("integer" | "number") => 1.into(),
                    Some("array") => json!([]),
                    Some("object") => json!({}),
                    _ => "As the script says".into(),
                };
                arguments.insert(name.to_owned(), filler);
            }
        }
        ToolCall {
            name: self.name.clone(),
            namespace: self.namespace.clone(),
            input: Input::Json(arguments.into()),
        }
    }
}

fn shell_write(file: &File) -> String {
    let path = quoted(&file.path);
    let folder = file.path.rsplit_once('/').map(|(folder, _)| folder).filter(|f| !f.is_empty());
    let make = folder.map(|folder| format!("mkdir -p -- {} && ", quoted(folder)));
    format!("{}printf %s {} > {path}", make.unwrap_or_default(), quoted(&file.content))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    /// The call that writes a file with these tools, in an agent that works in /x.
    fn write(tools: Value, content: &str) -> (String, Input) {
        let tools = tools.as_object().unwrap().iter().map(|(name, schema)| Tool {
            name: name.clone(),
            schema: schema.clone(),
            custom: schema.is_null(),
            ..Tool::default()
        });
        let talk = Conversation {
            system: "Working directory: /x\n".into(),
            tools: tools.collect(),
            ..Conversation::default()
        };
        let call =
            Toolbox(&talk).write(&File { path: "a/b".into(), content: content.into() }).unwrap();
        (call.name, call.input)
    }

    fn schema(arguments: &[&str]) -> Value {
        let properties: Map<String, Value> =
            arguments.iter().map(|name| ((*name).into(), json!({"type": "string"}))).collect();
        json!({"properties": properties, "required": arguments})
    }

    #[test]
    fn every_agent_gets_the_arguments_it_knows() {
        for (name, path, content) in [
            ("Write", "file_path", "content"),
            ("write_file", "file_path", "content"),
            ("write", "filePath", "content"),
            ("write", "path", "content"),
            ("create", "path", "file_text"),
            ("mcp__acp__Write", "file_path", "content"),
        ] {
            let expected = Input::Json(json!({path: "/x/a/b", content: "1"}));
            let tools = json!({"Bash": schema(&["command"]), name: schema(&[path, content])});
            assert_eq!(write(tools, "1"), (name.to_owned(), expected));
        }
    }

    #[test]
    fn an_editor_gets_instructions() {
        let mut editor = schema(&["command", "path", "file_text"]);
        let expected =
            |verb: &str| Input::Json(json!({"command": verb, "path": "/x/a/b", "file_text": "1"}));
        assert_eq!(write(json!({"text_editor": editor}), "1").1, expected("write"));
        editor["properties"]["command"]["enum"] = json!(["view", "create"]);
        assert_eq!(write(json!({"text_editor": editor}), "1").1, expected("create"));
    }

    #[test]
    fn what_a_patch_cannot_say_is_left_to_the_shell() {
        let tools = json!({"apply_patch": null, "bash": schema(&["command", "description"])});
        let (name, input) = write(tools.clone(), "it's");
        let command = r"mkdir -p -- 'a' && printf %s 'it'\''s' > 'a/b'";
        let arguments = json!({"command": command, "description": "As the script says"});
        assert_eq!((name.as_str(), input), ("bash", Input::Json(arguments)));
        assert_eq!(write(tools, "1\n").0, "apply_patch");
    }

    #[test]
    fn a_shell_may_want_its_command_in_words() {
        let shell = json!({"properties": {"command": {"type": "array"}}, "required": ["command"]});
        let Input::Json(input) = write(json!({"shell": shell}), "1").1 else { panic!("JSON") };
        assert_eq!((&input["command"][0], &input["command"][1]), (&json!("bash"), &json!("-lc")));
    }
}
