//! Make the `_index.md` of a folder, and the condensate it passes up.
//!
//! Made from the digests of its own files and the condensates of its child folders. This module chooses the statements,
//! `layout` formats them. Knows no file below the child folders.

use super::abstract_::status;
use super::inline::cut;
use super::layout::{self, IndexPage, Item, PageStatement, Style};
use super::outline;
use super::page::PageFields;
use super::roles::Role;
use super::salience::{Room, TermVector, TermWeights, Unit, UnitSimilarities};
use super::{CHARS_PER_TOKEN, Condensate, CondensatePart, Digest, Gem, Key, Made, children_hash, tokens_of};
use crate::derive::self_contained::{names_subject, stands_alone};
use crate::words::{Term, terms_of};
use brv_base::content::ContentId;

/// The maximum tokens of an index by condensation order: subtopic, topic, domain, root.
const TOKENS: [u64; 4] = [500, 700, 900, 1500];

/// Up to this many tokens, an index may be nearly as long as its sources, and lists all names even if the sources are
/// shorter.
const LITTLE: u64 = 300;

/// The number of statements that a folder passes up.
const GEMS: usize = 10;

/// The longest gist passed up, in characters.
const GEM_CHARS: usize = 170;

/// The fixed cost of a statement passed up, before its length counts: brevity matters a little.
const GEM_COST: u32 = 150;

/// The cost of a statement that must not be chosen: there is never that much room.
const NEVER: u32 = u32::MAX;

/// The maximum number of statements to choose from; of wide folders only the best of each item.
const CANDIDATES: usize = 320;

/// A folder with curated files at or below it.
#[derive(Debug, Clone)]
pub struct Folder<'a> {
    /// Its path, `""` for the root.
    pub path: &'a str,
    /// Its own curated files by name, `context.md` among them, in any order.
    pub files: Vec<(&'a str, &'a Digest)>,
    /// Its child folders that have curated files at or below them, by name, in any order.
    pub folders: Vec<(&'a str, &'a Condensate)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// Its `_index.md`.
    pub file: Made,
    pub condensate: Condensate,
}

/// The condensation order of a folder: 3 for the root, 2 for a domain, 1 for a topic, 0 for a subtopic and anything
/// deeper.
pub fn condensation_order(path: &str) -> u8 {
    if path.is_empty() {
        return 3;
    }
    2_u8.saturating_sub(u8::try_from(path.matches('/').count()).unwrap_or(u8::MAX))
}

/// The key of the index of the folder at `path` with this [`children_hash`].
pub fn index_key(path: &str, children_hash: ContentId) -> Key {
    let name = path.rsplit('/').next().unwrap_or(path);
    Key::of("index", &[&[condensation_order(path)], name.as_bytes(), children_hash.as_bytes()])
}

/// Make the index of a folder. It is shorter than its sources, except for its heading, the counts and the linked
/// titles, which up to 300 tokens are always included.
pub fn index_of(folder: &Folder<'_>) -> Index {
    let mut folder = folder.clone();
    folder.files.sort_unstable_by_key(|(name, _)| *name);
    folder.folders.sort_unstable_by_key(|(name, _)| *name);
    let order = condensation_order(folder.path);
    let covered = folder.files.iter().map(|(_, digest)| digest.tokens).sum::<u64>()
        + folder.folders.iter().map(|(_, child)| child.file_tokens).sum::<u64>();
    let hash = children_hash(
        folder.files.iter().map(|(name, digest)| (*name, digest.id)),
        folder.folders.iter().map(|(name, child)| (*name, child.children_hash)),
    );
    // shorter than the sources, however short those are: half of them, but most of them if they are short, or a chain
    // of folders with one note would say nothing at its top
    let share = (covered / 2).max((covered * 9 / 10).min(LITTLE));
    let tokens = TOKENS[usize::from(order)].min(share);
    let (body, gems) = body(&folder, tokens as usize * CHARS_PER_TOKEN);
    let covers: Vec<String> = folder
        .files
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .chain(folder.folders.iter().map(|(name, _)| format!("{name}/_index.md")))
        .collect();
    let count = tokens_of(&body);
    let file = PageFields::new()
        .quoted("children_hash", hash)
        .plain("compression_ratio", ratio(count, covered))
        .plain("condensation_order", order)
        .paths("covers", covers.iter().map(String::as_str))
        .plain("covers_token_total", covered)
        .plain("maker", "extractive")
        .plain("summary_level", format_args!("d{order}"))
        .plain("token_count", count)
        .plain("type", "summary")
        .with_body(index_key(folder.path, hash), &body);
    let condensate = condensate(&folder, gems, &file, hash);
    Index { file, condensate }
}

