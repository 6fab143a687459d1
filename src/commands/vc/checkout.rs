//! `brv vc checkout`: git's older command for switching branches and for restoring paths.
//!
//! Decides which of the two is meant; the rest is done as in `switch` and `restore`.

use brv_base::fs;
use brv_engine::Stop;
use brv_engine::journal::OperationKind;
use brv_engine::merge::integrate::Derive;
use brv_engine::open::context::Context;
use brv_engine::open::naming::branches::Start;
use brv_engine::open::naming::paths;
use brv_engine::outcome::unknown_name::UnknownName;
use brv_engine::vc::work_tree::restoring::{
    self, AbsentFilePolicy, Places, RestoreRequest, RestoreSource, Restored,
};
use brv_engine::vc::work_tree::switching::{self, Guess, Local, Switched, To};
use brv_engine::write::operation::{self, Writing};
use brv_git as git;
use brv_git::{Head, Scope};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

pub use brv_engine::open::naming::branches::{Existing, Track};
pub use brv_engine::vc::work_tree::restoring::RestoreSide;

/// What to check out, and how.
#[derive(Debug, Clone)]
pub struct Options {
    pub meant: Meant,
    /// A branch or revision, paths, or a revision and paths.
    pub words: Vec<String>,
    /// Words that are always paths.
    pub paths: Vec<String>,
    /// Whether to create a branch that exists only on a remote.
    pub guess: Guess,
    pub local: Local,
    /// Whether to regenerate the derived files.
    pub derive: Derive,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// Nothing in particular: the words decide.
    Unsaid,
    New {
        name: String,
        /// What to do if it already exists.
        existing: Existing,
        track: Track,
    },
    /// Detach `HEAD` at the commit.
    Commit,
    /// Restore paths from one side of a conflict.
    Side(RestoreSide),
}

/// `brv.vc.checkout/1`: the data of `vc switch` or of `vc restore`.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(untagged)]
#[schemars(rename = "Checkout")]
pub enum Outcome {
    /// `HEAD` was switched.
    Switched(Box<Switched>),
    /// Paths were restored.
    Restored(Box<Restored>),
}

enum Act {
    Switch(To),
    Restore { source: RestoreSource, places: Places, paths: Vec<String> },
}

/// Switch branches or restore paths.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    operation::settle(Stop::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let writing = Writing::begin(cx.parts(&opened))?;
    let head = scope.head()?;
    match act(scope, &cx.cwd, &head, options)? {
        Act::Switch(to) => {
            opened.whole("checkout")?;
            let way = switching::way(scope, &head, &to)?;
            let switched = switching::switch(writing, &way, options.local, options.derive)?;
            Ok(Outcome::Switched(Box::new(switched)))
        }
        Act::Restore { source, places, paths } => {
            let request = RestoreRequest {
                specs: paths::pathspecs(&scope.root(), &cx.cwd, &paths)?,
                source,
                places,
                absent: AbsentFilePolicy::Stays,
                kind: OperationKind::Restore,
                reason: format!("checkout {}", paths.join(" ")),
            };
            Ok(Outcome::Restored(Box::new(restoring::restore(writing, &request, options.derive)?)))
        }
    }
}

fn act(scope: &Scope, cwd: &Path, head: &Head, options: &Options) -> Result<Act, Stop> {
    let at_most_one = || match options.words.get(1).or(options.paths.first()) {
        Some(more) => Err(Stop::usage(format!("unexpected argument `{more}`"))),
        None => Ok(options.words.first().cloned()),
    };
    let everything = || options.words.iter().chain(&options.paths).cloned().collect();
    match &options.meant {
        Meant::New { name, existing, track } => {
            let (start, name) = (at_most_one()?, name.clone());
            Ok(Act::Switch(To::New { name, start, existing: *existing, track: *track }))
        }
        Meant::Commit => Ok(Act::Switch(To::Commit(at_most_one()?))),
        Meant::Side(side) => Ok(Act::Restore {
            source: RestoreSource::Side(*side),
            places: Places::Files,
            paths: everything(),
        }),
        Meant::Unsaid => unsaid(scope, cwd, head, options),
    }
}

/// Decide as git does: a revision first, then paths; a single word may also be a branch that exists only on a remote.
fn unsaid(scope: &Scope, cwd: &Path, head: &Head, options: &Options) -> Result<Act, Stop> {
    let Some((first, rest)) = options.words.split_first() else {
        if options.paths.is_empty() {
            let here = head.short_branch();
            return Ok(Act::Switch(
                here.map_or(To::Commit(None), |name| To::Branch { name, guess: Guess::Refuse }),
            ));
        }
        return Ok(Act::Restore {
            source: RestoreSource::Index,
            places: Places::Files,
            paths: options.paths.clone(),
        });
    };
    let known = To::BranchOrCommit { name: first.clone(), guess: Guess::Refuse };
    if switching::leads_somewhere(scope, head, &known)? {
        if rest.is_empty() && options.paths.is_empty() {
            return Ok(Act::Switch(known));
        }
        if !rest.is_empty() && is_there(scope, cwd, first)? {
            return Err(both(first));
        }
        let tree = scope.tree_of(Start::at(scope, first)?.commit)?;
        let paths = rest.iter().chain(&options.paths).cloned().collect();
        return Ok(Act::Restore { source: RestoreSource::Tree(tree), places: Places::Both, paths });
    }
    if !options.paths.is_empty() {
        return Err(nothing(first));
    }
    if rest.is_empty() && options.guess == Guess::Allow {
        let made = To::Branch { name: first.clone(), guess: Guess::Allow };
        if switching::leads_somewhere(scope, head, &made)? {
            return if is_there(scope, cwd, first)? { Err(both(first)) } else { Ok(Act::Switch(made)) };
        }
    }
    for word in &options.words {
        if !is_there(scope, cwd, word)? {
            return Err(nothing(word));
        }
    }
    Ok(Act::Restore { source: RestoreSource::Index, places: Places::Files, paths: options.words.clone() })
}

fn both(word: &str) -> Stop {
    Stop::usage(format!(
        "`{word}` could be a path or a remote branch; put `--` before a path or after a branch"
    ))
}

fn nothing(word: &str) -> Stop {
    Stop::usage(format!("`{word}` is not a branch, a revision or a path in the tree"))
        .seeking(UnknownName::RevisionOrPath(word.to_owned()))
}

/// Whether a word names an existing file or a tracked path.
fn is_there(scope: &Scope, cwd: &Path, word: &str) -> Result<bool, Stop> {
    let Ok(specs) = paths::pathspecs(&scope.root(), cwd, &[word.to_owned()]) else { return Ok(false) };
    let path = specs[0].as_bstr();
    Ok(specs[0].has_wildcard()
        || path.is_empty()
        || git::index::read(scope)?.names_something(scope.full(path).as_ref())
        || fs::stat(&fs::below(&scope.root(), path)?)?.is_some())
}
