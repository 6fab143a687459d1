//! The project of a client that names none: the folder that it says it works in.

use super::desk::{Desk, Reach};
use brv_base::environment::Environment;
use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, ProtocolVersion};
use rmcp::service::{Peer, RequestContext};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::Mutex;

/// How long a client may take to say where it works.
const PATIENCE: Duration = Duration::from_secs(2);

/// The variable in which one host says where it works.
const PROJECT: &str = "CLAUDE_PROJECT_DIR";

/// The folders of one client, once it was asked.
#[derive(Debug, Default)]
pub struct ClientRoots(Mutex<Option<Vec<PathBuf>>>);

impl ClientRoots {
    /// Forget what the client said.
    pub async fn forget(&self) {
        *self.0.lock().await = None;
    }

    /// The folder that a call is about which names none.
    pub async fn usual(&self, desk: &Desk, context: &RequestContext<RoleServer>) -> PathBuf {
        if desk.setup.reach == Reach::Below {
            return desk.setup.folder.clone();
        }
        let said = self.said(desk, context).await;
        let said = said.into_iter().filter(|folder| folder.is_dir());
        let all: Vec<PathBuf> = said.chain(of_variable(&desk.setup.environment)).collect();
        let with_tree = all.iter().find(|folder| brv_engine::has_tree(folder, &desk.setup.environment));
        with_tree.or(all.first()).unwrap_or(&desk.setup.folder).clone()
    }

    /// What the client says; asks once. Later versions of the protocol do not have the question.
    async fn said(&self, desk: &Desk, context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
        let mut known = self.0.lock().await;
        if let Some(known) = &*known {
            return known.clone();
        }
        let (can, version) = (context.client_capabilities(), context.protocol_version());
        let said = match is_asked(can.as_ref(), version.as_ref()) {
            true => tokio::select! {
                said = ask(&context.peer) => said,
                // nobody answers any more
                () = desk.ending.cancelled() => Vec::new(),
            },
            false => Vec::new(),
        };
        known.insert(said).clone()
    }
}

/// Whether to ask a client where it works.
pub fn is_asked(can: Option<&ClientCapabilities>, version: Option<&ProtocolVersion>) -> bool {
    can.is_some_and(|can| can.roots.is_some()) && version.is_some_and(ProtocolVersion::has_initialize)
}

/// The folder that the host names in its variable.
pub fn of_variable(environment: &Environment) -> Option<PathBuf> {
    environment.get_filled(PROJECT).map(PathBuf::from).filter(|folder| folder.is_dir())
}

#[expect(deprecated, reason = "clients of the earlier protocol say it so")]
async fn ask(peer: &Peer<RoleServer>) -> Vec<PathBuf> {
    let answer = tokio::time::timeout(PATIENCE, peer.list_roots()).await;
    let Ok(Ok(answer)) = answer else { return Vec::new() };
    answer.roots.iter().filter_map(|root| path(&root.uri)).collect()
}

/// The path of a `file:` address.
fn path(address: &str) -> Option<PathBuf> {
    let rest = address.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let [first, after @ ..] = left {
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
                left = after;
            }
            _ => {
                bytes.push(*first);
                left = after;
            }
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    // `/C:/project`, as Windows has it
    let has_drive = text.as_bytes().get(2) == Some(&b':') && text.starts_with('/');
    let text = if has_drive && cfg!(windows) { text[1..].to_owned() } else { text };
    Some(PathBuf::from(text)).filter(|path| path.is_absolute() || Path::new(path).has_root())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_files_are_paths() {
        assert_eq!(path("file:///home/ada/my%20project"), Some("/home/ada/my project".into()));
        assert_eq!(path("file://localhost/srv"), Some("/srv".into()));
        assert_eq!(path("https://example.org/"), None);
        assert_eq!(path("file:///%zz"), None);
    }
}
