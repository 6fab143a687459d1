//! `brv search`: the entries, folders and archived entries that match a text, ranked.

use super::context::{Context, Opened};
pub use super::steps::searching::Refusal as Error;
use super::steps::searching::{self, Freshness, Related, Scoped, Sought, Unkept, Wanted};
pub use super::steps::searching::{HitKind, Shown};
use super::steps::signals;
use crate::path::TreePath;
pub use crate::search::{Features, Standing};
use std::sync::Arc;

/// What to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The text.
    pub text: String,
    /// The largest number of results, from 1 to [`MOST`].
    pub limit: usize,
    /// Only in this folder, as typed.
    pub scope: Option<String>,
    /// Whether what the results link to, and what links to them, is shown, too.
    pub related: bool,
    /// Whether to leave the signals of the results as they are.
    pub no_hits: bool,
    /// Whether to look for edited files now.
    pub fresh: bool,
}

/// The largest number of results.
pub const MOST: usize = 50;

/// The results.
#[derive(Debug)]
pub struct Outcome {
    /// The folder that was searched; `None`: the whole tree.
    pub scope: Option<String>,
    /// The text begins with the name of this folder, which has nothing about the rest: the whole tree was searched.
    pub widened: Option<String>,
    /// The results, the best first.
    pub results: Vec<Found>,
    /// How many files match, and the folders among the results.
    pub total: usize,
    /// Whether the text is inside what is stored.
    pub covered: bool,
    /// Words of the text that nothing has.
    pub unmatched: Vec<String>,
    /// Nothing has a phrase of the text: its words were searched for.
    pub without_phrases: bool,
    /// What the relevance of the best match is made of.
    pub features: Features,
    /// How many files and folders can be found.
    pub entries: usize,
    /// When the index was made, in seconds since 1970; `None`: it is not kept.
    pub updated: Option<i64>,
    /// Why the index is not kept on disk.
    pub unkept: Option<Arc<Unkept>>,
}

/// A result.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The file or folder.
    pub path: TreePath,
    /// What it is.
    pub kind: HitKind,
    /// The compound score.
    pub score: f64,
    /// The relevance of its text, 0 to 1.
    pub relevance: f64,
    /// What is known of an entry beside its text.
    pub standing: Option<Standing>,
    /// What is shown of it.
    pub shown: Shown,
    /// How many files link to it.
    pub backlinks: usize,
    /// The result that it is related to, if it does not match itself.
    pub via: Option<TreePath>,
}

/// Search, hand the outcome to `tell`, and then note the hits and bring the index up to date: who asked does not wait for
/// either.
///
/// # Errors
/// [`Error`]
pub fn run<T>(cx: &Context<'_>, options: &Options, tell: impl FnOnce(&Outcome) -> T) -> Result<T, Error> {
    let opened = cx.open()?;
    searching::checked(&options.text)?;
    let now = cx.clock.seconds();
    let freshness = if options.fresh { Freshness::Look } else { Freshness::Window };
    let (sought, outcome) = searching::answered(&opened, freshness, cx.progress, |sought| {
        outcome(&opened, sought, options, now)
    })?;
    let told = tell(&outcome);
    if !options.no_hits {
        let paths: Vec<TreePath> = outcome.results.iter().map(|found| found.path.clone()).collect();
        // what goes wrong is reported by commands that are about signals
        let _ = signals::note_hits(&opened, &paths, cx.actor.session.as_deref(), now);
    }
    sought.settle();
    Ok(told)
}

fn outcome(opened: &Opened, sought: &mut Sought<'_>, options: &Options, now: i64) -> Result<Outcome, Error> {
    let scoped = searching::scoped(sought, &options.text, options.scope.as_deref())?;
    let (hits, scope, widened) = find(sought, &scoped, options, now)?;
    let mut results: Vec<Found> = hits.found.hits.iter().map(|hit| result(hit, &hits)).collect();
    if options.related {
        let related = searching::related(opened, sought, &hits, now)?;
        results.extend(related.into_iter().map(related_result));
    }
    Ok(Outcome {
        scope,
        widened,
        results,
        total: hits.found.total + hits.found.hits.iter().filter(|hit| hit.passage.is_none()).count(),
        covered: hits.found.is_covered(),
        unmatched: hits.found.unmatched.clone(),
        without_phrases: hits.found.without_phrases,
        features: hits.found.features,
        entries: hits.entries,
        updated: sought.updated(),
        unkept: sought.unkept(),
    })
}

/// Search in the scope; if only the text named it and nothing is found there, everywhere.
fn find(
    sought: &mut Sought<'_>,
    scoped: &Scoped,
    options: &Options,
    now: i64,
) -> Result<(searching::Hits, Option<String>, Option<String>), Error> {
    let wanted = Wanted {
        text: &scoped.text,
        limit: options.limit,
        scope: scoped.scope.as_deref(),
        folders: true,
        now,
    };
    let hits = sought.find(&wanted)?;
    if scoped.is_guessed && hits.found.hits.is_empty() {
        let hits = sought.find(&Wanted { text: &options.text, scope: None, ..wanted })?;
        return Ok((hits, None, scoped.scope.clone()));
    }
    Ok((hits, scoped.scope.clone(), None))
}

fn result(hit: &crate::search::Hit, hits: &searching::Hits) -> Found {
    let kind = HitKind::of(hit);
    Found {
        path: hit.path.clone(),
        kind,
        score: hit.score,
        relevance: hit.relevance,
        standing: hit.standing.filter(|_| kind == HitKind::Entry),
        shown: searching::shown(hit, hits.bytes_of(hit)),
        backlinks: hits.backlinks.get(&hit.path).copied().unwrap_or_default(),
        via: None,
    }
}

fn related_result(related: Related) -> Found {
    Found {
        path: related.path,
        kind: HitKind::Entry,
        score: related.score,
        relevance: 0.0,
        standing: related.standing,
        shown: related.shown,
        backlinks: related.backlinks,
        via: Some(related.via),
    }
}
