//! The document from the tree as it is: reads what is shown, and looks at the code that it cites.

use super::Options;
use crate::brain::digests;
use brv_base::path::TreePath;
use brv_engine::open::context::Opened;
use brv_engine::open::signals;
use brv_engine::outcome::json;
use brv_engine::query::search::Recent;
use brv_engine::read::stale;
use brv_engine::review::Marks;
use brv_text::brain::{
    self, BrainLayer, BrainPlan, BrainTask, Compared, DigestContent, Drawn, EntryDetail, EntryExplanation,
    EntrySignals, HashedEntry, Item, Left, Month, Needed, Outcome, Passage, Placed, ShelfItem, Since,
    Sources,
};
use brv_text::doc;
use brv_text::lifecycle::DAY;
use brv_text::stale::Freshness;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::rc::Rc;

/// What the document is made of, beside the files.
pub(super) struct Inputs<'a> {
    pub opened: &'a Opened,
    pub cwd: &'a Path,
    pub now: i64,
    pub options: &'a Options,
    /// Only in this folder.
    pub scope: Option<&'a str>,
    pub marks: &'a Marks,
    /// The statements whose commits are on no branch of the code, by the paths of their entries.
    pub left: &'a BTreeMap<String, Vec<Left>>,
    pub passages: Option<&'a [Passage]>,
    pub since: Option<&'a Since>,
}

/// How many entries of a layer stand for nearly equal ones at first, and how many times more if these are shown.
const STANDING: usize = 64;
const MORE: usize = 4;

