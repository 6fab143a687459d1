//! `brv ui`: what a server of pages is for, and which one runs already for a tree.
//!
//! Serves nothing: that is the program's.

pub mod export;
pub mod moved;

use brv_base::content::fnv;
use brv_base::environment::Environment;
use brv_base::fs::{self, Form, WriteGuard};
use brv_base::path::PathKind;
use brv_base::process;
use brv_engine::Stop;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::hosting;
use brv_engine::open::naming::resolve::{self, Named};
use brv_engine::open::naming::revisions::{self, Revision};
use brv_engine::read::history::source::Reading;
use brv_engine::review::{self, ReviewExtent};
use brv_git::merge_state;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `brv.ui/1`
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Ui")]
pub struct Outcome {
    /// The address to open, with a key that signs in once, within ten minutes.
    pub url: String,
    /// The port of this machine that is served.
    pub port: u16,
    /// Whether a server that was started before serves it.
    pub reused: bool,
    /// Whether the address signs in without the right to write: with `--read-only`, or for an agent, which may still comment.
    pub read_only: bool,
    /// Whether a browser was told to open it.
    pub opened: bool,
    /// The same for a browser without scripts, with a key of its own; with `--no-open`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_script: Option<String>,
}

/// What the pages are about.
#[derive(Debug, Clone)]
pub struct UiTarget {
    /// The folder of the context tree.
    pub tree: PathBuf,
    /// The name of the project: that of its folder.
    pub project: String,
    pub page: UiPage,
}

/// The page that is opened first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UiPage {
    /// The overview.
    Home,
    Folder(String),
    Entry(String),
    /// What waits for review.
    Review,
    /// What would be served.
    Why,
    /// A change to review, by its id.
    Change(String),
    /// A commit, as named.
    Commit(String),
    /// The difference of two, as named.
    Difference(String),
}

/// Find the tree, and what is named in it.
///
/// # Errors
/// There is no tree, or nothing of that name.
pub fn find(cx: &Context<'_>, name: Option<&str>) -> Result<UiTarget, Stop> {
    let opened = cx.open()?;
    let page = match name {
        None => UiPage::Home,
        Some(name) => named(cx, &opened, name)?,
    };
    let project = opened.places.project.file_name().unwrap_or_default();
    Ok(UiTarget { tree: opened.places.tree(), project: project.to_string_lossy().into_owned(), page })
}

/// Whether a merge is not finished.
///
/// # Errors
/// There is no tree.
pub fn is_merging(cx: &Context<'_>) -> Result<bool, Stop> {
    Ok(merge_state::is_under_way(&cx.open()?.scope))
}

/// Whether there is a commit.
///
/// # Errors
/// There is no tree.
pub fn has_commits(cx: &Context<'_>) -> Result<bool, Stop> {
    Ok(cx.open()?.scope.head()?.commit().is_some())
}

/// The commit of the code around the project.
pub fn code_head(cx: &Context<'_>) -> Option<String> {
    let opened = cx.open().ok()?;
    hosting::code_head(&opened, &cx.cwd).map(|head| head.commit.to_string())
}

/// Whether a marked change, an operation or a dream that marked some is called so.
fn is_change(opened: &Opened, name: &str) -> Result<bool, Stop> {
    /// The digits of an id that are enough to name it.
    const FEWEST: usize = 6;
    let typed = name.to_lowercase();
    let flags = review::read(opened, ReviewExtent::Everything)?.flags;
    Ok(flags.iter().any(|(flag, _)| {
        let is_operation = flag.operation.as_ref().is_some_and(|operation| operation.is_called(&typed));
        is_operation
            || flag.dream.as_deref() == Some(name)
            || typed.len() >= FEWEST && flag.id.starts_with(&typed)
    }))
}