/// `part / whole` with three decimals.
fn ratio(part: u64, whole: u64) -> String {
    let thousandths = (part * 1000 + whole / 2).checked_div(whole).unwrap_or(0);
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

fn condensate(folder: &Folder<'_>, gems: Vec<Gem>, file: &Made, children_hash: ContentId) -> Condensate {
    let overview = overview(folder);
    let entries = entries(folder).count() as u64;
    Condensate {
        title: overview.and_then(|digest| digest.title.clone()),
        gist: overview.map(|digest| digest.gist.clone()).unwrap_or_default(),
        parts: parts(folder),
        gems,
        entries: entries + folder.folders.iter().map(|(_, child)| child.entries).sum::<u64>(),
        tokens: folder.files.iter().map(|(_, digest)| digest.tokens).sum::<u64>()
            + folder.folders.iter().map(|(_, child)| child.tokens).sum::<u64>(),
        index_tokens: file.tokens,
        file_tokens: tokens_of(&file.text),
        children_hash,
    }
}

fn overview<'a>(folder: &Folder<'a>) -> Option<&'a Digest> {
    folder.files.iter().find(|(name, _)| *name == "context.md").map(|(_, digest)| *digest)
}

fn entries<'b, 'a>(folder: &'b Folder<'a>) -> impl Iterator<Item = (&'a str, &'a Digest)> + 'b {
    folder.files.iter().copied().filter(|(name, _)| *name != "context.md")
}

fn parts(folder: &Folder<'_>) -> Vec<CondensatePart> {
    let (retired, holding): (Vec<_>, Vec<_>) = entries(folder).partition(|(_, digest)| digest.is_retired());
    let holding = holding.iter().map(|(name, digest)| outline::passed_up(&layout::title_of(name, digest)));
    let retired = retired.iter().map(|(name, digest)| {
        format!("{}{}", outline::passed_up(&layout::title_of(name, digest)), status(digest))
    });
    let own = outline::part(String::new(), holding.chain(retired));
    let below = folder.folders.iter().map(|(name, child)| outline::flattened(name, &child.parts));
    outline::bounded(std::iter::once(own).chain(below).collect())
}

/// A statement to choose from, and its source.
struct Candidate {
    /// 0 for the folder's own overview, else the item's number plus 1.
    group: usize,
    role: Role,
    text: String,
    title: String,
    /// How much of the title is shown with it.
    style: Style,
    /// The path of its entry, relative to the folder.
    path: String,
    worth: f32,
    /// Its worth on its own, in thousandths, for the folders above.
    gem_worth: u32,
    /// Whether it is the gist of one of the folder's own entries, which is already shown next to its title.
    own_gist: bool,
}

impl Candidate {
    fn said(&self) -> PageStatement<'_> {
        PageStatement {
            group: self.group,
            text: &self.text,
            title: &self.title,
            style: self.style,
            path: &self.path,
        }
    }
}

fn body(folder: &Folder<'_>, room: usize) -> (String, Vec<Gem>) {
    let items = layout::items(entries(folder), &folder.folders);
    let least = layout::least(folder.path, overview(folder), &items);
    let room = room.max(least.min(LITTLE as usize * CHARS_PER_TOKEN));
    let candidates = candidates(folder, items.len());
    let texts: Vec<Vec<Term>> = candidates.iter().map(|candidate| terms_of(&candidate.text)).collect();
    let weights = weights(&items, &candidates, &texts);
    let mut page = IndexPage::new(folder.path, overview(folder), &items, room);
    let mut units: Vec<Unit> = Vec::with_capacity(candidates.len());
    for (candidate, terms) in candidates.iter().zip(&texts) {
        units.push(Unit {
            vector: weights.vector(terms),
            cost: page.cost(&candidate.said()),
            reward: candidate.worth * (0.5 + 0.5 * particularity(terms, &weights, items.len())),
            // gists and statements of an item are two groups, so that both get a share
            group: candidate.group * 2 + usize::from(candidate.style == Style::Whole),
        });
    }
    let known: Vec<TermVector> = page.known().map(|text| weights.vector(&terms_of(text))).collect();
    let here = page.left() as u32;
    let field = UnitSimilarities::of(&units);
    let costs = units.iter().zip(&candidates);
    let costs = costs.map(|(unit, one)| if one.own_gist { NEVER } else { unit.cost }).collect::<Vec<_>>();
    for at in field.select(&costs, &known, Room { cost: here, count: 60 }) {
        page.say(&candidates[at].said());
    }
    // for the folders above, the final line and its surroundings are not known yet
    let cost = |one: &Candidate| match one.style {
        Style::Alone | Style::Titled if !stands_alone(one.role, &one.text) => NEVER,
        _ => GEM_COST + one.text.chars().count() as u32,
    };
    let costs: Vec<u32> = candidates.iter().map(cost).collect();
    let best = field.select(&costs, &[], Room { cost: NEVER - 1, count: GEMS });
    let gem = |at: usize| Gem {
        role: candidates[at].role,
        text: candidates[at].text.clone(),
        title: candidates[at].title.clone(),
        whole: candidates[at].style == Style::Whole,
        path: candidates[at].path.clone(),
        worth: candidates[at].gem_worth,
    };
    (page.finish(), best.into_iter().map(gem).collect())
}

