//! Who wrote a commit of the host: the user, or somebody else.
//!
//! The user's own is what the log of `HEAD` says was committed here, with an address of the user. What `am`, `cherry-pick` and a
//! rebase repeat is the user's only if the same change was committed here before: whoever forges an author gains nothing.

use super::{HostCommit, Route};
use brv_base::fs;
use brv_engine::open::hosting::Host;
use brv_git as git;
use brv_git::mailmap::Mailmap;
use brv_git::patch_id;
use brv_git::reflog::{self, Line};
use brv_git::{CommitId, Scope};
use bstr::ByteSlice as _;
use std::cell::OnceCell;
use std::collections::HashMap;

/// The longest name that is written behind what somebody stated, in characters.
const LONGEST: usize = 80;

/// Who wrote a commit.
pub(super) struct Written {
    /// Whose it is, if not the user's: the name, on one line.
    pub by: Option<String>,
    /// The address by which its author is compared with those of statements. `None`: it claims to be the user's, and
    /// nothing shows that it is.
    pub address: Option<String>,
    /// Whether the author names another address than the user's.
    pub is_of_others: bool,
}

/// Who the authors of the host's commits are.
pub struct Authors<'a> {
    scope: &'a Scope,
    mailmap: Mailmap,
    /// What the user committed here, by the logs: by the time of its author.
    own: OnceCell<HashMap<i64, Vec<CommitId>>>,
}

impl<'a> Authors<'a> {
    pub fn of(host: &'a Host) -> Self {
        Self { scope: &host.scope, mailmap: Mailmap::of(&host.scope), own: OnceCell::new() }
    }

    /// The address by which an author is compared with others.
    pub(super) fn address(&self, author: &git::Signature) -> String {
        self.mailmap.address(author)
    }

    /// Who wrote a commit that comes in by this route.
    pub(super) fn written(&self, commit: &HostCommit, route: Route) -> Written {
        let has_own_address = self.mailmap.is_own(&commit.author);
        let is_own = has_own_address && self.was_committed_here(commit);
        let name: String = self.mailmap.name(&commit.author).to_str_lossy().chars().take(LONGEST).collect();
        let is_forged = has_own_address && !is_own && route == Route::Hook;
        Written {
            by: Some(one_line(&name)).filter(|name| !is_own && !name.is_empty()),
            address: Some(self.address(&commit.author)).filter(|_| !is_forged),
            is_of_others: !has_own_address,
        }
    }

    /// Whether the commit, or one with the same change and the same time of its author, was committed here by the user.
    fn was_committed_here(&self, commit: &HostCommit) -> bool {
        let own = self.own.get_or_init(|| self.committed_here().unwrap_or_default());
        let Some(alike) = own.get(&commit.author.seconds) else { return false };
        let patch = |id: CommitId| patch_id::of_commit(self.scope, id).ok().flatten();
        alike.contains(&commit.id)
            || patch(commit.id).is_some_and(|own| alike.iter().any(|id| patch(*id) == Some(own)))
    }

    fn committed_here(&self) -> Result<HashMap<i64, Vec<CommitId>>, fs::Error> {
        let mut all: HashMap<i64, Vec<CommitId>> = HashMap::new();
        for log in reflog::of_heads(self.scope)? {
            let text = fs::read_if_there(&log.file)?.unwrap_or_default();
            for line in text.lines().filter_map(Line::parse).filter(Line::is_of_committer) {
                let Ok(commit) = git::commit::read(self.scope, line.new) else { continue };
                if self.mailmap.is_own(&commit.author) {
                    all.entry(commit.author.seconds).or_default().push(line.new);
                }
            }
        }
        Ok(all)
    }
}

fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
