//! What an engine finds is ranked as one local index of all trees ranks it, each tree being a folder.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::super::item::Searched;
use super::super::laws::build;
use super::*;
use crate::figures::Collection;
use crate::index::{Changes, Index, Pending};
use crate::rank::order::Each;
use crate::request::{EntryStanding, Hit, SearchQuery, SearchResults};
use brv_base::path::TreePath;
use brv_text::words::stems::Stems;

/// The example trees, and the names under which an organisation has them. In the order of paths, all of `acme/brv-old` is
/// before what is in `acme/brv`.
const TREES: [(&str, &str); 4] = [
    ("brv", "acme/brv"),
    ("older", "acme/brv-old"),
    ("dream", "dream"),
    ("observatory", "sky.example/Observatory_One"),
];

/// Entries of more trees: titles alike, highlights, tags, months, names in `camelCase`, a word in many files.
const MORE: [(&str, &str, &str); 14] = [
    // alike in all but their places
    ("acme/brv-twin", "alike.md", "Twins are alike.\n"),
    ("acme/brv", "twin/alike.md", "Twins are alike.\n"),
    ("team_a", "auth.md", "The gateway logs in by `refreshToken` and sessionKeeper.\n"),
    (
        "team_a",
        "auth/tokens.md",
        "---\ntitle: Access tokens\ntags: [jwt, \"two words\"]\ncreatedAt: 2024-05-03\n---\n## Facts\n- **Lifetime**: an access token lives 15 minutes\n- **Anna Kowalski**: likes tokens, see [how](../net/retry.md)\n",
    ),
    ("team_a", "auth/tokens/rotation.md", "---\ntitle: Rotation\ntags: [jwt]\n---\nRefresh tokens rotate.\n"),
    ("team_a", "auth/zero.md", "Zero trust of the gateway.\n"),
    ("team_a", "context.md", "# Team\n\nThe gateway and its access tokens.\n"),
    (
        "team_a",
        "net/retry.md",
        "---\ntitle: Retry\nsummary: Retry twice\nkeywords: [retry]\ncreatedAt: 2023-12-20\n---\n## Raw Concept\n**Task:** retries\n\n## Narrative\nOf the gateway.\n\n### Highlights\n- **Retry twice**: once fails at the gateway (2026-01)\n- **Old**: reverted 2026-02-04: retry for ever\n",
    ),
    (
        "team_b",
        "auth/tokens.md",
        "---\ntitle: Access tokens\ntags: [jwt]\ncreatedAt: 2024-06-01\n---\n## Facts\n- **Lifetime**: an access token lives a day\n",
    ),
    ("team_b", "auth/zero.md", "Zero trust of the gateway.\n"),
    (
        "team_b",
        "notes/réunion.md",
        "Les jetons de la passerelle sont dans la configuration et ne changent pas.\n",
    ),
    ("team_b", "notes/reuniao.md", "A duração dos tokens é fixada na configuração e não muda com o tempo.\n"),
    (
        "team_b",
        "notes/vida.md",
        "La vida de los tokens se fija en la configuración y no cambia con el tiempo.\n",
    ),
    (
        "team_b",
        "notes/only.md",
        "## Narrative\n### Highlights\n- **Old**: reverted 2026-02-04: the gateway had max_age\n",
    ),
];

/// All files of all trees.
type TreeFiles = Vec<(String, TreePath, Vec<u8>)>;

fn path(text: &str) -> TreePath {
    TreePath::parse(text.as_bytes()).unwrap()
}

fn files() -> TreeFiles {
    let mut files: TreeFiles = MORE.map(|(tree, at, text)| (tree.to_owned(), path(at), text.into())).to_vec();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/trees");
    for (folder, tree) in TREES {
        collect(&root.join(folder), "", tree, &mut files);
    }
    files.retain(|(_, path, _)| matches!(Searched::of(path), Some(Searched::Entry | Searched::Overview)));
    files
}