fn candidates(folder: &Folder<'_>, items: usize) -> Vec<Candidate> {
    let most = (CANDIDATES / items.max(1)).max(1);
    let mut found = Vec::new();
    if let Some(overview) = overview(folder) {
        let title = overview
            .title
            .clone()
            .unwrap_or_else(|| layout::words(folder.path.rsplit('/').next().unwrap_or_default()));
        found.extend(points(0, "context.md", &title, overview).take(most));
    }
    for (at, (name, digest)) in entries(folder).enumerate() {
        if !digest.is_retired() {
            let title = layout::title_of(name, digest);
            let points = points(at + 1, name, &title, digest);
            found.extend(gist(at + 1, name, &title, digest).into_iter().chain(points).take(most));
        }
    }
    let before = entries(folder).count();
    for (at, (name, child)) in folder.folders.iter().enumerate() {
        found.extend(child.gems.iter().enumerate().take(most).map(|(rank, gem)| Candidate {
            group: before + at + 1,
            role: gem.role,
            text: gem.text.clone(),
            title: gem.title.clone(),
            style: match gem.whole {
                true => Style::Whole,
                // the heading already gives the title for statements from the folder's own overview
                false if gem.path == "context.md" || names_subject(&gem.text, &gem.title) => Style::Alone,
                false => Style::Titled,
            },
            path: format!("{name}/{}", gem.path),
            // folders with more content may have more statements
            gem_worth: gem.worth,
            worth: gem.worth as f32 / 1000.0 * fading(rank) * (child.entries.max(1) as f32).sqrt().sqrt(),
            own_gist: false,
        }));
    }
    if found.len() > CANDIDATES {
        // still too many: take those of the greatest worth, in the order of their items
        let mut worth: Vec<(u32, usize)> =
            found.iter().enumerate().map(|(at, candidate)| ((candidate.worth * 1000.0) as u32, at)).collect();
        worth.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut kept: Vec<usize> = worth.into_iter().take(CANDIDATES).map(|(_, at)| at).collect();
        kept.sort_unstable();
        let mut all: Vec<Option<Candidate>> = found.into_iter().map(Some).collect();
        found = kept.into_iter().filter_map(|at| all[at].take()).collect();
    }
    found
}

fn points<'a>(
    group: usize,
    name: &'a str,
    title: &'a str,
    digest: &'a Digest,
) -> impl Iterator<Item = Candidate> + 'a {
    let pinned = if digest.pinned { 1.5 } else { 1.0 };
    digest.points.iter().enumerate().map(move |(rank, point)| Candidate {
        group,
        role: point.role,
        text: point.text.clone(),
        title: title.to_owned(),
        style: Style::Alone,
        path: name.to_owned(),
        worth: point.worth as f32 / 1000.0 * pinned * fading(rank),
        gem_worth: (point.worth as f32 * pinned * fading(rank)) as u32,
        own_gist: false,
    })
}

/// The gist of an entry, for the folders above: next to its own title it would be repeated.
fn gist(group: usize, name: &str, title: &str, digest: &Digest) -> Option<Candidate> {
    let pinned = if digest.pinned { 1.5 } else { 1.0 };
    (digest.gist != title && !digest.gist.is_empty()).then(|| Candidate {
        group,
        role: Role::Highlight,
        text: cut(&digest.gist, GEM_CHARS),
        title: title.to_owned(),
        style: Style::Whole,
        path: name.to_owned(),
        worth: Role::Highlight.worth() * pinned,
        gem_worth: (Role::Highlight.worth() * pinned * 1000.0) as u32,
        own_gist: true,
    })
}

/// A statement chosen later below is worth a little less above.
fn fading(rank: usize) -> f32 {
    1.0 - 0.05 * rank.min(10) as f32
}

/// Weigh terms by how many items have them: a term that all siblings have does not distinguish any of them.
fn weights(items: &[Item], candidates: &[Candidate], texts: &[Vec<Term>]) -> TermWeights {
    let mut by_item: Vec<Vec<Term>> = vec![Vec::new()];
    by_item.extend(items.iter().map(|item| {
        let names = item.parts.iter().map(|part| part.name.as_str());
        let titles = item.parts.iter().flat_map(|part| part.titles.iter().map(String::as_str));
        let all: Vec<&str> =
            [item.title.as_str(), &item.gist].into_iter().chain(names).chain(titles).collect();
        terms_of(&all.join(" "))
    }));
    for (candidate, terms) in candidates.iter().zip(texts) {
        by_item[candidate.group].extend_from_slice(terms);
    }
    TermWeights::of(by_item.iter().map(Vec::as_slice))
}

/// The mean weight of the terms as a share of the maximum weight, 0 to 1.
fn particularity(terms: &[Term], weights: &TermWeights, items: usize) -> f32 {
    let most = weights.unseen.max(f32::MIN_POSITIVE);
    let sum: f32 = terms.iter().map(|term| weights.of_term(*term)).sum();
    if terms.is_empty() || items < 2 { 1.0 } else { (sum / terms.len() as f32 / most).min(1.0) }
}
