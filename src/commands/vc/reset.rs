//! `brv vc reset`: move the branch to another commit, with or without index and files, or unstage paths.
//!
//! What is discarded, including uncommitted changes, is kept in the operation.

use brv_engine::derive;
use brv_engine::journal::{OperationKind, RefMove, Transition};
pub use brv_engine::merge::integrate::Derive;
use brv_engine::open::context::Context;
use brv_engine::open::naming::branches::expand;
use brv_engine::open::naming::paths;
use brv_engine::outcome::bytes::text;
use brv_engine::outcome::in_progress::WAITING;
use brv_engine::outcome::unknown_name::UnknownName;
use brv_engine::read::history::reflog::signature;
use brv_engine::vc::work_tree::hard_reset::{self, ResetReach};
use brv_engine::vc::work_tree::restoring::{
    self, AbsentFilePolicy, Places, RestoreRequest, RestoreSource, Restored,
};
use brv_engine::write::operation::{self, Derived, Purpose, Work, Writing};
use brv_engine::write::policy::own_files::LocalFiles;
use brv_engine::write::written::WrittenEffects;
use brv_engine::{Keeper, Stop};
use brv_git as git;
use brv_git::pathspec::Pathspec;
use brv_git::refs::{self, Target};
use brv_git::revision::{self, RevisionError};
use brv_git::{CommitId, Head, Scope, Signature, TreeId, merge_state};
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResetMode {
    Soft,
    #[default]
    Mixed,
    /// The branch, the index and the files.
    Hard,
}

/// What to reset, and to which commit.
#[derive(Debug, Clone)]
pub struct Options {
    pub extent: ResetMode,
    /// A revision, paths, or a revision and paths.
    pub words: Vec<String>,
    /// Words that are always paths.
    pub paths: Vec<String>,
    /// Whether to regenerate the derived files.
    pub derive: Derive,
}

/// `brv.vc.reset/1`: the moved branch, or the unstaged paths.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(untagged)]
#[schemars(rename = "Reset")]
pub enum Outcome {
    /// The branch was moved to a commit.
    Commit(Moved),
    /// Paths in the index were restored from a commit.
    Paths(Restored),
}

/// A branch that was moved to a commit.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ResetCommit")]
pub struct Moved {
    /// `soft`, `mixed` or `hard`.
    #[schemars(with = "String")]
    pub mode: ResetMode,
    /// Its old commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<CommitId>,
    /// Its new commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<CommitId>,
    /// The first line of the new commit's message.
    pub subject: String,
    /// Number of files written or removed.
    pub files: usize,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: WrittenEffects,
}

