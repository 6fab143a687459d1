//! One client: the folder that it works in, what it listens to, and how its calls run.

use super::desk::{Desk, McpCaller};
use super::notices::WatchedAddresses;
use super::progress::Notices;
use super::roots::ClientRoots;
use super::tool_list::ToolList;
use crate::say::{CommandCall, Reply};
use brv_base::progress::{Progress, Silent};
use brv_commands::connectors;
use brv_engine::Interrupt;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{mpsc, oneshot};

#[derive(Clone)]
pub struct Client {
    pub desk: Arc<Desk>,
    pub roots: Arc<ClientRoots>,
    pub watched: Arc<WatchedAddresses>,
    pub tool_list: Arc<ToolList>,
    /// Whether it is remembered that this client called.
    is_noted: Arc<AtomicBool>,
}

/// What runs on a thread: a command, with the input that its tool made of the client's.
pub struct CommandJob {
    pub command: &'static str,
    pub input: Value,
    pub format: Option<&'static str>,
    /// What the command reads instead of standard input.
    pub read: Vec<u8>,
}

impl Client {
    pub fn new(desk: Arc<Desk>) -> Self {
        let roots = Arc::<ClientRoots>::default();
        let tool_list = Arc::new(ToolList::new(desk.clone(), roots.clone()));
        Self { desk, roots, watched: Arc::default(), tool_list, is_noted: Arc::default() }
    }

    /// Run a command for a client; its progress is sent on, and the client may cancel it.
    pub async fn run(
        &self,
        work: CommandJob,
        root: PathBuf,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply, ErrorData> {
        let (sender, mut notices) = mpsc::unbounded_channel();
        let progress: Box<dyn Progress> = match context.meta.get_progress_token() {
            Some(token) => Box::new(Notices::new(token, sender)),
            None => Box::new(Silent),
        };
        let interrupt = Arc::new(Interrupt::new());
        let name = context.client_info().map(|client| client.name);
        let caller = McpCaller { name, root, progress, interrupt: interrupt.clone() };
        let desk = self.desk.clone();
        let turn = tokio::select! {
            biased;
            () = self.is_over(context) => return Err(over()),
            turn = desk.turn() => turn.ok_or_else(over)?,
        };
        let is_first = !self.is_noted.swap(true, Ordering::Relaxed);
        let (reply, mut replied) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            // a call that is given up has its turn until its thread ends
            let _turn = turn;
            if let Some(name) = caller.name.as_ref().filter(|_| is_first) {
                connectors::called_by(name, &desk.setup.environment, desk.setup.clock);
            }
            let call = CommandCall { command: work.command, input: &work.input, format: work.format };
            let mut reply = Some(reply);
            desk.reply(&call, &caller, work.read, &mut |answer| {
                // a client that cancelled gets nothing
                if let Some(reply) = reply.take() {
                    reply.send(answer).ok();
                }
            });
        });
        loop {
            tokio::select! {
                biased;
                () = self.is_over(context) => {
                    interrupt.stop();
                    return Err(over());
                }
                Some(notice) = notices.recv() => {
                    // a client that does not listen misses it
                    context.peer.notify_progress(notice).await.ok();
                }
                done = &mut replied => {
                    // without a reply the thread died
                    return done.map_err(|_| ErrorData::internal_error("the command died", None));
                }
            }
        }
    }

    /// Wait until the client cancels the call, or has left.
    async fn is_over(&self, context: &RequestContext<RoleServer>) {
        tokio::select! {
            () = context.ct.cancelled() => {}
            () = self.desk.leaving.cancelled() => {}
        }
    }

    /// The folder of the project that a client works in.
    pub async fn usual_root(&self, context: &RequestContext<RoleServer>) -> PathBuf {
        self.roots.usual(&self.desk, context).await
    }
}

/// The answer of a call that was given up, or never began.
fn over() -> ErrorData {
    ErrorData::internal_error("cancelled", None)
}
