//! What the last commits say of a project: its habits in subjects, and which parts of its paths tell topics apart.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::area;
use super::file::TopicFile;
use super::parts::{domain_stem, folder_part, parts, stem, without_tests};
use super::role::Role;
use super::scope::{Start, read};
use crate::curate::slug;
use serde::{Deserialize, Serialize};

/// How many heads share a prefix that says nothing.
const SHARED: usize = 5;

/// A commit of the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    pub subject: String,
    /// The files that the commit changed, by their paths then.
    pub files: Vec<String>,
    /// Whether something of it was filed.
    pub is_taken: bool,
}

/// The statistics of a window of commits.
#[derive(Debug, Clone, Default)]
pub struct Project {
    /// Whether its subjects begin with a scope more often than with a type.
    pub(super) is_scoped: bool,
    /// How often each stem is used as a scope.
    scopes: HashMap<String, usize>,
    /// First parts of paths that more than half of the commits touch.
    dropped: BTreeSet<String>,
    /// What at least [`SHARED`] first parts begin with: `gix_`.
    prefixes: BTreeSet<String>,
    /// The commonest spelling of each stem.
    spellings: HashMap<String, String>,
    /// The files of the window.
    files: HashMap<String, TopicFile>,
}

impl Project {
    pub fn of(past: &[Past]) -> Self {
        let mut project = Self::default();
        let mut spelled = Spelled::default();
        let starts: Vec<Start<'_>> = past.iter().map(|one| read(&one.subject)).collect();
        let plain = starts.iter().filter(|start| start.kind.is_none() && start.scope.is_some()).count();
        project.is_scoped = plain > starts.iter().filter(|start| start.kind.is_some()).count();
        project.learn_paths(past, &mut spelled);
        for start in &starts {
            if let Some(first) = project.scope_names(start).first() {
                spelled.count(first, 1);
                *project.scopes.entry(domain_stem(first).into_owned()).or_default() += 1;
            }
        }
        project.spellings = spelled.commonest();
        project
    }

    fn learn_paths(&mut self, past: &[Past], spelled: &mut Spelled) {
        let seen = WindowFiles::of(past);
        self.dropped = seen.heads_of_most();
        self.prefixes =
            shared_prefixes(seen.paths.iter().filter_map(|path| self.head_folder(path)).collect());
        for ((path, mut parts), count) in seen.paths.iter().zip(seen.parts).zip(seen.counts) {
            self.refine(&mut parts);
            let file = TopicFile::of(path, &parts, self.area_of_path(path));
            if file.role != Role::Side {
                parts.iter().for_each(|part| spelled.count(part, count));
            }
            self.files.insert((*path).to_owned(), file);
        }
    }

    /// What is known of these files.
    pub(super) fn files<'a>(&'a self, paths: &[&str]) -> Vec<Cow<'a, TopicFile>> {
        let new = |path: &str| TopicFile::of(path, &self.parts(path), self.area_of_path(path));
        let file = |path: &&str| self.files.get(*path).map_or_else(|| Cow::Owned(new(path)), Cow::Borrowed);
        paths.iter().map(file).collect()
    }

    fn area_of_path(&self, path: &str) -> String {
        area::of_path(path, |name| self.without_prefix(name).to_owned())
    }

    /// The area of a commit, as a stem: that of most of the weight; of equals the first by name.
    pub(super) fn area(&self, paths: &[&str]) -> String {
        let files = self.files(paths);
        let has_code = files.iter().any(|file| file.role == Role::Code);
        let mut weights: BTreeMap<&str, u64> = BTreeMap::new();
        for file in &files {
            *weights.entry(&file.area).or_default() += file.role.weight(has_code);
        }
        let best = weights.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map_or(area::CODE, |(area, _)| area).to_owned()
    }

    /// The folder that is the head of a path.
    fn head_folder(&self, path: &str) -> Option<String> {
        let (folders, _) = path.rsplit_once('/')?;
        let mut names = folders.split('/').filter_map(folder_part);
        let first = names.next()?;
        if self.dropped.contains(&first) { names.next() } else { Some(first) }
    }

    /// The parts of a path as they count in this project.
    fn parts(&self, path: &str) -> Vec<String> {
        let mut parts = parts(path);
        self.refine(&mut parts);
        parts
    }

    fn refine(&self, parts: &mut Vec<String>) {
        while parts.len() > 1 && self.dropped.contains(&parts[0]) {
            parts.remove(0);
        }
        if let Some(first) = parts.first_mut() {
            *first = self.without_prefix(first).to_owned();
        }
        without_tests(parts);
    }

    pub(super) fn without_prefix<'a>(&self, name: &'a str) -> &'a str {
        let is_shared = |(start, rest): &(&str, &str)| self.prefixes.contains(*start) && is_name(rest);
        let rest = name.split_once('_').filter(is_shared);
        rest.map_or(name, |(_, rest)| rest)
    }

    /// The names of a scope, outer first: `ignore`, `walk` of `ignore/walk:`; of `a, b:` the first.
    pub(super) fn scope_names(&self, start: &Start<'_>) -> Vec<String> {
        let Some((name, inner)) = start.scope else { return Vec::new() };
        let first =
            |text: &str| text.split(',').next().and_then(|text| text.split(" & ").next()).map(str::to_owned);
        let texts: Vec<String> = [Some(name), inner].into_iter().flatten().filter_map(first).collect();
        let pieces = texts.iter().flat_map(|text| text.split(['/', ':']));
        let named = |piece: &str| {
            let bare = piece.trim_start_matches('.');
            slug(bare.split('.').next().unwrap_or(bare))
        };
        let mut names: Vec<String> = pieces.filter_map(named).collect();
        // `crates/ignore:`
        if names.len() > 1 && area::is_plain(&names[0]) {
            names.remove(0);
        }
        names.iter().map(|name| self.without_prefix(name).to_owned()).collect()
    }

    /// How many subjects of the window have this stem as their scope.
    pub(super) fn scoped(&self, stem: &str) -> usize {
        self.scopes.get(stem).copied().unwrap_or_default()
    }

    /// The commonest spelling of a stem.
    pub(super) fn spelled<'a>(&'a self, stem: &'a str) -> &'a str {
        self.spellings.get(stem).map_or(stem, String::as_str)
    }

    /// Whether a part is the head of so many paths that it tells nothing apart.
    pub(super) fn is_dropped(&self, part: &str) -> bool {
        self.dropped.contains(part)
    }
}

