//! `brv search`: the entries, folders and archived entries that match a text, ranked.

use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::open::context::{Audience, Context, Opened};
use brv_engine::open::signals::{self, GivenEntry, ServedAnswer};
use brv_engine::outcome::json;
use brv_engine::query::search::{self, Asked, HitKind, Hits, Related, ScanFreshness, SearchSession, Wanted};
use brv_engine::read::history::learned::unmerged::Unmerged;
use brv_engine::read::stale;
use brv_engine::review;
use brv_engine::review::trust::{EntryBytesSource, Trust};
use brv_search::{COVERS, Each, Hit};
use brv_text::doc::Document;
use brv_text::stale::State;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Instant;

pub use brv_engine::query::{MOST_RESULTS as MOST, Origin, SearchExplanation, SearchResult};
pub use brv_search::Features;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub text: String,
    /// From 1 to [`MOST`].
    pub limit: usize,
    /// Only in this folder, as typed.
    pub scope: Option<String>,
    /// Whether what the results link to, and what links to them, is shown, too.
    pub related: bool,
    /// Whether to leave the signals of the first result as they are.
    pub no_hits: bool,
    /// Whether to look for edited files now.
    pub fresh: bool,
    /// Whether to show what the relevance is made of.
    pub explain: bool,
}

/// `brv.search/1`; paths are relative to the tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Search")]
pub struct Outcome {
    /// The text, as asked.
    pub query: String,
    /// The folder that was searched, if not the whole tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The results: by score, then those that are only related.
    pub results: Vec<SearchResult>,
    /// How many files match, and the folders among the results.
    pub total: usize,
    /// Whether the text is inside what is stored.
    pub covered: bool,
    /// For an agent: how many results are left out because nobody here has accepted them.
    #[serde(skip_serializing_if = "json::is_none")]
    #[schemars(with = "Option<usize>")]
    pub withheld: usize,
    /// The index.
    pub index: IndexState,
    /// With `--explain`: what the relevance of the best match is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<SearchExplanation>,
}

/// The search index.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SearchIndex")]
pub struct IndexState {
    /// How many files can be found.
    pub entries: usize,
    /// When it was last written; `null` if it is not kept on disk.
    #[serde(serialize_with = "json::optional_time")]
    #[schemars(with = "Option<String>")]
    pub updated: Option<i64>,
}

/// The warnings beside an outcome.
#[derive(Debug)]
pub struct SearchWarnings {
    /// The text begins with the name of this folder, which has nothing about the rest: the whole tree was searched.
    pub widened: Option<String>,
    /// Nothing has a phrase of the text: its words were searched for.
    pub without_phrases: bool,
    /// Why the index is not kept on disk.
    pub unkept: Option<String>,
}

/// Search. The last part is work that nobody waits for: it notes the hits and brings the index up to date.
///
/// # Errors
/// A text without a word, or a folder that is not there; the disk, git or the index.
pub fn run<'a>(
    cx: &'a Context<'_>,
    options: &Options,
) -> Result<(Outcome, SearchWarnings, impl FnOnce() + 'a), Stop> {
    let opened = cx.keep_open()?;
    search::checked(&options.text)?;
    let now = cx.clock.seconds();
    let freshness = if options.fresh { ScanFreshness::Look } else { ScanFreshness::Window };
    let (sought, (mut outcome, beside)) =
        search::answered(opened, freshness, cx.progress, |sought| outcome(cx, opened, sought, options))?;
    let marks = review::marks(opened);
    for row in &mut outcome.results {
        row.pending = marks.get(row.path.as_str()).cloned().unwrap_or_default();
    }
    let unjudged = judge(cx, opened, &mut outcome.results);
    let served = if options.no_hits { ServedAnswer::default() } else { outcome.served() };
    if cx.audience == Audience::Agent {
        let found = outcome.results.iter().map(|row| row.path.as_str());
        let mut made = search::last_changes_on_disk(opened, found, stale::soon(cx.clock))?;
        outcome.results.iter_mut().for_each(|row| row.last_change = made.remove(row.path.as_str()));
    }
    let after = move || {
        // so that the next search need not wait for it
        stale::of_files(opened, &cx.cwd, unjudged.iter().map(TreePath::as_str), None);
        // what goes wrong is reported by commands that are about signals
        let _ = signals::note_served(opened, &cx.actor, &served, now);
        sought.settle();
    };
    Ok((outcome, beside, after))
}

/// Say of each result whether the code that it cites moved on, and rank those lower where it did. Returns the results
/// that there was no time for.
fn judge(cx: &Context<'_>, opened: &Opened, results: &mut [SearchResult]) -> Vec<TreePath> {
    let until = stale::soon(cx.clock);
    let paths: Vec<TreePath> = results.iter().map(|row| row.path.clone()).collect();
    let found = stale::of_files(opened, &cx.cwd, paths.iter().map(TreePath::as_str), until);
    for (row, freshness) in results.iter_mut().zip(found) {
        row.score = json::to(stale::weighed(row.score, freshness.as_ref()), 4);
        row.freshness = freshness;
    }
    // those that are only related stay behind those that match
    results.sort_by(|one, other| {
        let place = |row: &SearchResult| (row.via.is_some(), row.unmerged.is_some());
        place(one).cmp(&place(other)).then(other.score.total_cmp(&one.score))
    });
    let is_late = until.is_some_and(|until| Instant::now() >= until);
    let is_unknown = |row: &&SearchResult| {
        row.freshness.as_ref().is_some_and(|freshness| freshness.state == State::Unknown)
    };
    results.iter().filter(|_| is_late).filter(is_unknown).map(|row| row.path.clone()).collect()
}

