//! Gather what a dream looks at: what changed since the last one with its neighbours, the domains, and what has become
//! weak.

use super::ages::Ages;
use super::excerpt::cut;
use super::ground::{DreamPlace, Ground};
use super::memory::{DecidedPairs, DreamMemory};
use super::patterns::patterns;
use super::plan_id::PlanId;
use super::searching::Neighbours;
use super::weak::weak;
use super::{DreamStart, FILES};
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_engine::Stop;
use brv_engine::derive::{self, Companion};
use brv_engine::dream::PendingMerge;
use brv_engine::journal::DreamId;
use brv_engine::open::context::Parts;
use brv_engine::open::signals::{self, Signals};
use brv_engine::open::state::Open;
use brv_engine::outcome::json;
use brv_engine::read::links::pointing::each;
use brv_git::{CommitId, Scope, trees};
use brv_text::derive::Input;
use brv_text::doc::Document;
use brv_text::dream::{
    Cluster, ClusterEntry, ClusterEvidence, Entry, GroupingInput, Hint, Plan, candidate_id, domain, title_of,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A plan, with what else it is made from.
pub struct Gathered {
    pub dream: DreamId,
    pub plan: Plan,
    pub ground: Ground,
    /// The changed files that the plan does not show.
    pub unseen: BTreeSet<TreePath>,
    pub signals: Signals,
    pub decided: DecidedPairs,
}

/// Gather the evidence for a dream at this place, with at most `limit` candidates.
pub fn gather(
    parts: &Parts<'_>,
    (dream, place): (DreamStart, DreamPlace),
    limit: usize,
) -> Result<Gathered, Stop> {
    let (opened, now) = (parts.opened, parts.clock.seconds());
    let scope = &opened.scope;
    let ground = Ground::of(opened, place)?;
    let memory = DreamMemory::of(opened, &ground)?;
    let ages = Ages::of(scope, &ground, now)?;
    let changed = changed(scope, &ground, &memory, &ages)?;
    let (signals, _) = signals::preview(opened, now);
    let id = PlanId { dream: dream.id, limit, base: dream.base }.to_string();
    let mut plan = Plan { id, base: dream.base.map(|base| base.to_string()), ..Plan::default() };
    let mut shown = None;
    let is_changed = !changed.is_empty();
    // what an earlier dream suggests is looked at even if nothing changed since
    if is_changed || memory.state.pending_merges.iter().any(|merge| is_open(merge, &ground, &memory.decided))
    {
        let found = clusters(parts, (&ground, &memory), &changed, limit)?;
        plan.consolidate = found.0;
        shown = Some(found.1);
    }
    plan.synthesize = patterns(parts, (&ground, &memory, &ages), limit)?;
    plan.prune = weak(opened, (&ground, &memory, &ages), &signals)?;
    let is_unseen = |path: &&TreePath| shown.as_ref().is_some_and(|shown| !shown.contains(*path));
    let unseen: BTreeSet<TreePath> = changed.into_iter().filter(is_unseen).cloned().collect();
    plan.remaining = unseen.len();
    Ok(Gathered { dream: dream.id, plan, ground, unseen, signals, decided: memory.decided })
}

/// Whether there is still something to decide about a suggested merge: both entries are there, in one domain, and nobody
/// decided about these versions of them.
pub(super) fn is_open(merge: &PendingMerge, ground: &Ground, decided: &DecidedPairs) -> bool {
    let Some((source, target)) = merge.paths() else { return false };
    let pair = ground.entries.get(&source).zip(ground.entries.get(&target));
    let is_one_domain = source != target && domain(&source) == domain(&target);
    is_one_domain && pair.is_some_and(|(one, other)| !decided.has(*one, *other))
}

/// The entries whose content is not as the last dream left it, the last change first; behind them those that were shown
/// before and that nobody decided about.
fn changed<'g>(
    scope: &Scope,
    ground: &'g Ground,
    memory: &DreamMemory,
    ages: &Ages<'_>,
) -> Result<Vec<&'g TreePath>, Stop> {
    let last = memory.state.last_dream_commit.as_deref().and_then(CommitId::from_hex);
    let known: BTreeMap<_, _> = match last.map(|commit| scope.tree_of(commit)) {
        // a commit that is gone tells nothing: everything counts as changed
        Some(Ok(tree)) => {
            trees::list(scope, tree)?.into_iter().map(|(path, version)| (path, version.id)).collect()
        }
        Some(Err(_)) | None => BTreeMap::new(),
    };
    let is_as_left =
        |path: &TreePath, id: &ContentId| known.get(path.as_bytes()).is_some_and(|known| known == id);
    let changed =
        ground.entries.iter().filter(|(path, id)| !is_as_left(path, id) || memory.open.contains_key(*path));
    let mut changed: Vec<&TreePath> = changed.map(|(path, _)| path).collect();
    sorting::sort_by(&mut changed, |one, other| {
        let waits = |path: &TreePath| memory.open.get(path) == Some(&Open::Undecided);
        let newer = ages.committed(other).cmp(&ages.committed(one));
        waits(one).cmp(&waits(other)).then(newer).then_with(|| one.cmp(other))
    });
    Ok(changed)
}

