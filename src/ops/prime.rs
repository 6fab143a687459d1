//! `brv prime`: what an agent must know to use this tree well.
//!
//! Domains are counted by paths alone. How entries are written is seen in some of them, evenly spread, so that a large tree
//! costs no more than a small one. All are read for what is disputed, and only those parsed that say so.

use super::Stop;
use super::context::{Context, Opened};
use super::steps::{refresh, reviewing};
use crate::brief::prime::{self, Domain, Example, Habits, Tree};
use crate::derive::{self, Input};
use crate::doc::{self, Document};
use crate::path::{Kind, TreePath};
use crate::{content::ContentId, fs, git, parallel};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// How many entries are looked at for the habits of writing.
const LOOKED_AT: usize = 400;

/// `brv.prime/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Prime")]
pub struct Outcome {
    /// Markdown of at most 1,500 tokens.
    pub document: String,
    /// Its length: a token is four characters.
    pub token_estimate: u64,
}

/// Look at the tree. Writes nothing of the tree.
pub fn run(cx: &Context<'_>) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let survey = refresh::quick_survey(&opened, git::index::read(&opened.scope)?)?;
    let curated = refresh::curated_paths(&opened.scope, &survey)?;
    let document = prime::document(&tree(&opened, &curated));
    Ok(Outcome { token_estimate: prime::tokens(&document), document })
}

fn tree(opened: &Opened, curated: &[TreePath]) -> Tree {
    let entries: Vec<&TreePath> = curated.iter().filter(|path| path.kind() == Kind::Entry).collect();
    let root = &opened.scope.root();
    let place = root.strip_prefix(&opened.places.project).unwrap_or(root);
    let domains = domains(root, &entries);
    let mut seen: Vec<(&TreePath, Document)> = Vec::new();
    for at in 0..entries.len().min(LOOKED_AT) {
        let path = entries[at * entries.len() / entries.len().min(LOOKED_AT)];
        seen.extend(read(root, path).map(|bytes| (path, Document::parse(bytes))));
    }
    let mut habits = Habits::default();
    seen.iter().for_each(|(_, document)| habits.add(document));
    let largest = domains.iter().rev().max_by_key(|domain| domain.entries).map_or("", |domain| &domain.name);
    let pending = reviewing::marks(opened).into_iter().map(|(path, why)| (path, why.join(", ")));
    Tree {
        place: place.display().to_string().replace('\\', "/"),
        entries: entries.len(),
        habits,
        pending: pending.collect(),
        disputed: disputed(root, &entries),
        example: example(&seen, largest),
        domains,
    }
}

fn read(root: &Path, path: &TreePath) -> Option<Vec<u8>> {
    fs::read_below(root, &path.on_disk(root)).ok().flatten()
}

/// The folders at the top with entries in them; entries outside of folders have no domain.
fn domains(root: &Path, entries: &[&TreePath]) -> Vec<Domain> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in entries.iter().filter_map(|path| path.as_str().split_once('/')) {
        *counts.entry(name).or_default() += 1;
    }
    let about = |name: &str| {
        let path = TreePath::parse(format!("{name}/context.md").as_bytes()).ok()?;
        let bytes = read(root, &path)?;
        let input = Input { path: &path, id: ContentId::of(&bytes), bytes: &bytes };
        Some(derive::digest_of(&input).gist)
    };
    let domain = |(name, entries): (&str, usize)| Domain {
        name: name.to_owned(),
        entries,
        about: about(name).unwrap_or_default(),
    };
    counts.into_iter().map(domain).collect()
}

/// The subjects in dispute, by entry.
fn disputed(root: &Path, entries: &[&TreePath]) -> Vec<(String, Vec<String>)> {
    let subjects = |path: &TreePath| -> Option<Vec<String>> {
        let bytes = read(root, path).filter(|bytes| doc::may_dispute(bytes))?;
        let found = doc::disputes(&Document::parse(bytes));
        Some(found.into_iter().map(|dispute| dispute.subject).collect())
    };
    let all = parallel::map(entries, || (), |(), path| subjects(path).unwrap_or_default());
    let named = entries.iter().map(|path| path.to_string()).zip(all);
    named.filter(|(_, subjects)| !subjects.is_empty()).collect()
}

/// The first entry of the largest domain that has a title and is read as a whole in a moment.
fn example(seen: &[(&TreePath, Document)], domain: &str) -> Option<Example> {
    let titled = |(path, document): &(&TreePath, Document)| {
        Some(Example { path: path.to_string(), title: document.title()? })
    };
    let is_of_domain = |(path, _): &&(&TreePath, Document)| path.as_str().split('/').next() == Some(domain);
    let mut of_domain = seen.iter().filter(is_of_domain).filter_map(titled);
    of_domain.next().or_else(|| seen.iter().find_map(titled))
}