fn outcome(
    cx: &Context<'_>,
    opened: &Opened,
    sought: &mut SearchSession<'_>,
    options: &Options,
) -> Result<(Outcome, SearchWarnings), Stop> {
    let (now, trust) = (cx.clock.seconds(), Trust::of(opened));
    let scoped = search::scoped(sought, &options.text, options.scope.as_deref())?;
    let wanted = Wanted {
        text: &options.text,
        limit: options.limit,
        scope: None,
        folders: true,
        each: Each::Highlight,
        now,
    };
    let Asked { mut hits, scope, widened, .. } =
        search::ask(sought, scoped, &wanted, |found| !found.hits.is_empty())?;
    let mut withheld = if cx.audience == Audience::Agent { hits.withhold(&trust) } else { 0 };
    let unmerged = Unmerged::known(opened, &cx.cwd, now);
    let mut results: Vec<SearchResult> =
        hits.found.hits.iter().map(|hit| row(hit, &hits, (&trust, &unmerged))).collect();
    if options.related {
        let related = search::related(opened, sought, &hits, now)?;
        results.extend(related.into_iter().map(|related| related_row(related, &trust)));
    }
    withheld += withhold(cx, &mut results);
    let found = &hits.found;
    let outcome = Outcome {
        query: options.text.clone(),
        scope,
        results,
        total: found.total + found.hits.iter().filter(|hit| hit.passage.is_none()).count(),
        covered: found.is_covered(),
        withheld,
        index: IndexState { entries: hits.entries, updated: sought.updated() },
        explain: options.explain.then(|| SearchExplanation::of(found)),
    };
    Ok((outcome, SearchWarnings { widened, without_phrases: found.without_phrases, unkept: sought.unkept() }))
}

impl Outcome {
    /// What was given: the passages of the results. The entry that counts as used is the first one, if the text is covered,
    /// and by what this one says.
    fn served(&self) -> ServedAnswer {
        let first = self.results.first().filter(|row| self.covered && row.relevance >= COVERS);
        let why = |row: &SearchResult| match &row.via {
            Some(via) => format!("related to {via}"),
            None => format!("score {:.2}", row.score),
        };
        let with_text = self.results.iter().filter(|row| !row.excerpt.is_empty());
        ServedAnswer {
            command: "search",
            asked: Some(self.query.clone()),
            hits: first.map(|row| row.path.clone()).into_iter().collect(),
            given: with_text
                .map(|row| GivenEntry { path: row.path.to_string(), blob: None, why: why(row) })
                .collect(),
        }
    }
}

/// Leave out what an agent does not get, and what is only related to that; how many are left out.
fn withhold(cx: &Context<'_>, results: &mut Vec<SearchResult>) -> usize {
    if cx.audience != Audience::Agent {
        return 0;
    }
    let all = results.len();
    let gone: Vec<TreePath> =
        results.iter().filter(|row| !row.flagged.is_empty()).map(|row| row.path.clone()).collect();
    let is_gone = |path: &TreePath| gone.contains(path);
    results.retain(|row| !is_gone(&row.path) && !row.via.as_ref().is_some_and(is_gone));
    all - results.len()
}

fn row(hit: &Hit, hits: &Hits, (trust, unmerged): (&Trust<'_>, &Unmerged)) -> SearchResult {
    let kind = HitKind::of(hit);
    let standing = hit.standing.filter(|_| kind == HitKind::Entry);
    let backlinks = hits.backlinks.get(&hit.path).copied().unwrap_or_default();
    SearchResult {
        kind,
        score: json::to(hit.score, 4),
        relevance: json::to(hit.relevance, 4),
        conflict: hits.is_in_conflict(hit.path.as_str()),
        unmerged: left(hit, hits, unmerged),
        flagged: trust.judge(hit.path.as_str(), hits.bytes_of(hit), EntryBytesSource::Disk).words(),
        ..SearchResult::of(hit.path.clone(), search::shown(hit, hits.bytes_of(hit)), standing, backlinks)
    }
}

/// The branch that the commit of a statement was made on, if that commit is on no branch; `None` within if that is not
/// known.
fn left(hit: &Hit, hits: &Hits, unmerged: &Unmerged) -> Option<Option<String>> {
    let passage = hit.passage.filter(|_| !unmerged.is_empty())?;
    let document = Document::parse(hits.bytes_of(hit));
    Some(unmerged.on_line(hit.path.as_str(), &document, passage.line)?.branch.clone())
}

fn related_row(related: Related, trust: &Trust<'_>) -> SearchResult {
    SearchResult {
        flagged: trust.judge(related.path.as_str(), &related.bytes, EntryBytesSource::Disk).words(),
        score: json::to(related.score, 4),
        conflict: related.is_in_conflict,
        via: Some(related.via),
        ..SearchResult::of(related.path, related.shown, related.standing, related.backlinks)
    }
}
