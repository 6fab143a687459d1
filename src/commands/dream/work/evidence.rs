//! Gather what a dream looks at: what changed since the last one with its neighbours, the domains, and what has become
//! weak.

use super::ages::Ages;
use super::ground::{Ground, Place};
use super::{Dream, Error};
use crate::dream::work::reverted::TakenBack;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_engine::derive::{self, Companion};
use brv_engine::dream::{self, PendingMerge, State};
use brv_engine::jobs::Store;
use brv_engine::open::context::{Opened, Parts};
use brv_engine::open::hosting::Host;
use brv_engine::open::signals::{self, Signals};
use brv_engine::open::state::{KeptEntry, Open};
use brv_engine::outcome::json;
use brv_engine::query::search::{Freshness, HitKind, SearchSession, Wanted};
use brv_engine::read::history::learned::unmerged::Unmerged;
use brv_engine::read::links::pointing::each;
use brv_git::{CommitId, Scope, trees};
use brv_text::derive::Input;
use brv_text::doc::Document;
use brv_text::dream::{
    Cluster, Entry, Evidence, Hint, Listed, Look, Pattern, Plan, Standing, Summary, Weak, signal,
};
use brv_text::lifecycle::DAY;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// How many files a candidate has at most.
const FILES: usize = 8;

/// How many neighbours a file gets from the search.
const NEIGHBOURS: usize = 8;

/// The longest preview and abstract, in characters.
const PREVIEW: usize = 400;

/// How many candidates of prune there are at most.
const WEAK: usize = 20;

/// How far the importance of an entry that was kept must move until it is a candidate again.
const MOVED: f64 = 5.0;

/// A plan, with what else it is made from.
pub struct Gathered {
    pub plan: Plan,
    pub ground: Ground,
    /// The changed files that the plan does not show.
    pub unseen: BTreeSet<TreePath>,
    pub signals: Signals,
    pub decided: DecidedPairs,
}

/// Pairs of versions that dreams decided about. Where both are there again, the decision changed no file, or was taken
/// back.
pub struct DecidedPairs(HashSet<[String; 2]>);

impl DecidedPairs {
    pub fn of(opened: &Opened) -> Result<Self, Error> {
        let store = Store::of(opened).map_err(dream::Error::from)?;
        Ok(Self(store.read(|state| state.decided_pairs()).map_err(dream::Error::from)?))
    }

    fn add(&mut self, pairs: Vec<[ContentId; 2]>) {
        self.0.extend(pairs.into_iter().map(|[one, other]| pair(one, other)));
    }

    pub fn has(&self, one: ContentId, other: ContentId) -> bool {
        self.0.contains(&pair(one, other))
    }

    /// Whether every two of these versions were decided about.
    fn has_all(&self, blobs: &[ContentId]) -> bool {
        let mut pairs = blobs
            .iter()
            .enumerate()
            .flat_map(|(at, one)| blobs[at + 1..].iter().map(move |other| (*one, *other)));
        pairs.all(|(one, other)| self.has(one, other))
    }
}

/// Two versions in the order in which they are kept.
fn pair(one: ContentId, other: ContentId) -> [String; 2] {
    let mut pair = [one, other].map(|id| id.to_string());
    pair.sort();
    pair
}

/// What is remembered of earlier dreams.
struct Memory {
    state: State,
    open: BTreeMap<TreePath, Open>,
    decided: DecidedPairs,
    kept: BTreeMap<String, KeptEntry>,
    /// Entries that were archived, and are there again as they were.
    archived: BTreeSet<TreePath>,
}

impl Memory {
    fn of(opened: &Opened, ground: &Ground) -> Result<Self, Error> {
        let store = Store::of(opened).map_err(dream::Error::from)?;
        let read = store.read(|state| Ok((state.open_files()?, state.kept_entries()?)));
        let (open, kept) = read.map_err(dream::Error::from)?;
        let path = |(path, open): (String, Open)| Some((TreePath::parse(path.as_bytes()).ok()?, open));
        let open = open.into_iter().filter_map(path).collect();
        let TakenBack { pairs, archived } = TakenBack::of(&opened.scope, ground)?;
        let mut decided = DecidedPairs::of(opened)?;
        decided.add(pairs);
        Ok(Self { state: dream::read_state(opened)?, open, decided, kept, archived })
    }
}

