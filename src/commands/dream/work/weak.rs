//! The candidates of prune: entries that may have become weak, each with what a decider must know.

use super::ages::Ages;
use super::excerpt::cut;
use super::ground::Ground;
use super::memory::DreamMemory;
use brv_base::clock::format_utc;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::open::context::Opened;
use brv_engine::open::hosting::Host;
use brv_engine::open::signals::Signals;
use brv_engine::outcome::json;
use brv_engine::read::history::learned::unmerged::Unmerged;
use brv_engine::read::links::linking::linking;
use brv_engine::read::links::pointing::each;
use brv_text::doc::{Document, Meta, Status};
use brv_text::dream::{PruneEvidence, Signal, Weak, candidate_id, is_same_candidate, signal};
use brv_text::lifecycle::DAY;
use bstr::ByteSlice as _;
use std::collections::BTreeSet;

/// How far the importance of an entry that was kept must move until it is a candidate again.
const MOVED: f64 = 5.0;

/// The entries whose whole content comes from commits of the code that no branch has had for long; none if that cannot
/// be read.
fn abandoned(opened: &Opened, now: i64) -> BTreeSet<TreePath> {
    let Ok(Some(host)) = Host::of(opened, &opened.places.project) else { return BTreeSet::new() };
    let unmerged = Unmerged::of(opened, &host, now).unwrap_or_default();
    unmerged.abandoned(&opened.scope.root(), now)
}

/// The candidates of prune: what is superseded, then those of least use first.
pub(super) fn weak(
    opened: &Opened,
    (ground, memory, ages): (&Ground, &DreamMemory, &Ages<'_>),
    signals: &Signals,
) -> Result<Vec<Weak>, Stop> {
    let abandoned = abandoned(opened, ages.now());
    let judging = Judging { ages, signals, abandoned: &abandoned, are_used: signals.are_used() };
    let paths: Vec<&TreePath> = ground.entries.keys().collect();
    let standings = each(ground.reading(), &paths, |path, bytes| {
        // as old as it can be: only what may be weak is parsed
        let may_be = signal(&judging.standing(path, None)).is_some();
        if !may_be && bytes.find(SUPERSEDED).is_none() {
            return Ok(Vec::new());
        }
        let document = Document::parse(bytes);
        let standing = judging.standing(path, Some(&document.meta()));
        let is_kept = memory.kept.get(path.as_str()).is_some_and(|kept| {
            let is_same = ground.entries.get(path).is_some_and(|id| id.to_string() == kept.blob);
            is_same && (kept.importance - standing.importance).abs() < MOVED
        });
        let is_kept = is_kept || memory.archived.contains(path);
        Ok(if !is_kept && document.conflicts().is_empty() { vec![standing] } else { Vec::new() })
    })?;
    let weak = brv_text::dream::weak(standings);
    if weak.is_empty() {
        return Ok(Vec::new());
    }
    let curated = ground.reading().curated_paths(opened)?;
    let links = linking(ground.reading(), &curated, weak.iter().map(|(standing, _)| &standing.path))?;
    let listed = weak.into_iter().enumerate();
    let listed = listed.map(|(at, (standing, signal))| {
        let links = links.get(&standing.path).copied().unwrap_or_default();
        listed_as(at + 1, (ground, ages), (standing, signal, links))
    });
    listed.filter_map(Result::transpose).collect()
}

/// Entries that an earlier plan showed as weak under these names and that are as they were, though they may not be weak any
/// more: whoever decides about an entry reads it.
pub(super) fn shown(
    opened: &Opened,
    (ground, ages, signals): (&Ground, &Ages<'_>, &Signals),
    names: &[&str],
) -> Result<Vec<Weak>, Stop> {
    let abandoned = BTreeSet::new();
    let judging = Judging { ages, signals, abandoned: &abandoned, are_used: signals.are_used() };
    let mut shown = Vec::new();
    for (path, blob) in ground.entries.iter().filter(|_| names.iter().any(|name| name.starts_with('p'))) {
        let id = candidate_id('p', 1, [(path, *blob)]);
        let Some(name) = names.iter().find(|name| is_same_candidate(name, &id)) else { continue };
        let document = ground.document(path)?;
        let standing = judging.standing(path, document.map(|document| document.meta()).as_ref());
        let signal = signal(&standing).unwrap_or(Signal::Importance);
        let curated = ground.reading().curated_paths(opened)?;
        let links = linking(ground.reading(), &curated, [path])?.into_values().sum();
        let listed = listed_as(1, (ground, ages), (standing, signal, links))?;
        shown.extend(listed.map(|weak| Weak { id: (*name).to_owned(), ..weak }));
    }
    Ok(shown)
}

/// What the plan says about a weak entry.
fn listed_as(
    number: usize,
    (ground, ages): (&Ground, &Ages<'_>),
    (standing, signal, links): (PruneEvidence, Signal, usize),
) -> Result<Option<Weak>, Stop> {
    let Some(&blob) = ground.entries.get(&standing.path) else { return Ok(None) };
    let Some(document) = ground.document(&standing.path)? else { return Ok(None) };
    let changed = ages.committed(&standing.path).max(document.meta().changed());
    Ok(Some(Weak {
        id: candidate_id('p', number, [(&standing.path, blob)]),
        blob,
        importance: json::to(standing.importance, 2),
        maturity: standing.maturity,
        days: standing.days,
        used_at: standing.used_at.map(format_utc),
        changed_at: changed.map(format_utc),
        links,
        signal,
        preview: cut(document.body().trim()),
        path: standing.path,
    }))
}

/// The word without which no entry is superseded.
const SUPERSEDED: &str = "superseded";

/// What entries are judged by.
struct Judging<'a> {
    ages: &'a Ages<'a>,
    signals: &'a Signals,
    /// Entries whose whole content comes from commits of the code that no branch has had for long.
    abandoned: &'a BTreeSet<TreePath>,
    /// Whether any entry ever served a caller here.
    are_used: bool,
}

impl Judging<'_> {
    fn standing(&self, path: &TreePath, meta: Option<&Meta>) -> PruneEvidence {
        let signal = self.signals.of(path);
        let known = (self.ages.now() - signal.first_seen) / DAY;
        PruneEvidence {
            path: path.clone(),
            importance: signal.importance,
            maturity: signal.maturity,
            days: self.ages.days(path, meta.and_then(Meta::changed)),
            pinned: meta.is_some_and(|meta| meta.pinned),
            signals_known_days: if self.are_used { known } else { 0 },
            used_at: signal.used_at,
            is_superseded: meta.is_some_and(|meta| meta.status == Some(Status::Superseded)),
            is_unmerged: self.abandoned.contains(path),
        }
    }
}