fn collect(folder: &Path, below: &str, tree: &str, files: &mut TreeFiles) {
    for one in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = one.file_name().into_string().unwrap();
        let own = if below.is_empty() { name } else { format!("{below}/{name}") };
        if one.path().is_dir() {
            collect(&one.path(), &own, tree, files);
        } else if let Ok(path) = TreePath::parse(own.as_bytes()) {
            files.push((tree.to_owned(), path, std::fs::read(one.path()).unwrap()));
        }
    }
}

/// An engine with all files, which knows nothing but what it is sent.
struct Engine {
    documents: Vec<IndexedFile>,
    /// The documents with a term in any field, and those with it in the meta field.
    with: BTreeMap<String, [BTreeSet<usize>; 2]>,
    collection: Collection,
}

impl Engine {
    fn new(files: &TreeFiles) -> Self {
        let mut stems = Stems::default();
        let of = |(tree, path, bytes): &(String, TreePath, Vec<u8>)| {
            indexed(tree, path, bytes, &mut stems).unwrap()
        };
        let documents: Vec<IndexedFile> = files.iter().map(of).collect();
        let (mut collection, mut with) =
            (Collection::default(), BTreeMap::<String, [BTreeSet<usize>; 2]>::new());
        for (number, document) in documents.iter().enumerate() {
            collection.add(&document.figures, document.languages);
            for (text, is_meta) in [(&document.title, false), (&document.meta, true), (&document.body, false)]
            {
                for term in text.split_ascii_whitespace() {
                    let [any, meta] = with.entry(term.to_owned()).or_default();
                    any.insert(number);
                    meta.extend(is_meta.then_some(number));
                }
            }
        }
        let folders = files.iter().map(|(tree, path, _)| (tree, path.folder()));
        collection.folders = folders.collect::<HashSet<_>>().len() as u64;
        Self { documents, with, collection }
    }

    fn frequencies(&self, terms: &[&str]) -> HashMap<String, u64> {
        let count = |term: &str| self.with.get(term).map_or(0, |[any, _]| any.len() as u64);
        terms.iter().map(|term| ((*term).to_owned(), count(term))).collect()
    }

    fn matches(&self, sought: &SoughtTerms) -> BTreeSet<usize> {
        let tagged = |tag: &String| self.with.get(tag).map(|[_, meta]| meta.clone()).unwrap_or_default();
        if sought.is_tags_only {
            let all = sought.tags.iter().map(tagged);
            return all.reduce(|one, other| &one & &other).unwrap_or_default();
        }
        let mut found: BTreeSet<usize> = sought.title.iter().flat_map(tagged).collect();
        for word in &sought.words {
            for (term, _) in &word.terms {
                found.extend(self.with.get(term).iter().flat_map(|[any, _]| any));
            }
            if let Some((start, _)) = &word.begins {
                let begun = self.with.range(start.clone()..).take_while(|(term, _)| term.starts_with(start));
                found.extend(begun.flat_map(|(_, [any, _])| any));
            }
        }
        let is_like = |day: &i32| sought.days.iter().any(|(first, last)| (first..=last).contains(&day));
        let dated = (0..self.documents.len()).filter(|one| self.documents[*one].days.iter().any(is_like));
        found.extend(dated);
        found
    }
}

/// Everything that both searches are asked in.
struct World {
    files: TreeFiles,
    engine: Engine,
    local: Index,
    /// The texts by the path in the local index, and which file it is.
    known: BTreeMap<TreePath, usize>,
    _folder: tempfile::TempDir,
}

fn standing(whole: &str) -> Option<EntryStanding> {
    let sum: usize = whole.bytes().map(usize::from).sum();
    Some(EntryStanding { importance: (sum % 100) as f64, recency: (sum % 7) as f64 / 7.0, boost: 1.0 })
}

impl World {
    fn new() -> Self {
        let files = files();
        let whole: Vec<TreePath> = files.iter().map(|(tree, at, _)| path(&format!("{tree}/{at}"))).collect();
        let tree = whole.iter().cloned().zip(files.iter().map(|(.., bytes)| bytes.clone())).collect();
        let folder = tempfile::tempdir().unwrap();
        let local = build(folder.path(), &tree);
        let known = whole.into_iter().zip(0..).collect();
        Self { engine: Engine::new(&files), files, local, known, _folder: folder }
    }