/// The files of a window, each once.
#[derive(Default)]
struct WindowFiles<'a> {
    paths: Vec<&'a str>,
    parts: Vec<Vec<String>>,
    /// How many commits change each file.
    counts: Vec<usize>,
    /// The files of each commit, as places in the lists above.
    commits: Vec<Vec<usize>>,
}

impl<'a> WindowFiles<'a> {
    fn of(past: &'a [Past]) -> Self {
        let mut seen = Self::default();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for one in past {
            let place = |path: &'a String| {
                let at = *places.entry(path).or_insert(seen.paths.len());
                if at == seen.paths.len() {
                    seen.paths.push(path);
                    seen.parts.push(parts(path));
                    seen.counts.push(0);
                }
                seen.counts[at] += 1;
                at
            };
            let own = one.files.iter().map(place).collect();
            seen.commits.push(own);
        }
        seen
    }

    /// The first parts of paths that more than half of the commits touch, side files apart.
    fn heads_of_most(&self) -> BTreeSet<String> {
        let is_side: Vec<bool> = self.paths.iter().map(|path| Role::of(path) == Role::Side).collect();
        let head = |at: &usize| self.parts[*at].first().filter(|_| !is_side[*at]).map(String::as_str);
        let (mut heads, mut count) = (HashMap::<&str, usize>::new(), 0);
        for commit in &self.commits {
            let own: HashSet<&str> = commit.iter().filter_map(head).collect();
            count += usize::from(!own.is_empty());
            own.into_iter().for_each(|head| *heads.entry(head).or_default() += 1);
        }
        heads.into_iter().filter(|(_, of)| of * 2 > count).map(|(head, _)| head.to_owned()).collect()
    }
}

/// What at least [`SHARED`] folders begin with.
fn shared_prefixes(heads: BTreeSet<String>) -> BTreeSet<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (start, _) in heads.iter().filter_map(|head| head.split_once('_')).filter(|(_, rest)| is_name(rest)) {
        *counts.entry(start).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| *count >= SHARED).map(|(start, _)| start.to_owned()).collect()
}

/// What is left of a name without its prefix names something: not the `2` of `part_2`.
fn is_name(rest: &str) -> bool {
    rest.starts_with(char::is_alphabetic)
}

/// How often each spelling of a stem was seen.
#[derive(Default)]
struct Spelled(HashMap<String, BTreeMap<String, usize>>);

impl Spelled {
    fn count(&mut self, name: &str, times: usize) {
        let of_stem = self.0.entry(stem(name).into_owned()).or_default();
        match of_stem.get_mut(name) {
            Some(count) => *count += times,
            None => drop(of_stem.insert(name.to_owned(), times)),
        }
    }

    /// The commonest spelling of each stem; of equals the first by name.
    fn commonest(self) -> HashMap<String, String> {
        let best = |spellings: BTreeMap<String, usize>| {
            spellings.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best })
        };
        self.0.into_iter().filter_map(|(stem, all)| Some((stem, best(all)?.0))).collect()
    }
}
