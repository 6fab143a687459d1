//! The protocol of one client: its calls, resources, prompts and subscriptions.

use super::answer::{self, Format};
use super::client::{Client, CommandJob};
use super::desk::Desk;
use super::notices;
use super::schema::MOST_TOKENS;
use super::tool_list::ToolList;
use super::tools::{self, Tool, ToolInputForm, ToolKind};
use super::{addresses, coerce, instructions, prompts, resources, roots, schema};
use crate::say::{Failure, Reply};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, DiscoverResult, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// The server of one client.
#[derive(Clone)]
pub struct McpServer(Client);

impl McpServer {
    pub fn new(desk: Arc<Desk>) -> Self {
        Self(Client::new(desk))
    }

    /// What its client hears of the list of tools.
    pub fn tool_list(&self) -> Arc<ToolList> {
        self.0.tool_list.clone()
    }

    async fn call(
        &self,
        tool: &'static Tool,
        mut given: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let _running = self.0.desk.activity.begin();
        let usual = self.0.usual_root(context).await;
        let is_writing = !tool.is_reading();
        let refuse = |failure, root: &Path| Ok(answer::refused(failure, is_writing, root));
        let named = match text(&mut given, "root") {
            Ok(named) => named,
            Err(failure) => return refuse(failure, &usual),
        };
        let root = match self.0.desk.root(named.as_deref(), &usual) {
            Ok(root) => root,
            Err(failure) => return refuse(failure, &usual),
        };
        let schema = schema::input(tool, &*self.0.desk.commands);
        let typed = coerce::to_types(tool, &schema, &mut given, |path| root.join(path).exists());
        let (form, work) = match typed.and_then(|()| read(tool, given)) {
            Ok(read) => read,
            Err(failure) => return refuse(failure, &root),
        };
        if tool.command == "undo" && self.needs_id(&work.input) {
            let failure = Failure::usage("`id` is missing: this connection has no session");
            return refuse(failure, &root);
        }
        let reply = naming_root(self.0.run(work, root.clone(), context).await?, &root);
        Ok(match is_writing {
            true => answer::writing(&reply, &root, form.most_tokens),
            false => answer::reading(&reply, form.format, form.most_tokens),
        })
    }

    /// Whether an undo would take back what somebody else did last.
    fn needs_id(&self, input: &Value) -> bool {
        self.0.desk.setup.session.is_none() && input.get("operation").is_none()
    }
}

/// A failure for want of a tree says how to name another folder.
fn naming_root(mut reply: Reply, root: &Path) -> Reply {
    if let Some(failure) = &mut reply.failure
        && failure.exit == crate::say::Exit::NotInitialised
    {
        failure.stop.details.push(format!("`root` is `{}`", root.display()));
        failure.stop.hint =
            Some("`root` names the folder of another project; a person makes a tree here with `brv init` in a shell".into());
    }
    reply
}

/// The form of an answer.
struct AnswerSettings {
    format: Format,
    most_tokens: u64,
}

