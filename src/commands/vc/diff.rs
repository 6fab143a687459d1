//! `brv vc diff`: show the differences between two states of the tree.

use brv_base::fs::Listing;
use brv_engine::Stop;
use brv_engine::open::context::{Audience, Context, Opened};
use brv_engine::open::naming::revisions::{self, Arguments, Revision};
use brv_engine::open::survey;
use brv_engine::outcome::bytes::Bytes;
use brv_engine::outcome::change::FileDifference;
use brv_engine::outcome::json;
use brv_engine::read::history::changes::{ChangedFiles, Contents};
pub use brv_engine::read::history::changes::{Detail, FileChange};
use brv_engine::read::history::knowledge;
pub use brv_engine::read::history::states::{Endpoint, Names, TreeState};
use brv_engine::review::trust::{EntryBytesSource, Trust};
use brv_engine::vc::work_tree::on_disk;
use brv_git as git;
use brv_git::pathspec::Pathspecs;
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Scope, TreeId, history};
use brv_text::diff::knowledge::Entry;
use bstr::{BString, ByteSlice};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone)]
pub struct Options {
    /// Revisions, then paths, as typed before `--`.
    pub arguments: Vec<String>,
    /// Paths, as typed after `--`.
    pub paths: Vec<String>,
    /// The state to compare the revisions with.
    pub against: Against,
    /// How much detail to show.
    pub detail: Detail,
    /// Whether the changed lines and entries are data.
    pub with_lines: bool,
    /// Whether secrets are shown as `****`.
    pub is_masked: bool,
}

/// The state to compare the revisions with (or the index, if there are none).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Against {
    #[default]
    WorkTree,
    /// What is staged (`--staged`).
    Index,
}

/// `brv.vc.diff/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Diff")]
pub struct Outcome {
    /// The state before.
    pub before: Endpoint,
    /// The state after.
    pub after: Endpoint,
    /// The changed files.
    #[schemars(with = "Vec<FileDifference>")]
    pub files: ChangedFiles,
    /// The changes by meaning: fields, facts and sections; absent with `--stat` and the name flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// Files in conflict.
    pub unmerged: Vec<Bytes>,
    /// For an agent: how many files are left out because nobody here has accepted them.
    #[serde(skip_serializing_if = "json::is_none")]
    #[schemars(with = "Option<usize>")]
    pub withheld: usize,
}

/// Compare two states of the tree.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let arguments = revisions::sort(scope, &cx.cwd, &options.arguments, &options.paths)
        .map_err(revisions::behind_dashes)?;
    let call = DiffCall { scope, options, arguments: &arguments, withholding: Withholding::of(cx, &opened) };
    match (states(scope, &arguments)?, options.against) {
        (States::Two(before, after), Against::WorkTree) => {
            let changes = trees::diff(scope, scope.tree_of(before)?, scope.tree_of(after)?, Renames::Detect)?;
            call.finish(DiffResult {
                before: TreeState::Commit(Some(before)),
                after: TreeState::Commit(Some(after)),
                changes,
                unmerged: Vec::new(),
            })
        }
        (States::Two(..), Against::Index) => Err(too_many()),
        (States::One(before), Against::Index) => call.staged(before),
        (States::One(before), Against::WorkTree) => call.disk(Some(before)),
        (States::None, Against::Index) => {
            let head = scope.head()?.commit();
            match head {
                Some(head) => call.staged(head),
                None => call.staged_on(None, TreeId::empty()),
            }
        }
        (States::None, Against::WorkTree) => call.disk(None),
    }
}

/// The request.
struct DiffCall<'a> {
    scope: &'a Scope,
    options: &'a Options,
    arguments: &'a Arguments,
    withholding: Withholding<'a>,
}

enum States {
    None,
    One(CommitId),
    Two(CommitId, CommitId),
}

fn too_many() -> Stop {
    Stop::usage("a diff compares two states, but more were given")
}

fn states(scope: &Scope, arguments: &Arguments) -> Result<States, Stop> {
    Ok(match arguments.revisions[..] {
        [] => States::None,
        [Revision::Single(one)] => States::One(one),
        [Revision::Single(before), Revision::Single(after)] => States::Two(before, after),
        [Revision::Range(before, after)] => States::Two(before, after),
        [Revision::Symmetric(left, right)] => {
            let unrelated = || Stop::failed("the two revisions have no common ancestor");
            let bases = history::merge_bases(scope, left, right)?;
            States::Two(*bases.first().ok_or_else(unrelated)?, right)
        }
        _ => return Err(too_many()),
    })
}

struct DiffResult {
    before: TreeState,
    after: TreeState,
    changes: Vec<Change>,
    unmerged: Vec<BString>,
}