impl Inputs<'_> {
    /// Place the entries, and draw the document.
    pub fn assemble(&self, all: &[brain::Digest]) -> Outcome {
        let inside: Vec<&brain::Digest> = all.iter().filter(|digest| self.is_inside(&digest.path)).collect();
        let (placed, newest) = self.placed(&inside);
        let reading = AssemblyReader { inputs: self, read: RefCell::default() };
        let records = inside.iter().map(|digest| match digest.content {
            DigestContent::Overview { archived } => archived as usize,
            DigestContent::Entry(_) => 0,
        });
        let outdated = placed.iter().filter(|one| one.layer == 3).count();
        let archived = outdated + records.sum::<usize>();
        let pending = placed.iter().filter(|one| self.marks.contains_key(one.path())).count();
        let plan = self.plan(archived, pending, newest);
        let stands = self.stands(&placed, &plan, &reading);
        let (drawn, fresh) = self.drawn(&placed, &stands, &plan, &reading);
        let hash = self.hash(&placed, &drawn, &fresh);
        let shown = entries(drawn.layers.iter().skip(1));
        let keys: BTreeSet<String> = shown.iter().map(|at| placed[*at].key().to_owned()).collect();
        Outcome {
            token_estimate: brain::tokens(&drawn.document),
            items_loaded: shown.len(),
            schema_keys: keys.into_iter().collect(),
            brain_hash: hash,
            tree: brain::tree(&placed),
            layers: layers(&placed, &drawn, &fresh),
            archived,
            explain: self.options.explain.then(|| explained(&placed, &stands, &drawn)),
            passages: self.passages.map(|all| drawn.passages.iter().map(|at| needed(&all[*at])).collect()),
            document: drawn.document,
            ..Outcome::default()
        }
    }

    fn is_inside(&self, path: &str) -> bool {
        super::is_inside(path, self.scope)
    }

    fn plan(&self, archived: usize, pending: usize, newest: Month) -> BrainPlan<'_> {
        let words = self.options.task.as_deref().unwrap_or_default();
        BrainPlan {
            budgets: self.options.budgets,
            has_brief: !self.options.no_brief,
            is_summary: self.options.summary,
            keeps_room: self.options.session.is_some(),
            task: self.passages.map(|passages| BrainTask { words, passages }),
            since: self.since,
            archived,
            pending,
            newest,
        }
    }

    /// The entries in their order, and the newest month of the tree. Signals are those at the beginning of the UTC day, with all that happened since, so that
    /// nothing fades within a day.
    fn placed<'d>(&self, inside: &[&'d brain::Digest]) -> (Vec<Placed<'d>>, Month) {
        let midnight = self.now.div_euclid(DAY) * DAY;
        // what goes wrong is reported by commands that are about signals
        let known = signals::preview(self.opened, self.now).0.at(midnight);
        let recent: OnceCell<Recent> = OnceCell::new();
        let committed = |path: &str| {
            let path = TreePath::parse(path.as_bytes()).ok()?;
            recent.get_or_init(|| Recent::read(self.opened)).of(&path)
        };
        let mut times = Vec::new();
        let mut placed: Vec<Placed<'d>> = inside
            .iter()
            .filter_map(|digest| {
                let entry = digest.entry()?;
                let signal = known.of_path(&digest.path);
                let is_used = signal.hits > 0;
                let signals =
                    EntrySignals { importance: signal.importance, maturity: signal.maturity, is_used };
                let changed = entry.changed.or_else(|| committed(&digest.path)).unwrap_or(self.now);
                times.push((entry, Some(changed)));
                Some(Placed::new(digest, entry, signals, changed, self.now))
            })
            .collect();
        let newest = brain::newest(times.into_iter(), self.now);
        brain::order(&mut placed, newest);
        (placed, newest)
    }

    /// Which entries stand for nearly equal ones: at least all that are shown, and mostly few others, since to compare
    /// entries they are read.
    fn stands(
        &self,
        placed: &[Placed<'_>],
        plan: &BrainPlan<'_>,
        reading: &AssemblyReader<'_>,
    ) -> Vec<usize> {
        let mut most = STANDING;
        loop {
            let stands = brain::stand_ins(placed, most, &|one| reading.compared(one));
            let drawn = reading.draw(placed, &stands, plan, &BTreeMap::new());
            let largest = drawn.layers.iter().skip(1).map(|part| part.shown.len()).max().unwrap_or_default();
            // entries that do not fit are looked at, too
            if largest * 2 <= most || most > placed.len() {
                return stands;
            }
            most = most.saturating_mul(MORE);
        }
    }

    /// The document with the freshness of what it shows. What an entry states counts less if its code moved on, and the line
    /// about that takes room, so that another one may be shown in its place: that is looked at, too.
    fn drawn(
        &self,
        placed: &[Placed<'_>],
        stands: &[usize],
        plan: &BrainPlan<'_>,
        reading: &AssemblyReader<'_>,
    ) -> (Drawn, BTreeMap<String, Freshness>) {
        let (mut fresh, mut looked) = (BTreeMap::new(), BTreeSet::new());
        loop {
            let drawn = reading.draw(placed, stands, plan, &fresh);
            let new: Vec<usize> = drawn.considered.iter().copied().filter(|at| looked.insert(*at)).collect();
            let found = self.freshness(new.iter().map(|at| &placed[*at]), reading);
            let is_other = found.iter().any(|(_, known)| known.line().is_some());
            fresh.extend(found);
            if !is_other {
                return (drawn, fresh);
            }
        }
    }

    fn freshness<'d>(
        &self,
        shown: impl Iterator<Item = &'d Placed<'d>>,
        reading: &AssemblyReader<'_>,
    ) -> Vec<(String, Freshness)> {
        let files: Vec<(TreePath, Vec<u8>)> = shown.filter_map(|one| reading.bytes(one)).collect();
        let asked: Vec<(&TreePath, &[u8])> =
            files.iter().map(|(path, bytes)| (path, bytes.as_slice())).collect();
        let found = stale::of(self.opened, self.cwd, &asked, None);
        asked.iter().zip(found).filter_map(|((path, _), known)| Some((path.to_string(), known?))).collect()
    }

    fn hash(&self, placed: &[Placed<'_>], drawn: &Drawn, fresh: &BTreeMap<String, Freshness>) -> String {
        let (shown, none) = (entries(drawn.layers.iter()), [].as_slice());
        let marked = shown.iter().map(|at| HashedEntry {
            placed: &placed[*at],
            freshness: fresh.get(placed[*at].path()),
            pending: self.marks.get(placed[*at].path()).map_or(none, Vec::as_slice),
        });
        let marked: Vec<HashedEntry<'_>> = marked.collect();
        let known: Vec<String> = self.passages.unwrap_or_default().iter().map(Passage::known).collect();
        let options = format!("{}{}", self.options.text(), known.join("|"));
        brain::hash(&marked, &options, self.now.div_euclid(DAY), &drawn.document)
    }
}

/// The entries that these layers show or have statements of, each once, as positions.
fn entries<'p>(layers: impl Iterator<Item = &'p brain::LayerText>) -> BTreeSet<usize> {
    layers.flat_map(|part| &part.shown).map(|shown| shown.at).collect()
}

/// The entries that were read.
struct AssemblyReader<'a> {
    inputs: &'a Inputs<'a>,
    read: RefCell<HashMap<String, Option<ReadEntry>>>,
}

struct ReadEntry {
    path: TreePath,
    bytes: Vec<u8>,
    detail: Rc<EntryDetail>,
}