    fn locally(&self, text: &str, each: Each) -> SearchResults {
        let request = SearchQuery {
            text,
            limit: 50,
            scope: None,
            only: None,
            folders: false,
            each,
            standing: &|whole, _| standing(whole),
            read: &|path| self.known.get(path).map(|file| self.files[*file].2.clone()),
        };
        self.local.snapshot(&Pending::of(&Changes::default())).search(&request).unwrap()
    }

    /// The files that the engine finds, and those beside them.
    fn asked(&self, text: &str) -> (Vec<FoundFile<'_>>, Vec<FileBeside<'_>>, Collection) {
        let probe = Probe::of(text, self.engine.collection.languages);
        let frequency = self.engine.frequencies(&probe.terms());
        let found = self.engine.matches(&probe.sought(&frequency));
        let folder = |file: &usize| (&self.files[*file].0, self.files[*file].1.folder());
        let folders: HashSet<_> = found.iter().map(folder).collect();
        let beside = (0..self.files.len()).filter(|file| folders.contains(&folder(file)));
        let beside = beside.map(|file| {
            let (tree, path, _) = &self.files[file];
            FileBeside { tree, path, figures: self.engine.documents[file].figures, terms: [""; 3] }
        });
        // an engine has another order
        let found = found.into_iter().rev().map(|file| {
            let (tree, path, text) = &self.files[file];
            FoundFile { tree, path, text, rest: "" }
        });
        (found.collect(), beside.collect(), Collection { frequency, ..self.engine.collection.clone() })
    }

    fn by_engine(&self, text: &str, each: Each) -> SearchResults {
        let (found, beside, collection) = self.asked(text);
        let whole = |file: usize| format!("{}/{}", found[file].tree, found[file].path);
        let standing = |file: usize, _| standing(&whole(file));
        let query = CollectionQuery { text, limit: 50, each, standing: &standing };
        let CollectionResults { mut results, files, best } =
            CollectionSnapshot::new(&found, &beside, &collection).search(&query).unwrap();
        for (hit, file) in results.hits.iter_mut().zip(files) {
            assert_eq!(hit.path, *found[file].path);
            hit.path = path(&whole(file));
        }
        results.best = best.map(|file| path(&whole(file)));
        results
    }

    /// Ask both; returns the number of hits.
    fn compare(&self, text: &str, each: Each) -> usize {
        let (expected, found) = (self.locally(text, each), self.by_engine(text, each));
        assert_alike(&expected, &found, &format!("{text:?} {each:?}"));
        expected.hits.len()
    }
}

const EACH: [Each; 3] = [Each::Highlight, Each::File, Each::ForTask];

fn assert_alike(expected: &SearchResults, found: &SearchResults, text: &str) {
    let key = |hit: &Hit| {
        (
            hit.path.clone(),
            hit.passage,
            hit.words.clone(),
            hit.terms.clone(),
            hit.is_best,
            hit.is_first,
            hit.is_quoted,
        )
    };
    let keys = |results: &SearchResults| results.hits.iter().map(key).collect::<Vec<_>>();
    assert_eq!(keys(expected), keys(found), "{text}");
    let is_near = |one: f64, other: f64| (one - other).abs() < 1e-6;
    for (one, other) in expected.hits.iter().zip(&found.hits) {
        let near = is_near(one.relevance, other.relevance)
            && is_near(one.score, other.score)
            && is_near(one.ratio, other.ratio)
            && is_near(one.passage_share, other.passage_share)
            && is_near(one.passage_lead, other.passage_lead);
        assert!(near, "{text}: {one:?} {other:?}");
    }
    assert!(is_near(expected.relevance, found.relevance) && is_near(expected.gap, found.gap), "{text}");
    let rest = |one: &SearchResults| {
        let words = (one.unmatched.clone(), one.missing.clone(), one.anchors.clone());
        (
            one.total,
            one.best.clone(),
            words,
            one.without_phrases,
            one.is_covered(),
            one.is_direct(),
            one.is_tie(),
        )
    };
    assert_eq!(rest(expected), rest(found), "{text}");
}