impl Outcome {
    /// Effects on files, and the operation.
    pub const fn written(&self) -> &WrittenEffects {
        match self {
            Self::Commit(moved) => &moved.written,
            Self::Paths(restored) => &restored.written,
        }
    }
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    operation::settle(Stop::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let (revision, words) = sorted(scope, options)?;
    let head = scope.head()?;
    let commit = match &revision {
        Some(typed) => Some(revision::commit(scope, typed)?),
        None => head.commit(),
    };
    let label = revision.unwrap_or_else(|| "HEAD".to_owned());
    let paths: Vec<String> = words.iter().chain(&options.paths).cloned().collect();
    if paths.is_empty() && Keeper::of(scope) == Keeper::Host && commit == head.commit() {
        if options.extent == ResetMode::Soft {
            may_be_soft(scope)?;
            let moved = ResetTarget { commit, label, extent: options.extent }.moved(scope, &head)?;
            return Ok(Outcome::Commit(Moved {
                written: WrittenEffects::from(&writing.finish(Derived::Leave)),
                ..moved
            }));
        }
        // the branch and a merge of the host are not touched; the staged files of the tree are
        let places = if options.extent == ResetMode::Hard { Places::Both } else { Places::Index };
        let request = request(scope, commit, vec![Pathspec::new("")], (places, format!("reset to {label}")))?;
        return restoring::restore(writing, &request, options.derive).map(Outcome::Paths);
    }
    if paths.is_empty() {
        opened.whole("reset")?;
        let target = ResetTarget { commit, label, extent: options.extent };
        let moved = target.carry_out(&mut writing, &head)?;
        let derived = match options.derive == Derive::Now && options.extent == ResetMode::Hard {
            true => Derived::Changed,
            false => Derived::Leave,
        };
        return Ok(Outcome::Commit(Moved {
            written: WrittenEffects::from(&writing.finish(derived)),
            ..moved
        }));
    }
    let specs = paths::pathspecs(&scope.root(), &cx.cwd, &paths)?;
    if let Some(word) = first_unknown(scope, &head, &specs, &words)? {
        let stop = Stop::usage(format!("`{word}` is neither a revision nor a path in the tree"));
        return Err(stop.seeking(UnknownName::RevisionOrPath(word)));
    }
    if options.extent != ResetMode::Mixed {
        return Err(Stop::usage("cannot do a hard or soft reset with paths")
            .hint("leave out `--soft` or `--hard` to unstage paths; restore files with `brv vc restore`"));
    }
    let reason = format!("reset {} to {label}", paths.join(" "));
    let request = request(scope, commit, specs, (Places::Index, reason))?;
    restoring::restore(writing, &request, Derive::Later).map(Outcome::Paths)
}

/// The request to restore paths from a commit.
fn request(
    scope: &Scope,
    commit: Option<CommitId>,
    specs: Vec<Pathspec>,
    (places, reason): (Places, String),
) -> Result<RestoreRequest, git::Error> {
    let tree = commit.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    Ok(RestoreRequest {
        specs,
        source: RestoreSource::Tree(tree),
        places,
        absent: AbsentFilePolicy::Goes,
        kind: OperationKind::Reset,
        reason,
    })
}

/// Split the words into revision and paths: the first word is a revision if it resolves to a commit.
fn sorted(scope: &Scope, options: &Options) -> Result<(Option<String>, Vec<String>), Stop> {
    let Some((first, rest)) = options.words.split_first() else { return Ok((None, Vec::new())) };
    let name = expand(scope, first)?;
    match revision::commit(scope, &name) {
        Ok(_) => Ok((Some(name), rest.to_vec())),
        Err(RevisionError::Unknown(_)) => Ok((None, options.words.clone())),
        Err(RevisionError::Unborn(_)) if first == "HEAD" => Ok((None, rest.to_vec())),
        Err(error) => Err(error.into()),
    }
}

/// The first word that is neither a file nor a tracked path.
fn first_unknown(
    scope: &Scope,
    head: &Head,
    specs: &[Pathspec],
    words: &[String],
) -> Result<Option<String>, Stop> {
    let index = git::index::read(scope)?;
    let tree = head.commit().map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    for (word, spec) in words.iter().zip(specs) {
        let path = spec.as_bstr();
        let is_known = spec.has_wildcard()
            || path.is_empty()
            || index.names_something(scope.full(path).as_bstr())
            || git::trees::find(scope, tree, path)?.is_some()
            || brv_base::fs::stat(&brv_base::fs::below(&scope.root(), path)?)?.is_some();
        if !is_known {
            return Ok(Some(word.clone()));
        }
    }
    Ok(None)
}

struct ResetTarget {
    commit: Option<CommitId>,
    label: String,
    extent: ResetMode,
}

impl ResetTarget {
    fn carry_out(&self, writing: &mut Writing<'_>, head: &Head) -> Result<Moved, Stop> {
        let (scope, opened) = (writing.scope(), writing.parts().opened);
        let who = signature(scope, writing.parts().clock);
        let moves = self.moves(scope, head)?;
        let mut moved = self.moved(scope, head)?;
        if self.extent == ResetMode::Soft {
            may_be_soft(scope)?;
            if only_marks(&moves) {
                mark(scope, &moves, &who)?;
            } else {
                let work = Work::exact(Transition { moves, ..Transition::default() });
                writing.carry_out(None, work, &self.purpose())?;
            }
        } else {
            let reach = if self.extent == ResetMode::Hard { ResetReach::Files } else { ResetReach::Index };
            let survey = writing.survey(|index| derive::quick_survey(opened, index))?;
            let tree = self.commit.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
            let transition = Transition { moves, ..hard_reset::to_tree(scope, &survey, tree, reach)? };
            moved.files = transition.files.len();
            if is_still(&transition) {
                mark(scope, &transition.moves, &who)?;
            } else {
                let kept = LocalFiles::read(scope)?.into_admit();
                let work = Work::exact(transition).admitting(&*kept);
                writing.carry_out(Some(survey.index), work, &self.purpose())?;
            }
        }
        if self.commit.is_some() && self.commit == head.commit() {
            refs::log_stay(scope, self.line().as_bytes().as_bstr(), &who)?;
        }
        Ok(moved)
    }

    /// The moves of the branch, or of a detached `HEAD`, and of `ORIG_HEAD`, which git uses to go back.
    fn moves(&self, scope: &Scope, head: &Head) -> Result<Vec<RefMove>, git::Error> {
        let mut moves: Vec<RefMove> =
            self.commit.map(|new| RefMove::of_head(head, new)).into_iter().collect();
        if let (Some(_), Some(here)) = (self.commit, head.commit()) {
            let old = refs::target(scope, "ORIG_HEAD".into())?;
            moves.push(RefMove { name: "ORIG_HEAD".into(), old, new: Some(Target::from(here)) });
        }
        Ok(moves)
    }

    fn moved(&self, scope: &Scope, head: &Head) -> Result<Moved, git::Error> {
        let subject = match self.commit {
            Some(commit) => text(git::history::read(scope, commit)?.subject()),
            None => String::new(),
        };
        Ok(Moved {
            mode: self.extent,
            before: head.commit(),
            after: self.commit,
            subject,
            files: 0,
            written: WrittenEffects::default(),
        })
    }

    fn line(&self) -> String {
        format!("reset: moving to {}", self.label)
    }

    fn purpose(&self) -> Purpose {
        Purpose::new(OperationKind::Reset, format!("reset to {}", self.label)).logged(self.line())
    }
}

/// Refuse a soft reset during a merge, whose state is partly in the index.
fn may_be_soft(scope: &Scope) -> Result<(), Stop> {
    match merge_state::read(scope)?.is_some() || !git::index::read(scope)?.unmerged().is_empty() {
        true => Err(Stop::conflict("a merge is in progress").hint(WAITING)),
        false => Ok(()),
    }
}

/// Whether there would be nothing to undo.
fn is_still(transition: &Transition) -> bool {
    transition.files.is_empty() && transition.index.is_empty() && only_marks(&transition.moves)
}

/// Whether only `ORIG_HEAD` moves, which every reset sets and no undo restores.
fn only_marks(moves: &[RefMove]) -> bool {
    moves.iter().all(|one| one.old == one.new || one.name == "ORIG_HEAD")
}

fn mark(scope: &Scope, moves: &[RefMove], who: &Signature) -> Result<(), git::Error> {
    let moved = moves.iter().filter(|one| one.old != one.new);
    let moved: Vec<_> = moved.map(|one| one.to_move(BString::default())).collect();
    if moved.is_empty() { Ok(()) } else { refs::update(scope, moved, who) }
}
