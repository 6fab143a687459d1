//! Who wrote a commit of the host: the user, or somebody else.
//!
//! The user's own is what the log of `HEAD` says was committed here, with an address of the user. What `am`, `cherry-pick` and a
//! rebase repeat, and what amends it, is the user's only if the same change was committed here before with the same message:
//! whoever forges an author gains nothing.

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
pub(super) struct CommitAuthor {
    /// Whose it is, if not the user's: the name, on one line.
    pub by: Option<String>,
    /// The address by which its author is compared with those of statements. `None`: it claims to be the user's, and
    /// nothing shows that it is.
    pub address: Option<String>,
    /// Whether the name belongs behind what is stated, where no commit of the tree can say it.
    pub is_named: bool,
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

    /// Whether the user wrote a commit, here.
    pub fn is_own(&self, commit: &HostCommit) -> bool {
        self.mailmap.is_own(&commit.author) && self.was_committed_here(commit)
    }

    /// Who wrote a commit that comes in by this route.
    pub(super) fn written(&self, commit: &HostCommit, route: Route) -> CommitAuthor {
        let has_own_address = self.mailmap.is_own(&commit.author);
        let is_own = has_own_address && self.was_committed_here(commit);
        let address = self.address(&commit.author);
        let name = one_line(&self.mailmap.name(&commit.author).to_str_lossy());
        let name = [name, address.clone(), "somebody".to_owned()].into_iter().find(|name| !name.is_empty());
        let name = name.map(|name| name.chars().take(LONGEST).collect::<String>());
        let is_forged = has_own_address && !is_own && route == Route::Hook;
        CommitAuthor {
            by: name.filter(|_| !is_own),
            address: Some(address).filter(|_| !is_forged),
            is_named: !is_own && (is_forged || !has_own_address),
        }
    }

    /// Whether the commit, or one with the same change and message and the same time of its author, was committed here by
    /// the user.
    fn was_committed_here(&self, commit: &HostCommit) -> bool {
        let own = self.own.get_or_init(|| self.committed_here().unwrap_or_default());
        own.get(&commit.author.seconds).is_some_and(|alike| self.is_among(commit.id, alike))
    }

    fn is_among(&self, id: CommitId, alike: &[CommitId]) -> bool {
        if alike.contains(&id) {
            return true;
        }
        let patch = |id: CommitId| patch_id::of_commit(self.scope, id).ok().flatten();
        let message = |id: CommitId| git::commit::read(self.scope, id).map(|one| said(&one)).ok();
        let Some((patch_of, said)) = patch(id).zip(message(id)) else { return false };
        alike.iter().any(|one| patch(*one) == Some(patch_of) && message(*one).as_ref() == Some(&said))
    }

    /// What the user committed here. Who amends a commit of somebody else makes it no own one.
    fn committed_here(&self) -> Result<HashMap<i64, Vec<CommitId>>, fs::Error> {
        let mut all: HashMap<i64, Vec<CommitId>> = HashMap::new();
        for log in reflog::of_heads(self.scope)? {
            let text = fs::read_if_there(&log.file)?.unwrap_or_default();
            for line in text.lines().filter_map(Line::parse).filter(Line::is_of_committer) {
                let Ok(commit) = git::commit::read(self.scope, line.new) else { continue };
                let is_amended_own = || {
                    let old = line.old.and_then(|old| git::commit::read(self.scope, old).ok());
                    old.is_some_and(|old| {
                        all.get(&old.author.seconds).is_some_and(|alike| self.is_among(old.id, alike))
                    })
                };
                if self.mailmap.is_own(&commit.author) && (!line.is_amend() || is_amended_own()) {
                    all.entry(commit.author.seconds).or_default().push(line.new);
                }
            }
        }
        Ok(all)
    }
}

/// A message without what git adds when it repeats a commit.
fn said(commit: &git::commit::Commit) -> String {
    let text = commit.message.to_str_lossy();
    let is_added =
        |line: &&str| line.starts_with("(cherry picked from commit ") || line.starts_with("Signed-off-by: ");
    let lines = text.lines().filter(|line| !is_added(line)).map(str::trim_end);
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