#[test]
fn what_was_written_to_be_asked_is_ranked_alike() {
    let world = World::new();
    let mut none = Vec::new();
    for text in [
        "access tokens",
        "How long does an access token live?",
        "Access tokens lifetime of Anna Kowalski",
        "acces tokns",
        "rotatoin of the gatway",
        "gatew",
        "Gatew",
        "the",
        "what is it and how",
        "tag:jwt",
        "tag:jwt tag:\"two words\"",
        "tag:jwt rotation",
        "tag:jwt 🚀",
        "tag:planning",
        "tag:jwt 🐙 Q",
        "\"access token\" lifetime",
        "\"token access\"",
        "refreshToken",
        "RefreshTokens and sessionKeeper",
        "tokenLifetime of accessGatway",
        "max_age or --min-age",
        "in May 2024",
        "What happened in January?",
        "on 20 December 2023",
        "2026",
        "on 31 December",
        "1 January 2026",
        "retry twice",
        "retry for ever",
        "Retry",
        "zero trust",
        "twins alike",
        "configuração dos tokens",
        "configuracao",
        "la configuration des jetons",
        "la vida de los tokens",
        "観測",
        "観",
        "観測計画はどこですか",
        "校准帧",
        "наведение на резкость",
        "наведени",
        "Lichtverschmutzung am Standort",
        "lichtverschmuzung",
        "주기오차",
        "السلامة الشمسية",
        "acme observatory",
        "sky.example",
        "team",
        "what does the observatory do when it rains, in brv?",
        "fits headers",
        "gitoxide index lookups",
        "db or database",
        "nothing of that kdjfhgkjdfhg",
        "",
        "?!",
    ] {
        if EACH.map(|each| world.compare(text, each)).contains(&0) {
            none.push(text);
        }
    }
    assert_eq!(none, ["Gatew", "tag:jwt 🚀", "", "?!"]);
}

/// Numbers that seem to have no order, the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }
}

/// A question about a text: words of it, one with an error of typing, one that is only begun, a phrase, a tag, a date.
fn question(dice: &mut Dice, text: &str, kind: usize) -> String {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let long: Vec<&str> = words.iter().copied().filter(|word| word.chars().count() > 7).collect();
    let at = dice.roll(words.len());
    let some =
        |dice: &mut Dice, count: usize| (0..count).map(|_| *dice.pick(&words)).collect::<Vec<_>>().join(" ");
    let changed = |dice: &mut Dice| {
        let mut letters: Vec<char> = dice.pick(&long).chars().collect();
        let at = 1 + dice.roll(letters.len() - 1);
        letters[at] = *dice.pick(&['e', 'n', 'x', 't']);
        letters.into_iter().collect::<String>()
    };
    match kind {
        0 => some(dice, 1),
        1 => words[at..words.len().min(at + 4)].join(" "),
        2 => format!("How do {} and {}?", some(dice, 1), some(dice, 2)),
        3 if !long.is_empty() => format!("{} {}", changed(dice), some(dice, 1)),
        4 if !long.is_empty() => dice.pick(&long).chars().take(5).collect(),
        5 => format!("\"{}\"", words[at..words.len().min(at + 2)].join(" ")),
        6 => format!("tag:{} {}", some(dice, 1), some(dice, 1)),
        7 => format!(
            "{} in {}",
            some(dice, 1),
            dice.pick(&["March", "May 2024", "2025", "on 31 January 2026"])
        ),
        _ => some(dice, 6),
    }
}

#[test]
fn whatever_is_asked_about_the_texts_is_ranked_alike() {
    let world = World::new();
    let mut dice = Dice(51);
    let mut found = 0;
    for number in 0..135 {
        let (.., bytes) = dice.pick(&world.files);
        let text = question(&mut dice, &String::from_utf8_lossy(bytes), number % 9);
        found += usize::from(world.compare(&text, EACH[number / 9 % 3]) > 0);
    }
    assert!(found > 110, "{found}");
}