/// Gather the evidence for a dream at this place, with at most `limit` candidates.
pub fn gather(parts: &Parts<'_>, (dream, place): (Dream, Place), limit: usize) -> Result<Gathered, Error> {
    let (opened, now) = (parts.opened, parts.clock.seconds());
    let scope = &opened.scope;
    let ground = Ground::of(opened, place)?;
    let memory = Memory::of(opened, &ground)?;
    let ages = Ages::of(scope, ground.base, now)?;
    let changed = changed(scope, &ground, &memory, &ages)?;
    let (signals, _) = signals::preview(opened, now);
    let mut plan =
        Plan { id: dream.id.to_string(), base: dream.base.map(|base| base.to_string()), ..Plan::default() };
    let mut unseen = BTreeSet::new();
    let is_changed = !changed.is_empty();
    // what an earlier dream suggests is looked at even if nothing changed since
    if is_changed || memory.state.pending_merges.iter().any(|merge| is_open(merge, &ground, &memory.decided))
    {
        let found = clusters(parts, (&ground, &memory), &changed, limit)?;
        plan.consolidate = found.0;
        unseen = changed.into_iter().filter(|path| !found.1.contains(path)).collect();
    }
    if is_changed {
        plan.synthesize = patterns(opened, &ground, &plan)?;
    }
    plan.prune = weak(&ground, &memory, &ages, (&signals, &abandoned(opened, now)))?;
    plan.remaining = unseen.len();
    Ok(Gathered { plan, ground, unseen, signals, decided: memory.decided })
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
fn changed(scope: &Scope, ground: &Ground, memory: &Memory, ages: &Ages) -> Result<Vec<TreePath>, Error> {
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
    let mut changed: Vec<TreePath> = changed.map(|(path, _)| path.clone()).collect();
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
    (ground, memory): (&Ground, &Memory),
    changed: &[TreePath],
    limit: usize,
) -> Result<(Vec<Cluster>, BTreeSet<TreePath>), Error> {
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
        changed.iter().chain(hints.iter().map(|hint| &hint.source)).map(domain).collect();
    let paths: Vec<TreePath> =
        ground.entries.keys().filter(|path| domains.contains(domain(path))).cloned().collect();
    let entries = each(ground.reading(), &paths, |path, bytes| {
        let document = Document::parse(bytes);
        // a conflict is to be resolved first
        let is_fit = document.conflicts().is_empty() && document.is_utf8();
        let entry = ground.entries.get(path).filter(|_| is_fit);
        Ok(entry.map(|blob| Entry::of(path.clone(), *blob, &document)).into_iter().collect())
    })?;
    let mut neighbours = Neighbours::of(parts, ground);
    let found = brv_text::dream::clusters(Look {
        entries: &entries,
        changed,
        hints: &hints,
        skipped: &|blobs| memory.decided.has_all(blobs),
        relevant: &mut |entry| neighbours.of_entry(entry),
        most: limit,
        files: FILES,
    });
    let titles: BTreeMap<&TreePath, &Entry> = entries.iter().map(|entry| (&entry.path, entry)).collect();
    let mut clusters = Vec::with_capacity(found.clusters.len());
    for (at, group) in found.clusters.into_iter().enumerate() {
        let mut files = Vec::with_capacity(group.files.len());
        for path in &group.files {
            let (Some(entry), Some(bytes)) = (titles.get(path), ground.reading().read(path)?) else {
                continue;
            };
            let abstract_text = abstract_of(path, entry.blob, &bytes);
            files.push(Listed {
                path: path.clone(),
                blob: entry.blob,
                title: entry.title.clone(),
                abstract_text,
            });
        }
        clusters.push(Cluster {
            id: format!("c{}", at + 1),
            domain: group.domain,
            files,
            evidence: Evidence {
                overlap: json::to(group.overlap, 2),
                shared_subjects: group.shared_subjects,
                relevance: json::to(group.relevance, 2),
            },
            hint: group.hint,
        });
    }
    Ok((clusters, found.shown))
}

fn domain(path: &TreePath) -> &str {
    path.as_str().split_once('/').map_or("", |(domain, _)| domain)
}

/// The summary of an entry, else its abstract.
fn abstract_of(path: &TreePath, id: ContentId, bytes: &[u8]) -> String {
    if let Some(summary) = Document::parse(bytes).meta().summary.filter(|summary| !summary.is_empty()) {
        return cut(&summary);
    }
    let made = derive::companion_of(&Input { path, id, bytes }, Companion::Abstract);
    cut(Document::parse(made.text).body().trim())
}

/// The start of a text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(PREVIEW) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

/// What the search finds for an entry. A tree that cannot be searched has no such neighbours.
struct Neighbours<'a> {
    sought: Option<SearchSession<'a>>,
    ground: &'a Ground,
    now: i64,
}

impl<'a> Neighbours<'a> {
    fn of(parts: &Parts<'a>, ground: &'a Ground) -> Self {
        let sought = SearchSession::open(parts.opened, Freshness::Look, parts.progress).ok();
        Self { sought, ground, now: parts.clock.seconds() }
    }

