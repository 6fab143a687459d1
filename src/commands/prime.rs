//! `brv prime`: what an agent must know to use this tree well.
//!
//! The digests of entries tell how many there are and which are disputed. How entries are written is seen in some of them,
//! evenly spread, so that a large tree costs no more than a small one. The last document is kept beside those of the brain.

use crate::brain::digests::{self, CurrentDigests, Version};
use crate::brain::kept;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::signals::{self, GivenEntry, ServedAnswer};
use brv_engine::review::trust::Trust;
use brv_engine::review::{self, Marks};
use brv_text::brain::prime::{self, Domain, Example, Habits, PrimeTree};
use brv_text::brain::{Digest, tokens};
use brv_text::derive::{self, Input};
use brv_text::doc::{self, Document};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::BTreeMap;

/// How many entries are looked at for the habits of writing.
const LOOKED_AT: usize = 400;

/// `brv.prime/1`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Prime")]
pub struct Outcome {
    /// Markdown of at most 1,500 tokens; with comments that wait for an answer, of 600 more.
    pub document: String,
    /// Its length: a token is four characters.
    pub token_estimate: u64,
    /// The entries and overviews that it has words of, such as a title.
    pub entries: Vec<String>,
}

/// The name under which the document is kept, beside those of the brain.
const PAGE: &str = "prime";

/// The number of the document's form: a kept document with another number is made again.
const FORM: u32 = 2;

/// Look at the tree, without what is withheld from agents. Writes nothing of the tree.
pub fn run(cx: &Context<'_>) -> Result<Outcome, Stop> {
    let opened = cx.keep_open()?;
    let outcome = of_tree(opened)?;
    // what stays the same comes first
    let Some(comments) = review::unanswered(opened) else { return Ok(outcome) };
    let document = format!("{}\n{comments}", outcome.document);
    Ok(Outcome { token_estimate: tokens(&document), document, ..outcome })
}

fn of_tree(opened: &Opened) -> Result<Outcome, Stop> {
    let (trust, marks) = (Trust::of(opened), review::marks(opened));
    let maker = env!("CARGO_PKG_VERSION");
    let key = |version: Version| format!("{maker} {FORM} {version:?} {marks:?} {}", place(opened));
    let repeated = |version: Version| {
        let (outcome, suspects) = kept::made::<Outcome>(opened, PAGE, &key(version))?;
        trust.is_as_it_was(&suspects).then_some(outcome)
    };
    if let Some(outcome) = digests::version(opened).and_then(repeated) {
        return Ok(outcome);
    }
    let CurrentDigests { mut digests, version } = digests::current(opened)?;
    if let Some(outcome) = version.and_then(repeated) {
        return Ok(outcome);
    }
    let suspects = trust.withhold(&mut digests);
    let files = PrimeFiles { opened, has_changed: Cell::new(false) };
    let tree = tree(&files, &digests, &marks);
    let document = prime::document(&tree);
    let entries = entries(&tree, &document);
    let outcome = Outcome { token_estimate: tokens(&document), document, entries };
    if let Some(version) = version.filter(|_| !files.has_changed.get()) {
        kept::keep(opened, PAGE, (key(version), &suspects), &outcome);
    }
    Ok(outcome)
}

/// Note what was given, after it was shown. What goes wrong is worth no message.
pub fn note_served(cx: &Context<'_>, outcome: &Outcome) {
    let given = |path: &String| GivenEntry { path: path.clone(), blob: None, why: "prime".to_owned() };
    let given = outcome.entries.iter().map(given).collect();
    let answer = ServedAnswer { command: "prime", given, ..ServedAnswer::default() };
    if let Ok(opened) = cx.keep_open() {
        let _ = signals::note_served(opened, &cx.actor, &answer, cx.clock.seconds());
    }
}

/// What the document has words of: where there is no room, it names fewer.
fn entries(tree: &PrimeTree, document: &str) -> Vec<String> {
    let described = tree.domains.iter().filter(|domain| !domain.about.is_empty());
    let overviews = described.filter(|domain| document.contains(&domain.name));
    let disputed = tree.disputed.iter().map(|(path, _)| path);
    let example = tree.example.iter().map(|example| &example.path);
    let named = disputed.chain(example).filter(|path| document.contains(*path));
    overviews.map(|domain| format!("{}/context.md", domain.name)).chain(named.cloned()).collect()
}

