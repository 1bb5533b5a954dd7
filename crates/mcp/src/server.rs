//! The protocol, by rmcp, which only this file names: what a client asks becomes the call of a tool, and its outcome a result.

use crate::arguments::Object;
use crate::refused::Refused;
use crate::room::Room;
use crate::stdio::{Ended, LINE_BYTES_MAX, Noted};
use crate::tools::waiting::{LOOK, Waiting};
use crate::tools::{Call, Effect, Outcome, TOOLS, Tool, named};
use crate::{INSTRUCTIONS, SKILL, Settings, fit};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult, ListToolsResult,
    PaginatedRequestParams, Prompt, PromptMessage, Role, ServerCapabilities, ServerConfig,
    Tool as ProtocolTool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, ServiceExt};
use rmcp::transport::async_rw::AsyncRwTransport;
use std::io;
use std::sync::Arc;

/// So many calls work at once; others wait for their turn.
const THREADS_MAX: usize = 16;
const PROMPT: &str = "tollgate";

/// Serves one client on standard input and output until it goes away. Nothing else may write to standard output meanwhile.
pub fn serve(settings: &Settings) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS_MAX)
        .build()?;
    let ended = Ended::default();
    let server = Server {
        room: Arc::new(Room::new(settings)),
        version: settings.version,
        ended: ended.clone(),
    };
    let served = runtime.block_on(async {
        let (input, output) = rmcp::transport::stdio();
        let input = Noted::new(input, ended.clone(), settings.talk);
        let transport =
            AsyncRwTransport::new_server(input, output).with_max_line_length(LINE_BYTES_MAX);
        let running = match server.serve(transport).await {
            Ok(running) => running,
            // Whoever goes away before the first word had nothing to ask.
            Err(_) if ended.is_true() => return Ok(()),
            Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
                return Err(io::Error::other("the first message does not begin a conversation"));
            }
            Err(error) => return Err(io::Error::other(error)),
        };
        running.waiting().await.map(|_why| ()).map_err(io::Error::other)
    });
    // What still works for a client that has gone is not waited for.
    runtime.shutdown_background();
    served
}

#[derive(Debug, Clone)]
struct Server {
    room: Arc<Room>,
    version: &'static str,
    ended: Ended,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().build();
        let me = Implementation::new("tollgate", self.version).with_title("Tollgate");
        ServerConfig::new(capabilities).with_server_info(me).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(described).collect()))
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![prompt()]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != PROMPT {
            let message = format!("there is no prompt {:?}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let words = PromptMessage::new_text(Role::User, skill());
        Ok(GetPromptResult::new(vec![words]).into())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = named(&request.name) else {
            let message = format!("there is no tool {:?}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let given = request.arguments.unwrap_or_default();
        let outcome = match tool.call {
            Call::Once(call) => {
                let room = self.room.clone();
                aside(move || call(&room, given)).await
            }
            Call::Wait => self.wait(given, &context).await,
        };
        Ok(shown(outcome).into())
    }
}

/// Clients show it to the person, who calls it by its name.
fn prompt() -> Prompt {
    let about = "How to start and follow Tollgate sessions and play roles in them";
    Prompt::new(PROMPT, Some(about), None).with_title("Work with Tollgate")
}

/// The skill without its front matter, which is for those who look for skills in folders.
fn skill() -> &'static str {
    SKILL.splitn(3, "---\n").last().unwrap_or(SKILL).trim_start()
}

impl Server {
    /// Between two looks nothing is held, so that any number of clients' calls wait side by side.
    async fn wait(&self, given: Object, context: &RequestContext<RoleServer>) -> Outcome {
        let room = self.room.clone();
        let mut waiting = aside(move || Waiting::begin(&room, given)).await?;
        loop {
            let (looked, back) = aside(move || {
                let looked = waiting.look()?;
                Ok((looked, waiting))
            })
            .await?;
            waiting = back;
            if let Some(told) = looked {
                return Ok(told);
            }
            if context.ct.is_cancelled() || self.ended.is_true() {
                return waiting.stopped();
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Runs what blocks on a thread of its own.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|_| {
        Err(Refused::new(
            "cli.bug",
            "the tool was interrupted by a bug; whether it did anything is not known",
        ))
    })
}

fn shown(outcome: Outcome) -> CallToolResult {
    match outcome {
        Ok(value) => CallToolResult::structured(fit::result(value)),
        Err(refused) => CallToolResult::structured_error(fit::result(refused.into_json())),
    }
}

fn described(tool: &Tool) -> ProtocolTool {
    let annotations = ToolAnnotations::new()
        .read_only(tool.effect == Effect::Reads)
        .destructive(false)
        .idempotent(tool.effect == Effect::Reads)
        .open_world(tool.effect != Effect::Reads);
    ProtocolTool::new(tool.name, tool.about, (tool.schema)())
        .with_title(tool.title)
        .with_annotations(annotations)
}