/// What is found in these files, of a collection in which terms are so frequent.
fn found_in(files: &[FoundFile<'_>], frequency: &[(&str, u64)], text: &str) -> CollectionResults {
    found_beside(files, &[], frequency, text)
}

/// The same with files beside them.
fn found_beside(
    files: &[FoundFile<'_>],
    beside: &[FileBeside<'_>],
    frequency: &[(&str, u64)],
    text: &str,
) -> CollectionResults {
    let frequency = frequency.iter().map(|(term, files)| ((*term).to_owned(), *files)).collect();
    let words = [3000, 60_000, 6000];
    let all = Collection { items: 1000, pieces: 4000, folders: 50, words, languages: 1, frequency };
    let query = CollectionQuery { text, limit: 9, each: Each::File, standing: &|_, _| None };
    CollectionSnapshot::new(files, beside, &all).search(&query).unwrap()
}

#[test]
fn what_a_file_beside_has_counts_for_its_neighbour_and_makes_it_no_hit() {
    let paths = ["a/one.md", "a/two.md", "b/three.md"].map(path);
    let texts = ["A gateway.\n", "The gateway has a pool, and the pool has a gateway.\n", "A gateway.\n"];
    let files: Vec<FoundFile<'_>> = paths
        .iter()
        .zip(texts)
        .map(|(path, text)| FoundFile { tree: "t", path, text: text.as_bytes(), rest: "" })
        .collect();
    let mut stems = Stems::default();
    let figures = indexed("t", &paths[1], files[1].text, &mut stems).unwrap().figures;
    let beside = |body| FileBeside { tree: "t", path: &paths[1], figures, terms: ["", "", body] };
    let ask = |files: &[FoundFile<'_>], beside: &[FileBeside<'_>]| {
        let found = found_beside(files, beside, &[("gateway", 90), ("pool", 9)], "gateway pool");
        let hits = found.results.hits.iter();
        hits.map(|hit| (hit.path.as_str().to_owned(), hit.ratio)).collect::<HashMap<_, _>>()
    };
    let others = [files[0], files[2]];
    let (all, without, with) =
        (ask(&files, &[]), ask(&others, &[beside("")]), ask(&others, &[beside("gateway pool ")]));
    assert_eq!((all.len(), without.len(), with.len()), (3, 2, 2), "{with:?}");
    let lead = |found: &HashMap<String, f64>| found["a/one.md"] / found["b/three.md"] - 1.0;
    assert!(lead(&without).abs() < 0.1 * lead(&all), "{without:?} {all:?}");
    assert!((lead(&with) - lead(&all)).abs() < 0.3 * lead(&all), "{with:?} {all:?}");
}

#[test]
fn what_no_found_file_has_is_missing_only_if_no_other_has_it() {
    let (at, text) = (path("a/retry.md"), "---\ntitle: Retry\n---\nThe gateway retries twice.\n");
    let files = [FoundFile { tree: "t", path: &at, text: text.as_bytes(), rest: "" }];
    let ask = |files_with: u64| {
        found_in(&files, &[("gateway", 1), ("kubernet", files_with)], "gateway of kubernetes").results
    };
    let (none, some, most) = (ask(0), ask(1), ask(900));
    assert_eq!(
        (none.missing, none.unmatched),
        (vec!["kubernetes".to_owned()], vec!["kubernetes".to_owned()])
    );
    // what is frequent says little
    assert!(some.missing.is_empty() && some.unmatched.is_empty() && most.missing.is_empty());
    let relevance = [none.relevance, some.relevance, most.relevance];
    assert!(relevance.is_sorted_by(|less, more| less + 0.05 < *more), "{relevance:?}");
}

#[test]
fn a_word_is_as_frequent_as_the_engine_says() {
    let (one, other) = (path("a/one.md"), path("a/other.md"));
    let texts = ["The gateway waits.\n", "A pool and a gateway.\n"];
    let files = [(&one, texts[0]), (&other, texts[1])];
    let files = files.map(|(path, text)| FoundFile { tree: "t", path, text: text.as_bytes(), rest: "" });
    let scores = |gateways: u64| {
        let found = found_in(&files, &[("gateway", gateways), ("pool", 1)], "gateway pool").results;
        found.hits.iter().map(|hit| hit.passage_share).collect::<Vec<_>>()
    };
    let (few, many) = (scores(2), scores(800));
    assert!(few[0] > 0.99 && many[0] > 0.99 && few[1] > 0.4 && many[1] < 0.1, "{few:?} {many:?}");
    // fewer than were found: the engine did not know the newest file yet
    assert_eq!(scores(1), few);
}

#[test]
fn a_long_rest_counts_as_the_passages_that_it_was() {
    let (at, short) = (path("a/long.md"), path("a/short.md"));
    let start = "---\ntitle: Long\n---\n## Start\nAbout nothing.\n\n";
    let filler: String =
        (0..600).map(|line| format!("Line {line} of the record names nobody here.\n\n")).collect();
    let whole = format!("{start}{filler}The octopus has eight arms.\n");
    let mut stems = Stems::default();
    let [all, cut] = [&whole, start].map(|text| indexed("t", &at, text.as_bytes(), &mut stems).unwrap());
    let rest = all.rest(&cut);
    let others = FoundFile { tree: "t", path: &short, text: b"Arms of an octagon.\n", rest: "" };
    let file = |text, rest| FoundFile { tree: "t", path: &at, text, rest };
    let found = |one| found_in(&[others, one], &[], "octopus arms").results.relevance;
    let (with, uncut) = (found(file(start.as_bytes(), &rest)), found(file(whole.as_bytes(), "")));
    assert!((with - uncut).abs() < 0.03, "{with} {uncut}");
}

#[test]
fn what_was_cut_off_is_found_and_not_shown() {
    let at = path("a/long.md");
    let start = "---\ntitle: Long\n---\n## Start\nAbout nothing.\n\n";
    let whole = format!("{start}## End\nThe octopus has a gateway, and every octopus has eight arms.\n");
    let mut stems = Stems::default();
    let [all, cut] = [&whole, start].map(|text| indexed("t", &at, text.as_bytes(), &mut stems).unwrap());
    let rest = all.rest(&cut);
    let short = path("a/short.md");
    let others = FoundFile { tree: "t", path: &short, text: b"A gateway.\n", rest: "" };
    let file = |text: &'static str, rest| FoundFile { tree: "t", path: &at, text: text.as_bytes(), rest };
    let with = found_in(&[others, file(start, &rest)], &[], "octopus arms");
    assert_eq!((with.files, with.best, with.results.hits.len()), (vec![1], Some(1), 1));
    let hit = &with.results.hits[0];
    assert_eq!(
        (hit.path.as_str(), &hit.words[..]),
        ("a/long.md", &["octopus", "arms"].map(str::to_owned)[..])
    );
    assert_eq!(hit.passage.map(|passage| passage.line), Some(4), "the first piece of the text that is there");
    let uncut = FoundFile { text: whole.as_bytes(), ..file(start, "") };
    let uncut = found_in(&[others, uncut], &[], "octopus arms").results;
    assert!((uncut.relevance - with.results.relevance).abs() < 0.02, "{uncut:?}");
    assert!(found_in(&[others, file(start, "")], &[], "octopus arms").results.hits.is_empty());
}

#[test]
fn two_files_may_have_one_path_below_the_names_of_their_trees() {
    let (long, short) = (path("b/same.md"), path("same.md"));
    let file = |tree, path, text: &'static str| FoundFile { tree, path, text: text.as_bytes(), rest: "" };
    let files = [
        file("a/b", &short, "A gateway.\n"),
        file("a", &long, "No gateway.\n"),
        file("a", &long, "Twice.\n"),
    ];
    let found = found_in(&files, &[], "gateway");
    let mut places = found.files.clone();
    places.sort_unstable();
    assert_eq!((places, found.results.total), (vec![0, 1], 2));
}