/// The files that the document is made from.
struct PrimeFiles<'a> {
    opened: &'a Opened,
    /// Whether one of them was saved since its digest was made: then the document is not kept.
    has_changed: Cell<bool>,
}

impl PrimeFiles<'_> {
    fn read(&self, digest: &Digest) -> Option<(TreePath, Vec<u8>)> {
        let found = digests::read(self.opened, digest);
        let is_same = found.as_ref().is_some_and(|(_, bytes)| ContentId::of(bytes) == digest.blob);
        self.has_changed.set(self.has_changed.get() || !is_same);
        found
    }
}

/// The folder of the tree as one types it in the project.
fn place(opened: &Opened) -> String {
    let root = opened.scope.root();
    let place = root.strip_prefix(&opened.places.project).unwrap_or(&root);
    place.display().to_string().replace('\\', "/")
}

fn tree(files: &PrimeFiles<'_>, digests: &[Digest], marks: &Marks) -> PrimeTree {
    let entries: Vec<&Digest> = digests.iter().filter(|digest| digest.entry().is_some()).collect();
    let domains = domains(files, digests);
    let mut seen: Vec<(&Digest, Document)> = Vec::new();
    let number = entries.len().min(LOOKED_AT);
    for entry in (0..number).map(|at| entries[at * entries.len() / number]) {
        seen.extend(files.read(entry).map(|(_, bytes)| (entry, Document::parse(bytes))));
    }
    let mut habits = Habits::default();
    seen.iter().for_each(|(_, document)| habits.add(document));
    let largest = domains.iter().rev().max_by_key(|domain| domain.entries).map_or("", |domain| &domain.name);
    let pending = marks.iter().map(|(path, why)| (path.clone(), why.join(", ")));
    PrimeTree {
        place: place(files.opened),
        entries: entries.len(),
        habits,
        pending: pending.collect(),
        disputed: disputed(files, &entries),
        example: example(&seen, largest),
        domains,
    }
}

/// The folders at the top with entries in them; entries outside of folders have no domain.
fn domains(files: &PrimeFiles<'_>, digests: &[Digest]) -> Vec<Domain> {
    let mut domains: BTreeMap<&str, Domain> = BTreeMap::new();
    for digest in digests {
        let Some((name, rest)) = digest.path.split_once('/') else { continue };
        let domain =
            domains.entry(name).or_insert_with(|| Domain { name: name.to_owned(), ..Domain::default() });
        if digest.entry().is_some() {
            domain.entries += 1;
        } else if rest == "context.md" {
            domain.about = about(files, digest).unwrap_or_default();
        }
    }
    domains.into_values().filter(|domain| domain.entries > 0).collect()
}

/// What an overview says about its folder.
fn about(files: &PrimeFiles<'_>, digest: &Digest) -> Option<String> {
    let (path, bytes) = files.read(digest)?;
    Some(derive::digest_of(&Input { path: &path, id: digest.blob, bytes: &bytes }).gist)
}

/// The subjects in dispute, by entry.
fn disputed(files: &PrimeFiles<'_>, entries: &[&Digest]) -> Vec<(String, Vec<String>)> {
    let is_disputed = |digest: &&&Digest| digest.entry().is_some_and(|entry| entry.is_disputed);
    let subjects = |digest: &&Digest| {
        let (path, bytes) = files.read(digest)?;
        let found = doc::disputes(&Document::parse(bytes)).into_iter().map(|dispute| dispute.subject);
        Some((path.to_string(), found.collect::<Vec<String>>()))
    };
    let found = entries.iter().filter(is_disputed).filter_map(subjects);
    // a file may have been edited since its digest was made
    found.filter(|(_, subjects)| !subjects.is_empty()).collect()
}

/// The first entry of the largest domain that has a title; of any domain if it has none.
fn example(seen: &[(&Digest, Document)], domain: &str) -> Option<Example> {
    let titled = |(digest, document): &(&Digest, Document)| {
        Some(Example { path: digest.path.clone(), title: document.title()? })
    };
    let is_of_domain = |(digest, _): &&(&Digest, Document)| digest.path.split('/').next() == Some(domain);
    let mut of_domain = seen.iter().filter(is_of_domain).filter_map(titled);
    of_domain.next().or_else(|| seen.iter().find_map(titled))
}