impl AssemblyReader<'_> {
    fn with<T>(&self, one: &Placed<'_>, look: impl Fn(&ReadEntry) -> T) -> Option<T> {
        let mut read = self.read.borrow_mut();
        let found = read.entry(one.path().to_owned()).or_insert_with(|| {
            let (path, bytes) = digests::read(self.inputs.opened, one.digest)?;
            let pending = self.inputs.marks.get(one.path()).cloned().unwrap_or_default();
            let detail = EntryDetail { pending, ..EntryDetail::of(one.path(), &bytes) };
            Some(ReadEntry { path, bytes, detail: Rc::new(detail) })
        });
        found.as_ref().map(look)
    }

    fn compared(&self, one: &Placed<'_>) -> Compared {
        let bytes = digests::read(self.inputs.opened, one.digest).map(|(_, bytes)| bytes);
        Compared::of(&bytes.unwrap_or_default())
    }

    fn bytes(&self, one: &Placed<'_>) -> Option<(TreePath, Vec<u8>)> {
        self.with(one, |read| (read.path.clone(), read.bytes.clone()))
    }

    fn draw(
        &self,
        placed: &[Placed<'_>],
        stands: &[usize],
        plan: &BrainPlan<'_>,
        fresh: &BTreeMap<String, Freshness>,
    ) -> Drawn {
        let sources = Sources {
            detail: &|one| self.with(one, |read| Rc::clone(&read.detail)),
            freshness: &|path| fresh.get(path).cloned(),
            left: self.inputs.left,
        };
        brain::draw(placed, stands, plan, &sources)
    }
}

fn layers(placed: &[Placed<'_>], drawn: &Drawn, fresh: &BTreeMap<String, Freshness>) -> Vec<BrainLayer> {
    let against = drawn.layers.iter().flat_map(|part| &part.shown);
    let against: BTreeSet<(usize, String)> =
        against.filter_map(|shown| Some((shown.against?, doc::normal(&shown.title)))).collect();
    let is_against = |shown: &ShelfItem| {
        shown.against.is_some() || against.contains(&(shown.at, doc::normal(&shown.title)))
    };
    let item = |shown: &ShelfItem| {
        let one = &placed[shown.at];
        Item {
            path: one.path().to_owned(),
            entry_kind: one.entry.kind.word().to_owned(),
            title: shown.title.clone(),
            text: shown.text.clone(),
            kind: shown.kind.word().to_owned(),
            date: shown.month.to_string(),
            score: json::to(shown.score, 4),
            importance: one.importance,
            confidence: json::to(one.confidence, 4),
            age_days: one.days,
            why: shown.why.to_owned(),
            disputed: one.entry.is_disputed || is_against(shown),
            unmerged: shown.unmerged.clone(),
            freshness: fresh.get(one.path()).cloned(),
        }
    };
    let layer = |(part, layer): (&brain::LayerText, u8)| BrainLayer {
        layer,
        tokens: brain::tokens(&part.text),
        budget: part.budget,
        cut: part.cut,
        items: part.shown.iter().map(item).collect(),
    };
    drawn.layers.iter().zip(0..).map(layer).collect()
}

fn needed(passage: &Passage) -> Needed {
    let Passage { path, line, is_disputed, freshness, unmerged, .. } = passage;
    let (path, line, disputed) = (path.clone(), *line, *is_disputed);
    Needed { path, line, disputed, unmerged: unmerged.clone(), freshness: freshness.clone() }
}

/// Why each entry is in, out or cut. One that is shown is in the first layer that has something of it.
fn explained(placed: &[Placed<'_>], stands: &[usize], drawn: &Drawn) -> Vec<EntryExplanation> {
    let mut first: Vec<Option<(u8, &str)>> = vec![None; placed.len()];
    for (part, layer) in drawn.layers.iter().zip(0..) {
        for shown in &part.shown {
            first[shown.at] = first[shown.at].or(Some((layer, shown.why)));
        }
    }
    let row = |(at, one): (usize, &Placed<'_>)| {
        let (layer, state, why) = match (first[at], one.layer) {
            (Some((layer, why)), _) => (layer, "in", why.to_owned()),
            (None, 3) => (3, "out", one.why.to_owned()),
            (None, layer) if stands[at] != at => {
                (layer, "similar", format!("nearly equal to {}", placed[stands[at]].path()))
            }
            (None, layer) => (layer, "cut", format!("{}; no room for it", one.why)),
        };
        EntryExplanation { path: one.path().to_owned(), layer, state: state.to_owned(), why }
    };
    placed.iter().enumerate().map(row).collect()
}