/// The candidates of consolidate, and the changed files that were looked at.
fn clusters(
    parts: &Parts<'_>,
    (ground, memory): (&Ground, &DreamMemory),
    changed: &[&TreePath],
    limit: usize,
) -> Result<(Vec<Cluster>, BTreeSet<TreePath>), Stop> {
    let hints: Vec<Hint> = memory
        .state
        .pending_merges
        .iter()
        .filter_map(|merge| {
            let (source, target) = merge.paths()?;
            Some(Hint { source, target, reason: merge.reason.clone() })
        })
        .collect();
    let domains: HashSet<&str> =
        changed.iter().copied().chain(hints.iter().map(|hint| &hint.source)).map(domain).collect();
    let mut paths: BTreeMap<&str, Vec<&TreePath>> = BTreeMap::new();
    for path in ground.entries.keys().filter(|path| domains.contains(domain(path))) {
        paths.entry(domain(path)).or_default().push(path);
    }
    let counts: Vec<(&str, usize)> = paths.iter().map(|(domain, paths)| (*domain, paths.len())).collect();
    let mut neighbours = Neighbours::of(parts, ground);
    let found = brv_text::dream::clusters(GroupingInput {
        domains: &counts,
        entries: &mut |domains| {
            let paths = domains.iter().filter_map(|domain| paths.get(domain)).flatten();
            entries(ground, &paths.copied().collect::<Vec<_>>())
        },
        changed,
        hints: &hints,
        skipped: &|blobs| memory.decided.has_all(blobs),
        relevant: &mut |entry| neighbours.of_entry(entry),
        most: limit,
        files: FILES,
    })?;
    let mut clusters = Vec::with_capacity(found.clusters.len());
    for (at, group) in found.clusters.into_iter().enumerate() {
        let mut files = Vec::with_capacity(group.files.len());
        for path in &group.files {
            let (Some(blob), Some(bytes)) = (ground.entries.get(path), ground.reading().read(path)?) else {
                continue;
            };
            files.push(ClusterEntry {
                path: path.clone(),
                blob: *blob,
                abstract_text: abstract_of(path, *blob, &bytes),
                title: title_of(path, &Document::parse(bytes)),
            });
        }
        clusters.push(Cluster {
            id: candidate_id('c', at + 1, files.iter().map(|file| (&file.path, file.blob))),
            domain: group.domain,
            files,
            evidence: ClusterEvidence {
                overlap: json::to(group.overlap, 2),
                shared_subjects: group.shared_subjects,
                relevance: json::to(group.relevance, 2),
            },
            hint: group.hint,
        });
    }
    Ok((clusters, found.shown))
}

/// What is known of entries to group them. A conflict is to be resolved first.
fn entries(ground: &Ground, paths: &[&TreePath]) -> Result<Vec<Entry>, Stop> {
    each(ground.reading(), paths, |path, bytes| {
        let document = Document::parse(bytes);
        let is_fit = document.conflicts().is_empty() && document.is_utf8();
        let entry = ground.entries.get(path).filter(|_| is_fit);
        Ok(entry.map(|blob| Entry::of(path.clone(), *blob, &document)).into_iter().collect())
    })
}

/// The summary of an entry, else its abstract.
fn abstract_of(path: &TreePath, id: ContentId, bytes: &[u8]) -> String {
    if let Some(summary) = Document::parse(bytes).meta().summary.filter(|summary| !summary.is_empty()) {
        return cut(&summary);
    }
    let made = derive::companion_of(&Input { path, id, bytes }, Companion::Abstract);
    cut(Document::parse(made.text).body().trim())
}
