//! Notices of changes to the clients that want them, whoever made the change: this server, another brv, git, an editor.
//!
//! The repository is looked at every two seconds while somebody listens: `HEAD`, the index, the operations, the files that
//! are listened to. What only a walk of all files can show is looked for after a call.

use super::addresses;
use super::desk::Desk;
use brv_commands::watch::{Watch, WatchSnapshot};
use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const STEP: Duration = Duration::from_secs(2);

/// What one client of the earlier protocol listens to.
#[derive(Debug, Default)]
pub struct WatchedAddresses {
    state: Mutex<NoticeState>,
}

#[derive(Debug, Default)]
struct NoticeState {
    addresses: BTreeMap<String, WatchSpot>,
    is_running: bool,
}

/// Where an address is looked for, and what was there.
#[derive(Debug, Clone)]
struct WatchSpot {
    root: PathBuf,
    /// `None`: there was no tree.
    watch: Option<Watch>,
    seen: WatchSnapshot,
}

impl WatchedAddresses {
    /// Listen to an address, for this client.
    pub fn add(self: &Arc<Self>, address: String, root: PathBuf, desk: &Arc<Desk>, peer: Peer<RoleServer>) {
        let spot = WatchSpot::of(root, &address, desk);
        let mut state = self.lock();
        state.addresses.insert(address, spot);
        if !std::mem::replace(&mut state.is_running, true) {
            tokio::spawn(self.clone().tell(desk.clone(), peer));
        }
    }

    pub fn remove(&self, address: &str) {
        self.lock().addresses.remove(address);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, NoticeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tell the client of changes, until it listens to nothing or is gone.
    async fn tell(self: Arc<Self>, desk: Arc<Desk>, peer: Peer<RoleServer>) {
        let mut done = desk.activity.done();
        loop {
            tokio::time::sleep(STEP).await;
            let depth = WatchDepth::after(&desk, &mut done);
            let before = {
                let mut state = self.lock();
                if state.addresses.is_empty() || peer.is_transport_closed() {
                    state.is_running = false;
                    return;
                }
                state.addresses.clone()
            };
            let looked = desk.clone();
            let found = tokio::task::spawn_blocking(move || changed(before, depth, &looked)).await;
            for (address, now) in found.unwrap_or_default() {
                if let Some(spot) = self.lock().addresses.get_mut(&address) {
                    *spot = now;
                }
                let notice = ResourceUpdatedNotificationParam::new(address);
                if peer.notify_resource_updated(notice).await.is_err() {
                    self.lock().is_running = false;
                    return;
                }
            }
        }
    }
}

/// Tell a client of the later protocol of changes, until it ends its request.
pub async fn listen(desk: &Arc<Desk>, root: PathBuf, context: &SubscriptionContext) {
    let addresses = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let first = |address: String| {
        let spot = WatchSpot::of(root.clone(), &address, desk);
        (address, spot)
    };
    let mut state: BTreeMap<String, WatchSpot> = addresses.into_iter().map(first).collect();
    let mut done = desk.activity.done();
    loop {
        tokio::select! {
            () = context.cancelled() => return,
            () = desk.leaving.cancelled() => return,
            () = tokio::time::sleep(STEP) => {}
        }
        let (before, depth, looked) = (state.clone(), WatchDepth::after(desk, &mut done), desk.clone());
        let found = tokio::task::spawn_blocking(move || changed(before, depth, &looked)).await;
        for (address, now) in found.unwrap_or_default() {
            state.insert(address.clone(), now);
            if context.sink().notify_resource_updated(address).await.is_err() {
                return;
            }
        }
    }
}

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WatchDepth {
    /// The files of git and of brv, and the entry itself.
    Repository,
    /// All files of the tree.
    Files,
}

impl WatchDepth {
    /// All files, if a call was done since the last look.
    fn after(desk: &Desk, done: &mut usize) -> Self {
        let now = desk.activity.done();
        if std::mem::replace(done, now) == now { Self::Repository } else { Self::Files }
    }
}

fn changed(before: BTreeMap<String, WatchSpot>, depth: WatchDepth, desk: &Desk) -> Vec<(String, WatchSpot)> {
    before
        .into_iter()
        .filter_map(|(address, spot)| Some((address.clone(), spot.changed(&address, depth, desk)?)))
        .collect()
}

impl WatchSpot {
    fn of(root: PathBuf, address: &str, desk: &Desk) -> Self {
        let watch = Watch::of(&root, &desk.setup.environment);
        let seen = seen(address, watch.as_ref(), WatchDepth::Files);
        Self { root, watch, seen }
    }

    /// How it is now, if that is another way than before.
    fn changed(self, address: &str, depth: WatchDepth, desk: &Desk) -> Option<Self> {
        if self.watch.is_none() {
            return Some(Self::of(self.root, address, desk)).filter(|now| now.watch.is_some());
        }
        let now = seen(address, self.watch.as_ref(), depth);
        now.differs(&self.seen).then(|| Self { seen: now.over(self.seen), ..self })
    }
}

fn seen(address: &str, watch: Option<&Watch>, depth: WatchDepth) -> WatchSnapshot {
    let Some(watch) = watch else { return WatchSnapshot::default() };
    match addresses::entry(address) {
        Some(path) => watch.entry(&path),
        None => watch.tree(depth == WatchDepth::Files),
    }
}
