//! Splitting an entry that has too many items: by what its files share, else by year.

use std::collections::{BTreeMap, BTreeSet};

use super::names;
use super::parts::stem;
use super::project::Project;
use super::role::Role;

/// An entry of more items is split by a part of the paths of its items.
pub const LARGE: usize = 24;

/// An entry of more items that no part splits is split by year.
pub const TOO_LARGE: usize = 40;

/// How many items share a part by which an entry is split.
const FEW: usize = 3;

/// An item of an entry.
#[derive(Debug, Clone, Copy)]
pub struct TopicItem<'a> {
    /// The paths that its commit changes.
    pub files: &'a [&'a str],
    /// The year of its commit.
    pub year: i32,
}

/// The path of the entry for each item after all entries of a plan are split, in the order of the items. The items are in
/// the order of time, oldest first.
pub fn split(project: &Project, items: &[(String, TopicItem<'_>)]) -> Vec<String> {
    let mut entries: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, (path, _)) in items.iter().enumerate() {
        entries.entry(path.clone()).or_default().push(at);
    }
    let mut splitting = Splitting { items, parts: vec![None; items.len()], done: BTreeMap::new(), project };
    let names: Vec<String> = entries.keys().cloned().collect();
    for path in names {
        if let Some(members) = entries.remove(&path) {
            let others: BTreeMap<&str, usize> =
                entries.iter().map(|(path, members)| (path.as_str(), members.len())).collect();
            splitting.one(path, members, &others);
        }
    }
    let mut paths = vec![String::new(); items.len()];
    for (path, members) in splitting.done {
        members.into_iter().for_each(|at| paths[at].clone_from(&path));
    }
    paths
}

struct Splitting<'a> {
    items: &'a [(String, TopicItem<'a>)],
    /// The stems of the parts of each item, found when they are needed.
    parts: Vec<Option<BTreeSet<String>>>,
    done: BTreeMap<String, Vec<usize>>,
    project: &'a Project,
}

impl Splitting<'_> {
    /// Split one entry until its parts are small enough; `others` have so many items and are split later.
    fn one(&mut self, path: String, members: Vec<usize>, others: &BTreeMap<&str, usize>) {
        let mut waiting = vec![(path, members)];
        while let Some((path, members)) = waiting.pop() {
            if members.len() <= LARGE {
                self.done.entry(path).or_default().extend(members);
                continue;
            }
            let Some(part) = self.shared_part(&path, &members, others) else {
                self.by_year(&path, members);
                continue;
            };
            let has = |at: &usize| self.parts[*at].as_ref().is_some_and(|parts| parts.contains(&part));
            let (own, rest): (Vec<usize>, Vec<usize>) = members.into_iter().partition(has);
            waiting.push((below(&path, self.project.spelled(&part)), own));
            waiting.push((path, rest));
        }
    }

    /// The part that most items share, but fewer than four of five; of equals the first by name.
    fn shared_part(
        &mut self,
        path: &str,
        members: &[usize],
        others: &BTreeMap<&str, usize>,
    ) -> Option<String> {
        for at in members {
            if self.parts[*at].is_none() {
                self.parts[*at] = Some(parts_of(self.project, self.items[*at].1.files));
            }
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for part in members.iter().filter_map(|at| self.parts[*at].as_ref()).flatten() {
            *counts.entry(part).or_default() += 1;
        }
        let own = words_of(path);
        let splits = |(part, count): &(&str, usize)| {
            let is_few = *count >= FEW && count * 5 < members.len() * 4;
            is_few && !own.contains(*part) && !self.project.is_dropped(part) && {
                let name = below(path, self.project.spelled(part));
                !others.contains_key(name.as_str()) && !self.done.contains_key(&name)
            }
        };
        let best =
            counts.into_iter().filter(splits).reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(part, _)| part.to_owned())
    }

    /// The newest years stay while they are few enough, the others go to an entry a year.
    fn by_year(&mut self, path: &str, mut members: Vec<usize>) {
        members.sort_by_key(|at| (self.items[*at].1.year, *at));
        let year = |at: &usize| self.items[*at].1.year;
        let most = members.len().saturating_sub(TOO_LARGE);
        let mut first = most;
        if let (Some(last), true) = (members.last().map(year), most > 0) {
            // whole years stay together, but for the newest if it alone is too large
            let oldest = members.get(first).map_or(last, year);
            let start = members.partition_point(|at| year(at) < oldest);
            if start < first && oldest < last {
                first = members.partition_point(|at| year(at) <= oldest);
            }
        }
        let stay = members.split_off(first);
        let mut years: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
        members.into_iter().for_each(|at| years.entry(self.items[at].1.year).or_default().push(at));
        for (year, members) in years {
            for (at, some) in members.chunks(TOO_LARGE).enumerate() {
                self.done.entry(of_year(path, year, at)).or_default().extend(some);
            }
        }
        self.done.entry(path.to_owned()).or_default().extend(stay);
    }
}

/// The entry for a year of an entry, and the next ones if that is full: `code/args_2026.md`, `code/args_2026_2.md`.
pub fn of_year(path: &str, year: i32, full: usize) -> String {
    let name = if full == 0 { year.to_string() } else { format!("{year}_{}", full + 1) };
    below(path, &name)
}

/// The entry of a part of an entry: `code/args_hidden.md` below `code/args.md`.
fn below(path: &str, part: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.strip_suffix(".md").unwrap_or(name).trim_end_matches('_');
    let name = names::portable(&format!("{name}_{part}"));
    if folder.is_empty() { format!("{name}.md") } else { format!("{folder}/{name}.md") }
}

/// The words of a path, as stems.
fn words_of(path: &str) -> BTreeSet<String> {
    let bare = path.strip_suffix(".md").unwrap_or(path);
    let names = bare.split('/').flat_map(|name| name.split('_').chain([name]));
    names.filter(|word| !word.is_empty()).map(|word| stem(word).into_owned()).collect()
}

/// The stems of the parts of the files that a commit is about: of code, else of tests and prose, else of side files.
fn parts_of(project: &Project, paths: &[&str]) -> BTreeSet<String> {
    let files = project.files(paths);
    let has = |role: Role| files.iter().any(|file| file.role == role);
    let (has_code, has_other) = (has(Role::Code), has(Role::Test) || has(Role::Prose));
    let counts = |role: Role| match role {
        Role::Code => true,
        Role::Test | Role::Prose => !has_code,
        Role::Side => !has_code && !has_other,
    };
    let counted = files.iter().filter(|file| counts(file.role));
    counted.flat_map(|file| file.chain.iter().cloned()).collect()
}