fn named(cx: &Context<'_>, opened: &Opened, name: &str) -> Result<UiPage, Stop> {
    let reading = Reading::open(&opened.scope, None)?;
    Ok(match reading.resolve(&cx.cwd, name)? {
        Some(Named::Folder(path)) => UiPage::Folder(path),
        Some(Named::File(path)) if path.kind() == PathKind::NodeOverview => {
            UiPage::Folder(path.folder().to_owned())
        }
        Some(Named::File(path) | Named::Abstract(path) | Named::Overview(path))
            if path.kind().is_curated() =>
        {
            UiPage::Entry(path.to_string())
        }
        None if name == "review" => UiPage::Review,
        None if name == "why" => UiPage::Why,
        None if is_change(opened, name)? => UiPage::Change(name.to_owned()),
        _ => match revisions::parse(&opened.scope, name) {
            Ok(Revision::Single(_)) => UiPage::Commit(name.to_owned()),
            Ok(Revision::Range(..) | Revision::Symmetric(..)) => UiPage::Difference(name.to_owned()),
            _ => return Err(resolve::missing(name, &reading.curated_paths(opened)?)),
        },
    })
}

/// How long a start waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server that runs, as noted for those who come later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningServer {
    pub process: u32,
    pub port: u16,
    /// What it gives new keys for.
    pub secret: String,
}

/// Where the server of a tree is noted: a file that only its user reads.
#[derive(Debug, Clone)]
pub struct ServerNote(PathBuf);

impl ServerNote {
    /// Of the tree in this folder.
    ///
    /// # Errors
    /// The user has no folder for it.
    pub fn of(environment: &Environment, tree: &Path) -> Result<Self, Stop> {
        let folder = environment.user_folder("XDG_STATE_HOME", ".local/state", "LOCALAPPDATA");
        let folder = folder.ok_or_else(|| {
            Stop::failed(
                "the server cannot be noted: neither `HOME` nor `XDG_STATE_HOME` is the path of a folder",
            )
        })?;
        Ok(Self(folder.join("brv").join("ui").join(format!("{:016x}.json", number(tree)))))
    }

    /// Keep others from starting a server until this is dropped; a few seconds are waited for one that is.
    ///
    /// # Errors
    /// Another one starts, and takes too long; the file of the lock cannot be written.
    pub fn lock(&self) -> Result<WriteGuard, Stop> {
        Ok(WriteGuard::acquire(&self.0.with_extension("lock"), PATIENCE)?)
    }

    /// The server that is noted, if its process lives.
    pub fn read(&self) -> Option<RunningServer> {
        let bytes = fs::read_shipped(&self.0, Form::State).ok()??;
        let noted: RunningServer = serde_json::from_slice(&bytes).ok()?;
        process::is_alive(noted.process).then_some(noted)
    }

    /// Note a server.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, server: &RunningServer) -> Result<(), fs::Error> {
        fs::replace_private(&self.0, &serde_json::to_vec(server).unwrap_or_default())
    }

    /// Forget a server, if it is the one that is noted.
    pub fn remove(&self, server: &RunningServer) {
        if self.read().as_ref() == Some(server) {
            // a note of a process that is gone counts as none
            drop(fs::remove_file(&self.0));
        }
    }
}

/// The port that the server of a tree prefers, so that its address stays: from 49152, the first that no service has (RFC 6335,
/// section 6).
pub fn usual_port(tree: &Path) -> u16 {
    49_152 + u16::try_from(number(tree) % 16_384).unwrap_or_default()
}

fn number(tree: &Path) -> u64 {
    fnv(tree.as_os_str().as_encoded_bytes().iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_private_and_counts_while_its_process_lives() {
        let home = tempfile::tempdir().unwrap();
        let environment: Environment = [("HOME", home.path())].into_iter().collect();
        let [one, other] =
            ["/a/one", "/a/other"].map(|tree| ServerNote::of(&environment, Path::new(tree)).unwrap());
        assert_eq!(one.read(), None);
        let server = RunningServer { process: std::process::id(), port: 50_000, secret: "s".into() };
        one.write(&server).unwrap();
        assert_eq!((one.read().as_ref(), other.read()), (Some(&server), None));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&one.0).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        one.remove(&RunningServer { port: 50_001, ..server.clone() });
        assert!(one.read().is_some(), "another's note stays");
        one.remove(&server);
        assert_eq!(one.read(), None);
    }

    #[test]
    fn a_tree_has_one_port() {
        let port = |tree: &str| usual_port(Path::new(tree));
        assert_eq!(port("/a/one"), port("/a/one"));
        assert_ne!(port("/a/one"), port("/a/other"));
        assert!(port("/a/one") >= 49_152);
    }
}
