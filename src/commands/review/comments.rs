//! `brv review comments`: list what was said about entries and changes, or wait for it.

use super::comment::shown;
use super::foreign;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::naming::resolve::{self, Named};
use brv_engine::read::history::source::Reading;
use brv_engine::review::{Comment, CommentState, Comments, ReviewExtent};
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often it is looked whether somebody said something.
const PAUSE: Duration = Duration::from_millis(200);

/// After how many looks they are read again, whatever the looks show.
const READINGS: usize = 5;

/// The longest wait.
pub const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// Which comments to list.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Those on this change, entry or folder, or the one of this id; without one, all.
    pub id: Option<String>,
    /// Also those whose change was decided about.
    pub all: bool,
    /// Only those that wait for an answer, and for how long to wait until there is one.
    pub wait: Option<Duration>,
}

/// `brv.review.comments/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReviewComments")]
pub struct Outcome {
    /// The oldest first.
    pub comments: Vec<Comment>,
    /// How many they are.
    pub count: usize,
}

/// List them.
///
/// # Errors
/// Nothing is called as typed; Ctrl-C.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let chosen = options.id.as_deref().map(|typed| CommentFilter::of(cx, &opened, typed)).transpose()?;
    let ends = options.wait.map(|wait| Instant::now() + wait.min(LONGEST_WAIT));
    let interrupt = git::interrupt();
    loop {
        let mut comments = Comments::read(&opened)?.all;
        comments.retain(|one| chosen.as_ref().is_none_or(|chosen| chosen.has(one)));
        comments.retain(|one| match (options.wait, options.all) {
            (Some(_), _) => one.state == CommentState::Open,
            (None, is_all) => is_all || one.state != CommentState::Closed,
        });
        let is_over = || ends.is_none_or(|ends| Instant::now() >= ends);
        if !comments.is_empty() || is_over() {
            let comments: Vec<Comment> = comments.into_iter().map(|one| shown(cx, one)).collect();
            return Ok(Outcome { count: comments.len(), comments });
        }
        // what was written while they were read shows at the next reading, a second later at most
        let stamp = Comments::stamp(&opened)?;
        for _ in 0..READINGS {
            if interrupt.load(Ordering::Relaxed) {
                return Err(Stop::new(FailureKind::Interrupted, "interrupted"));
            }
            let left = ends.map_or(PAUSE, |ends| ends.saturating_duration_since(Instant::now()));
            std::thread::sleep(left.min(PAUSE));
            if is_over() || Comments::stamp(&opened)? != stamp {
                break;
            }
        }
    }
}

/// What a typed name chooses.
enum CommentFilter {
    /// The ids of changes and comments.
    Ids(Vec<String>),
    /// An entry, or a folder and what is below it.
    Path(String),
}

impl CommentFilter {
    fn of(cx: &Context<'_>, opened: &Opened, typed: &str) -> Result<Self, Stop> {
        match resolve::resolve(&opened.scope.root(), &cx.cwd, typed)? {
            Some(Named::File(path)) => return Ok(Self::Path(path.to_string())),
            Some(Named::Folder(path)) => return Ok(Self::Path(path)),
            _ => {}
        }
        let id = typed.trim().to_lowercase();
        let all = Comments::read(opened)?.all;
        if let Some(gone) = all.iter().find(|one| one.path == typed) {
            return Ok(Self::Path(gone.path.clone()));
        }
        let is_named = |name: &str| !id.is_empty() && name.starts_with(&id);
        let mut ids: Vec<String> = Vec::new();
        for one in &all {
            let names = [Some(&one.id), one.change.as_ref()];
            ids.extend(names.into_iter().flatten().filter(|name| is_named(name)).cloned());
        }
        ids.sort_unstable();
        ids.dedup();
        let reviewed = foreign::read(opened, ReviewExtent::Everything)?;
        let found = super::called(&reviewed, typed);
        match (&ids[..], found) {
            ([], Ok(None)) if typed.contains(['/', '.']) => {
                Err(resolve::missing(typed, &Reading::open(&opened.scope, None)?.curated_paths(opened)?))
            }
            ([], Ok(None)) => {
                let message = format!("there is no comment, change or entry `{typed}`");
                Err(Stop::usage(message).hint("`brv review comments --all` lists comments"))
            }
            ([], Err(stop)) => Err(stop),
            ([_, _, ..], _) => {
                Err(Stop::usage(format!("`{typed}` is ambiguous: {} begin with it", ids.join(", "))))
            }
            (_, Ok(Some(found))) => {
                Ok(Self::Ids(found.iter().map(|(flag, _)| flag.id.clone()).chain(ids).collect()))
            }
            (_, Ok(None) | Err(_)) => Ok(Self::Ids(ids)),
        }
    }

    fn has(&self, comment: &Comment) -> bool {
        match self {
            Self::Ids(ids) => {
                ids.contains(&comment.id) || comment.change.as_ref().is_some_and(|id| ids.contains(id))
            }
            Self::Path(path) => {
                let rest = comment.path.strip_prefix(path.as_str());
                rest.is_some_and(|rest| path.is_empty() || rest.is_empty() || rest.starts_with('/'))
            }
        }
    }
}
