//! A server with the tools, resources and prompts that the conformance suites call by name. What it answers stands in
//! `names.json`; how it is served is brv's own.

#![expect(deprecated, reason = "the suite of the older era asks for logging and sampling")]

use brv::mcp::http::{BearerPolicy, ServerAddress, serve_handler};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, CompleteRequestParams,
    CompleteResult, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData as Error, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::sync::broadcast;

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A wave file without samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

static NAMES: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("names.json").replace("\"PNG\"", &format!("\"{PNG}\""));
    serde_json::from_str(&text.replace("\"WAV\"", &format!("\"{WAV}\""))).expect("the file is valid")
});

/// What a call changed, for those who listen.
#[derive(Debug, Clone, Copy)]
enum Change {
    Tools,
    Prompts,
}

/// The server; all its clones announce the same changes.
#[derive(Debug, Clone)]
pub struct Named {
    changes: Arc<broadcast::Sender<Change>>,
}

impl Named {
    pub fn new() -> Self {
        Self { changes: Arc::new(broadcast::Sender::new(16)) }
    }
}

/// A part of `names.json`, as the type that the protocol has for it.
fn named<T: DeserializeOwned>(mut value: Value) -> T {
    value["resultType"] = json!("complete");
    serde_json::from_value(value).expect("the file has the protocol's shapes")
}

/// The list of all that stands under `key`.
fn all<T: DeserializeOwned>(key: &str, field: &str) -> T {
    let mut items = NAMES[key].clone();
    for item in items.as_array_mut().into_iter().flatten().filter(|_| key == "tools") {
        let tool = item.as_object_mut().expect("each is an object");
        tool.entry("inputSchema").or_insert_with(|| json!({"type": "object"}));
        tool.entry("description").or_insert_with(|| json!("called by the conformance suite"));
    }
    named(json!({field: items}))
}

/// The three steps of a tool that shows what it is doing.
async fn show_steps(context: &RequestContext<RoleServer>, log: bool) {
    let token = context.meta.get_progress_token();
    for (done, said) in [(0.0, "started"), (50.0, "processing"), (100.0, "completed")] {
        if let Some(token) = token.clone() {
            let progress = ProgressNotificationParam::new(token, done).with_total(100.0);
            drop(context.peer.notify_progress(progress).await);
        }
        if log {
            let line =
                LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(format!("Tool {said}")));
            drop(context.peer.notify_logging_message(line).await);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

impl ServerHandler for Named {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, Error> {
        Ok(all("tools", "tools"))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools: ListToolsResult = all("tools", "tools");
        tools.tools.into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Error> {
        let name = request.name.as_ref();
        let modern = context.protocol_version().is_some_and(|version| version.as_str() >= "2026-07-28");
        match name {
            "test_tool_with_progress" => show_steps(&context, false).await,
            "test_tool_with_logging" | "test_logging_tool" => {
                show_steps(&context, !modern || context.meta.log_level().is_some()).await;
            }
            "test_trigger_tool_change" => drop(self.changes.send(Change::Tools)),
            "test_trigger_prompt_change" => drop(self.changes.send(Change::Prompts)),
            "test_missing_capability" => {
                let needed = ClientCapabilities::builder().enable_sampling().build();
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            _ => {}
        }
        match NAMES["results"].get(name) {
            Some(result) => Ok(named::<CallToolResult>(result.clone()).into()),
            None => Err(Error::invalid_params(format!("no tool is called {name}"), None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, Error> {
        Ok(all("resources", "resources"))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, Error> {
        Ok(all("templates", "resourceTemplates"))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, Error> {
        let id = request.uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let content = match (id, NAMES["contents"].get(&request.uri)) {
            (Some(id), _) => {
                let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
                json!({"uri": request.uri, "mimeType": "application/json", "text": text.to_string()})
            }
            (None, Some(content)) => content.clone(),
            (None, None) => {
                return Err(Error::resource_not_found("no such resource", Some(json!({"uri": request.uri}))));
            }
        };
        Ok(named::<ReadResourceResult>(json!({"contents": [content]})).into())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), Error> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), Error> {
        Ok(())
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), Error> {
        Ok(())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, Error> {
        Ok(named(json!({"completion": {"values": ["paris", "park"], "total": 2, "hasMore": false}})))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, Error> {
        Ok(all("prompts", "prompts"))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, Error> {
        let Some(messages) = NAMES["messages"].get(&request.name) else {
            return Err(Error::invalid_params(format!("no prompt is called {}", request.name), None));
        };
        let mut text = messages.to_string();
        for (name, value) in request.arguments.iter().flatten() {
            text = text.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default());
        }
        let messages: Value = serde_json::from_str(&text).expect("the arguments need no escapes");
        Ok(named::<GetPromptResult>(json!({"messages": messages})).into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), Error> {
        let mut changes = self.changes.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => drop(match change {
                    Ok(Change::Tools) => context.sink().notify_tool_list_changed().await,
                    Ok(Change::Prompts) => context.sink().notify_prompt_list_changed().await,
                    Err(_) => return Ok(()),
                }),
            }
        }
    }
}

/// Serve it as brv serves itself, but to everybody; returns the address.
pub fn serve() -> String {
    let (sender, address) = std::sync::mpsc::channel();
    let named = Named::new();
    std::thread::spawn(move || {
        let socket = ([127, 0, 0, 1], 0).into();
        let started = |address: &ServerAddress| sender.send(address.url()).unwrap();
        serve_handler(move || named.clone(), (socket, BearerPolicy::None), started)
    });
    address.recv().expect("it starts")
}