    fn of_entry(&mut self, entry: &Entry) -> Vec<(TreePath, f64)> {
        let Some(sought) = &mut self.sought else { return Vec::new() };
        let text = [std::slice::from_ref(&entry.title), &entry.subjects[..]].concat().join(". ");
        let scope = Some(entry.domain()).filter(|domain| !domain.is_empty());
        let wanted = Wanted {
            text: &text,
            limit: NEIGHBOURS + 1,
            scope,
            folders: false,
            each: brv_search::Each::File,
            now: self.now,
        };
        let Ok(hits) = sought.find(&wanted) else { return Vec::new() };
        let hits = hits.found.hits.into_iter().filter(|hit| HitKind::of(hit) == HitKind::Entry);
        let others = hits.filter(|hit| hit.path != entry.path && self.ground.entries.contains_key(&hit.path));
        others.map(|hit| (hit.path, hit.relevance)).collect()
    }
}

/// The summaries of the domains, if there are several: those of the candidates first.
fn patterns(opened: &Opened, ground: &Ground, plan: &Plan) -> Result<Vec<Pattern>, Error> {
    let all = ground.entries.keys().map(domain).filter(|domain| !domain.is_empty() && *domain != SYNTHESIS);
    let all: BTreeSet<&str> = all.collect();
    if all.len() < 2 {
        return Ok(Vec::new());
    }
    let of_clusters = plan.consolidate.iter().filter_map(|cluster| all.get(cluster.domain.as_str()).copied());
    let mut domains: Vec<&str> = Vec::new();
    for domain in of_clusters.chain(all.iter().copied()) {
        if domains.len() < FILES && !domains.contains(&domain) {
            domains.push(domain);
        }
    }
    let mut summaries = Vec::new();
    for domain in &domains {
        let index = derive::current_index(opened, domain).ok().flatten();
        let text =
            index.map(|index| Document::parse(index.text).body().trim().to_owned()).unwrap_or_default();
        summaries.push(Summary { path: format!("{domain}/_index.md"), text });
    }
    let domains = domains.into_iter().map(str::to_owned).collect();
    Ok(vec![Pattern { id: "s1".to_owned(), domains, summaries }])
}

/// Where new knowledge of several domains goes, unless the decider names a place.
const SYNTHESIS: &str = "synthesis";

/// The entries of which all comes from commits of the code that no branch has had for long; none where that cannot be read.
fn abandoned(opened: &Opened, now: i64) -> BTreeSet<TreePath> {
    let Ok(Some(host)) = Host::of(opened, &opened.places.project) else { return BTreeSet::new() };
    let unmerged = Unmerged::of(opened, &host, now).unwrap_or_default();
    unmerged.abandoned(&opened.scope.root(), now)
}

/// The candidates of prune, the stalest first.
fn weak(
    ground: &Ground,
    memory: &Memory,
    ages: &Ages,
    (signals, abandoned): (&Signals, &BTreeSet<TreePath>),
) -> Result<Vec<Weak>, Error> {
    let now = ages.now();
    let standing = |path: &TreePath, told: Option<i64>, pinned: bool| {
        let signal = signals.of(path);
        Standing {
            path: path.clone(),
            importance: signal.importance,
            maturity: signal.maturity,
            days: ages.days(path, told),
            pinned,
            signals_known_days: (now - signal.first_seen) / DAY,
            is_unmerged: abandoned.contains(path),
        }
    };
    // as old as they can be: only those that may be weak are read
    let may_be = |path: &&TreePath| signal(&standing(path, None, false)).is_some();
    let paths: Vec<TreePath> = ground.entries.keys().filter(may_be).cloned().collect();
    let standings = each(ground.reading(), &paths, |path, bytes| {
        let document = Document::parse(bytes);
        let meta = document.meta();
        let standing = standing(path, meta.changed(), meta.pinned);
        let is_kept = memory.kept.get(path.as_str()).is_some_and(|kept| {
            let is_same = ground.entries.get(path).is_some_and(|id| id.to_string() == kept.blob);
            is_same && (kept.importance - standing.importance).abs() < MOVED
        });
        let is_kept = is_kept || memory.archived.contains(path);
        let is_free = !is_kept && document.conflicts().is_empty();
        Ok(if is_free { vec![standing] } else { Vec::new() })
    })?;
    let mut weak = Vec::new();
    for (standing, signal) in brv_text::dream::weak(standings).into_iter().take(WEAK) {
        let Some(blob) = ground.entries.get(&standing.path) else { continue };
        let preview = ground.document(&standing.path)?.map(|document| cut(document.body().trim()));
        weak.push(Weak {
            id: format!("p{}", weak.len() + 1),
            blob: *blob,
            importance: json::to(standing.importance, 2),
            maturity: standing.maturity,
            days: standing.days,
            signal,
            preview: preview.unwrap_or_default(),
            path: standing.path,
        });
    }
    Ok(weak)
}
