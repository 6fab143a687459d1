//! The list of tools for a client that hears of its changes: empty until a folder of the client has a tree.
//!
//! A client of the later protocol says so when it listens; in the earlier one, by the capability `tools.listChanged`, which
//! few declare. All others have all tools from the start.

use super::desk::Desk;
use super::roots::ClientRoots;
use brv_engine::has_tree;
use rmcp::RoleServer;
use rmcp::service::{RequestContext, SubscriptionContext};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often it is looked whether there is a tree.
const STEP: Duration = Duration::from_secs(2);

/// What one client hears, and what it was given.
pub struct ToolList {
    desk: Arc<Desk>,
    roots: Arc<ClientRoots>,
    /// Whether it hears of changes.
    hears: AtomicBool,
    given: Mutex<Option<ToolListState>>,
    is_watched: AtomicBool,
}

/// The list that a client has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToolListState {
    Empty,
    All,
}

impl ToolList {
    pub fn new(desk: Arc<Desk>, roots: Arc<ClientRoots>) -> Self {
        Self {
            desk,
            roots,
            hears: AtomicBool::default(),
            given: Mutex::default(),
            is_watched: AtomicBool::default(),
        }
    }

    /// The client hears of changes from now on.
    pub fn hear(&self) {
        self.hears.store(true, Ordering::Relaxed);
    }

    /// Whether a client is given the tools now.
    pub async fn is_full(self: &Arc<Self>, context: &RequestContext<RoleServer>) -> bool {
        let is_full = !self.hears.load(Ordering::Relaxed) || self.has_tree(context).await;
        *self.given() = Some(if is_full { ToolListState::All } else { ToolListState::Empty });
        let is_earlier = context.protocol_version().is_some_and(|version| version.has_initialize());
        if is_earlier && !is_full && !self.is_watched.swap(true, Ordering::Relaxed) {
            tokio::spawn(self.clone().watch(context.clone()));
        }
        is_full
    }

    /// Tell a client of the earlier protocol once there is a tree.
    async fn watch(self: Arc<Self>, context: RequestContext<RoleServer>) {
        while !context.peer.is_transport_closed() {
            tokio::time::sleep(STEP).await;
            if self.has_tree(&context).await {
                context.peer.notify_tool_list_changed().await.ok();
                break;
            }
        }
        self.is_watched.store(false, Ordering::Relaxed);
    }

    /// Tell a client of the later protocol when its list changes, for as long as it listens. Never ends.
    pub async fn listen(&self, context: &SubscriptionContext) {
        if context.accepted().tools_list_changed != Some(true) {
            return std::future::pending().await;
        }
        let _listening = ToolListListener(self);
        let mut said = None;
        loop {
            let has_tree = self.has_tree(context.request_context()).await;
            // notify once a client that does not ask for the list anew
            if self.is_old(has_tree) && said != Some(has_tree) {
                said = Some(has_tree);
                context.sink().notify_tool_list_changed().await.ok();
            }
            tokio::time::sleep(STEP).await;
        }
    }

    async fn has_tree(&self, context: &RequestContext<RoleServer>) -> bool {
        has_tree(&self.roots.usual(&self.desk, context).await, &self.desk.setup.environment)
    }

    fn given(&self) -> std::sync::MutexGuard<'_, Option<ToolListState>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the client has another list than it should have.
    fn is_old(&self, has_tree: bool) -> bool {
        let now = if has_tree { ToolListState::All } else { ToolListState::Empty };
        self.given().is_some_and(|given| given != now)
    }
}

/// One request that listens.
struct ToolListListener<'a>(&'a ToolList);

impl Drop for ToolListListener<'_> {
    fn drop(&mut self) {
        self.0.hears.store(false, Ordering::Relaxed);
    }
}