/// Make the input of the command from that of the tool, whose values have the types of its schema.
fn read(tool: &'static Tool, mut given: JsonObject) -> Result<(AnswerSettings, CommandJob), Failure> {
    let mut wanted = AnswerSettings { format: Format::Markdown, most_tokens: MOST_TOKENS };
    let mut command_format = None;
    if let ToolKind::Reading { text_format } = tool.kind {
        wanted.format = match text(&mut given, "format")?.as_deref() {
            None | Some("markdown") => Format::Markdown,
            Some("json") => Format::Json,
            Some(other) => {
                return Err(Failure::usage(format!("`format` is `{other}`: expected markdown or json")));
            }
        };
        if let Some(value) = given.remove("max_tokens").filter(|value| !value.is_null()) {
            let number = value.as_u64().filter(|number| *number > 0);
            wanted.most_tokens = number.ok_or_else(|| {
                Failure::usage(format!("`max_tokens` is {value}: expected a number above 0"))
            })?;
        }
        command_format =
            if wanted.format == Format::Json { text_format.map(|_| "json") } else { text_format };
    }
    let (mut input, mut read) = (Map::new(), Vec::new());
    for one in tool.inputs {
        let value = given.remove(one.name).filter(|value| !value.is_null());
        match (one.form, value) {
            (ToolInputForm::On, None) => drop(input.insert(one.of.into(), true.into())),
            (ToolInputForm::Usual(usual), None) => {
                drop(input.insert(one.of.into(), words(one.of, usual.into())))
            }
            (ToolInputForm::Same | ToolInputForm::One { is_required: false }, None) => {}
            (ToolInputForm::One { is_required: true } | ToolInputForm::Operations, None) => {
                return Err(Failure::usage(format!("`{}` is missing", one.name)));
            }
            (ToolInputForm::Same | ToolInputForm::On, Some(value)) => {
                drop(input.insert(one.of.into(), value))
            }
            (ToolInputForm::One { .. } | ToolInputForm::Usual(_), Some(value)) => {
                drop(input.insert(one.of.into(), words(one.of, value)))
            }
            (ToolInputForm::Operations, Some(value)) => {
                read = value.to_string().into_bytes();
                input.insert(one.of.into(), "-".into());
            }
        }
    }
    if let Some(unknown) = given.keys().next() {
        let known: Vec<&str> = tool.inputs.iter().map(|one| one.name).collect();
        let failure = Failure::usage(format!("`{}` has no input `{unknown}`", tool.name));
        return Err(failure.hinting(Some(format!("it has: {}, root", known.join(", ")))));
    }
    Ok((
        wanted,
        CommandJob { command: tool.command, input: Value::Object(input), format: command_format, read },
    ))
}

/// One text, for an option that the command takes once or several times.
fn words(option: &str, text: Value) -> Value {
    if option == "operation" { text } else { Value::Array(vec![text]) }
}

/// Take a text out of the input.
fn text(given: &mut JsonObject, name: &str) -> Result<Option<String>, Failure> {
    match given.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Failure::usage(format!("`{name}` must be a string"))),
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .build();
        let who = Implementation::new("brv", env!("CARGO_PKG_VERSION")).with_title("brv");
        ServerConfig::new(capabilities).with_server_info(who)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let info = self.negotiate_initialize(&request)?;
        let says_roots = roots::is_asked(Some(&request.capabilities), Some(&info.protocol_version));
        let text = instructions::of(&self.0.desk, Some(&request.client_info.name), says_roots);
        Ok(info.with_instructions(text))
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let client = context.client_info().map(|client| client.name);
        let text = instructions::of(&self.0.desk, client.as_deref(), false);
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info().with_instructions(text)))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.0.desk.activity.touch();
        if !self.0.tool_list.is_full(&context).await {
            return Ok(ListToolsResult::with_all_items(Vec::new()));
        }
        let commands = &*self.0.desk.commands;
        let tools = tools::listed(self.0.desk.offer()).map(|tool| schema::listed(tool, commands));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::find(&request.name, self.0.desk.offer()) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        };
        Ok(self.call(tool, request.arguments.unwrap_or_default(), &context).await?.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.0.desk.activity.touch();
        Ok(ListResourcesResult::with_all_items(resources::listed()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let content = resources::read(&self.0, &request.uri, &context).await?;
        Ok(ReadResourceResult::new(vec![content]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::listed()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::get(&self.0, request, &context).await?.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        addresses::check(&request.uri)?;
        let root = self.0.usual_root(&context).await;
        self.0.watched.add(request.uri, root, &self.0.desk, context.peer);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.watched.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let known = requested.resource_subscriptions.iter().flatten();
        let known: Vec<String> = known.filter(|address| addresses::check(address).is_ok()).cloned().collect();
        let filter = SubscriptionFilter::builder().resource_subscriptions(known);
        if requested.tools_list_changed != Some(true) {
            return Some(filter.build());
        }
        // before the client learns that it listens, so that its next list is the right one
        self.0.tool_list.hear();
        Some(filter.tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let root = self.0.roots.usual(&self.0.desk, context.request_context()).await;
        tokio::select! {
            () = notices::listen(&self.0.desk, root, &context) => {}
            () = self.0.tool_list.listen(&context) => {}
        }
        Ok(())
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.0.roots.forget().await;
    }
}