impl DiffCall<'_> {
    fn finish(&self, found: DiffResult) -> Result<Outcome, Stop> {
        let mut changes = self.selected(found.changes);
        let places = [place(&found.before), place(&found.after)];
        let contents = self.contents(Contents::default());
        let withheld = self.withholding.withhold(self.scope, &mut changes, places, &contents)?;
        self.outcome(DiffResult { changes, ..found }, &contents, withheld)
    }

    fn outcome(&self, found: DiffResult, contents: &Contents<'_>, withheld: usize) -> Result<Outcome, Stop> {
        let Options { detail, with_lines, .. } = *self.options;
        let told = knowledge::tell(self.scope, &found.changes, detail, contents)?;
        let names = Names::of(&self.arguments.typed);
        Ok(Outcome {
            before: Endpoint::new(found.before, names.before),
            after: Endpoint::new(found.after, names.after),
            files: ChangedFiles { drawn: told.files, with_lines },
            entries: with_lines.then_some(told.entries),
            unmerged: Bytes::of(&found.unmerged),
            withheld,
        })
    }

    fn contents<'c>(&self, contents: Contents<'c>) -> Contents<'c> {
        if self.options.is_masked { contents.masked() } else { contents }
    }

    fn selected(&self, changes: Vec<Change>) -> Vec<Change> {
        let paths = Pathspecs::of(&self.arguments.paths);
        let is_selected = |path: &BString| paths.is_empty() || paths.matches(path.as_bstr());
        changes
            .into_iter()
            .filter(|change| {
                is_selected(&change.path) || change.renamed_from.as_ref().is_some_and(is_selected)
            })
            .collect()
    }

    fn staged(&self, before: CommitId) -> Result<Outcome, Stop> {
        self.staged_on(Some(before), self.scope.tree_of(before)?)
    }

    fn staged_on(&self, commit: Option<CommitId>, tree: TreeId) -> Result<Outcome, Stop> {
        let index = git::index::read(self.scope)?;
        let changes = trees::diff_index(self.scope, tree, &index, Renames::Detect)?;
        let unmerged = unmerged(self.scope, &index);
        self.finish(DiffResult {
            before: TreeState::Commit(commit),
            after: TreeState::Index,
            changes,
            unmerged,
        })
    }

    /// Compare the work tree with the index, or with a commit.
    fn disk(&self, commit: Option<CommitId>) -> Result<Outcome, Stop> {
        let scope = self.scope;
        let survey = survey::survey(scope, git::index::read(scope)?, Listing::Nothing)?;
        let unmerged = unmerged(scope, &survey.index);
        let mut changes = self.selected(on_disk::changes(scope, commit, &survey)?);
        let read = on_disk::reader(scope, &survey);
        let contents = self.contents(Contents::with_disk(&read));
        let before = commit.map_or(TreeState::Index, |commit| TreeState::Commit(Some(commit)));
        let after = TreeState::WorkTree;
        let places = [place(&before), place(&after)];
        let withheld = self.withholding.withhold(scope, &mut changes, places, &contents)?;
        self.outcome(DiffResult { before, after, changes, unmerged }, &contents, withheld)
    }
}

fn unmerged(scope: &Scope, index: &git::Index) -> Vec<BString> {
    index.unmerged().iter().filter_map(|path| Some(scope.strip(path.as_bstr())?.to_owned())).collect()
}

const fn place(state: &TreeState) -> EntryBytesSource {
    match state {
        TreeState::Commit(_) => EntryBytesSource::Commit,
        TreeState::Index | TreeState::WorkTree => EntryBytesSource::Disk,
    }
}

/// Leaves out what an agent does not get.
struct Withholding<'a>(Option<Trust<'a>>);

impl<'a> Withholding<'a> {
    fn of(cx: &Context<'_>, opened: &'a Opened) -> Self {
        Self((cx.audience == Audience::Agent).then(|| Trust::of(opened)))
    }

    /// Leave out files with a withheld side; returns how many.
    fn withhold(
        &self,
        scope: &Scope,
        changes: &mut Vec<Change>,
        [place_before, place_after]: [EntryBytesSource; 2],
        contents: &Contents<'_>,
    ) -> Result<usize, Stop> {
        let Some(trust) = &self.0 else { return Ok(0) };
        let all = changes.len();
        let mut left = Vec::new();
        for change in std::mem::take(changes) {
            let (before, after) = contents.both(scope, &change)?;
            let path = change.path.to_str_lossy().into_owned();
            let is_shown = |bytes: &[u8], place: EntryBytesSource| trust.judge(&path, bytes, place).is_none();
            if is_shown(&before, place_before) && is_shown(&after, place_after) {
                left.push(change);
            }
        }
        *changes = left;
        Ok(all - changes.len())
    }
}
