//! Random edits of both sides in real markdown: the READMEs of the crates that cargo has unpacked on this machine.
//!
//! If git's merge is clean, the result has git's bytes or differs for a reason in [`Reason`]; and no line of a clean
//! result is duplicated. The count of each class is printed (`--nocapture`). `BRV_MERGE_SEEDS=20` is the long form.

use crate::env::Env;
use crate::merge_oracle::{Oracle, Random, Triple};
use brv_text::merge::{Format, MergePlace, Outcome, Record, Settled};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// The number of merges for one seed.
const MERGES: usize = 150;

/// The number of seeds unless `BRV_MERGE_SEEDS` overrides it.
const SEEDS: usize = 2;

/// Longer files are cut, so that edits of both sides are close to one another.
const MAX_LINES: usize = 160;

/// The class of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// git and brv agree on every byte.
    SameBytes,
    /// git is clean, but brv has other bytes, or a conflict.
    Other(Reason),
    /// git has a conflict, brv does not.
    OnlyGitStops,
    /// Both have a conflict.
    BothStop,
}

/// Why brv's result of a merge that is clean in git is different.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// A numbered list is renumbered, where git has a number twice.
    NumbersCountOn,
    /// An addition to a section stays in it, where git puts it below a heading that the other side inserted.
    UnderItsHeading,
    /// Text that both sides added, or one moved and the other changed, is in git's result twice.
    GitDoubles,
    /// No reason: a failure.
    None,
}

#[test]
fn real_markdown_is_merged_as_git_merges_it_and_no_line_is_doubled() {
    let texts = texts();
    if texts.is_empty() {
        println!("skipped: no crates with a README below {}", registry().display());
        return;
    }
    let asked = std::env::var("BRV_MERGE_SEEDS").ok();
    let seeds = asked.map_or(SEEDS, |seeds| seeds.parse().expect("BRV_MERGE_SEEDS is a number"));
    let (mut classes, mut faults) = (BTreeMap::new(), Vec::new());
    for seed in 0..seeds {
        let triples = triples(&texts, seed);
        let env = Env::in_memory();
        let oracle = Oracle::new(&env, &triples);
        let of_git = oracle.merged("zdiff3", &oracle.all());
        for (number, (triple, git)) in triples.iter().zip(of_git).enumerate() {
            let outcome = triple.merged_as(Format::Document);
            let class = class(triple, &outcome, &git);
            *classes.entry(class).or_insert(0) += 1;
            let is_own = outcome.is_clean() && outcome.bytes != git;
            let doubled = if is_own { doubled(triple, &outcome.bytes, &outcome.records) } else { Vec::new() };
            if class == Class::Other(Reason::None) || !doubled.is_empty() {
                faults.push(format!("seed {seed}, merge {number}: {class:?}, doubled {doubled:?}"));
            }
        }
    }
    println!("{} files, {seeds} seeds: {classes:#?}", texts.len());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// The folder in which cargo unpacks crates.
fn registry() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    home.unwrap_or_default().join("registry").join("src")
}

/// The crates that cargo has unpacked on this machine, by name.
pub fn crates() -> Vec<PathBuf> {
    let folders = |path: PathBuf| {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    folders(registry()).into_iter().flat_map(folders).collect()
}

/// The READMEs that have a list, a table or code, by name.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = crates()
        .into_iter()
        .filter_map(|path| std::fs::read_to_string(path.join("README.md")).ok())
        .filter(|text| !text.contains(['\r', '\0']) && !text.contains("<<<<<<<"))
        .map(|text| text.split_inclusive('\n').take(MAX_LINES).collect::<String>())
        .filter(|text| {
            text.lines().count() > 20
                && ["\n- ", "\n* ", "\n|", "\n```"].iter().any(|sign| text.contains(sign))
        })
        .collect();
    texts.dedup();
    texts
}

fn triples(texts: &[String], seed: usize) -> Vec<Triple> {
    let mut random = Random(1000 + seed as u64);
    let mut triple = || {
        let base: Vec<String> = texts[random.below(texts.len())].lines().map(str::to_owned).collect();
        let [ours, theirs] = [0, 1].map(|_| {
            let mut lines = base.clone();
            (0..1 + random.below(3)).for_each(|_| random.edit_markdown(&mut lines));
            lines
        });
        let [base, ours, theirs] = [base, ours, theirs].map(|lines| (lines.join("\n") + "\n").into_bytes());
        Triple { base, ours, theirs }
    };
    (0..MERGES).map(|_| triple()).collect()
}

fn class(triple: &Triple, outcome: &Outcome, git: &[u8]) -> Class {
    let git_stops = git.windows(12).any(|bytes| bytes == b"<<<<<<< ours");
    match (git_stops, outcome.is_clean()) {
        (false, true) if outcome.bytes == git => Class::SameBytes,
        (false, _) => Class::Other(reason(triple, outcome, git)),
        (true, true) => Class::OnlyGitStops,
        (true, false) => Class::BothStop,
    }
}

fn reason(triple: &Triple, outcome: &Outcome, git: &[u8]) -> Reason {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let [own, git_text] = [text(&outcome.bytes), text(git)];
    let bare = |text: &str| -> Vec<String> {
        let digit = |sign: char| sign.is_ascii_digit();
        text.lines().map(|line| line.trim_start().trim_start_matches(digit).to_owned()).collect()
    };
    // a row inserted into a table is padded like its neighbours
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().filter(|line| !line.is_empty()).map(words).collect();
        lines.sort();
        lines
    };
    match outcome.is_clean() {
        true if bare(&own) == bare(&git_text) => Reason::NumbersCountOn,
        true if sorted(&own) == sorted(&git_text) => Reason::UnderItsHeading,
        true if !doubled(triple, git, &[]).is_empty() => Reason::GitDoubles,
        _ => Reason::None,
    }
}

/// The lines of a clean result that occur more often than in base, ours and theirs, or were removed and restored,
/// without a record.
fn doubled(triple: &Triple, result: &[u8], records: &[Record]) -> Vec<String> {
    let counts = [&triple.base, &triple.ours, &triple.theirs].map(|text| count(text));
    let both_kept = |record: &&Record| record.settled == Settled::BothKept;
    let texts = records.iter().filter(both_kept).flat_map(|r| [&r.texts.ours, &r.texts.theirs]);
    let told: String = texts.flatten().flat_map(|text| [text, "\n"]).collect();
    let told = count(told.as_bytes());
    let kept: String = records.iter().filter_map(kept_text).flat_map(|text| [text, "\n"]).collect();
    let mut kept = count(kept.as_bytes());
    // text written into a removed section stays below its heading
    let headings = records.iter().filter(|record| kept_text(record).is_some()).flat_map(headings_of);
    let lines: Vec<&String> = counts[0].keys().filter(|line| is_heading(line)).collect();
    for heading in headings {
        let is_it = |line: &&String| line.trim_start_matches('#').trim() == heading;
        kept.extend(lines.iter().copied().filter(is_it).map(|line| (line.clone(), 1)));
    }
    let mut doubled: Vec<String> = Vec::new();
    for (line, many) in count(result) {
        let [base, ours, theirs] =
            counts.each_ref().map(|count| count.get(&line).copied().unwrap_or_default());
        let removed = (ours + theirs).saturating_sub(base).max(ours.min(theirs));
        let came_back = (ours < base || theirs < base) && many > removed && !kept.contains_key(&line);
        let is_known = base + ours + theirs > 0;
        if is_known && (many > base.max(ours).max(theirs) || came_back) && !told.contains_key(&line) {
            doubled.push(line);
        }
    }
    doubled.sort();
    doubled
}

/// The headings above a record.
fn headings_of(record: &Record) -> &[String] {
    match &record.place {
        MergePlace::Block { headings, .. } => headings,
        _ => &[],
    }
}

/// Text kept by a record although the other side removed it.
fn kept_text(record: &Record) -> Option<&str> {
    match record.settled {
        Settled::ChangeKept(side) | Settled::Chosen(side) => record.texts.of(side),
        _ => None,
    }
}

/// The count of each line that contains words.
fn count(text: &[u8]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for line in String::from_utf8_lossy(text).lines() {
        let line = line.trim();
        if line.contains(char::is_alphanumeric) && !line.starts_with("```") {
            *counts.entry(line.to_owned()).or_default() += 1;
        }
    }
    counts
}

impl Random {
    /// A random edit that people and agents make in markdown.
    fn edit_markdown(&mut self, lines: &mut Vec<String>) {
        if lines.len() < 3 {
            return lines.push(self.words(6));
        }
        match self.below(20) {
            0..=4 => self.reword(lines),
            5 => drop(lines.remove(self.below(lines.len()))),
            6 => self.drop_one(lines, |line| line.trim().is_empty()),
            7 => lines.insert(self.below(lines.len()), String::new()),
            8 => self.change_one(lines, is_item, |line, _| {
                line.trim_start().trim_start_matches(['-', '*', '+']).trim_start().to_owned()
            }),
            9 => self.change_one(lines, is_item, |line, _| format!("  {line}")),
            10 | 11 => self.change_one(lines, is_heading, |line, random| {
                let marks: String = line.chars().take_while(|sign| *sign == '#').collect();
                format!("{marks} {}", random.words(3))
            }),
            12 => self.drop_one(lines, is_heading),
            13 => self.change_one(lines, is_heading, |line, _| format!("#{line}")),
            14 => {
                let heading = vec![String::new(), format!("## {}", self.words(2)), String::new()];
                let at = self.below(lines.len());
                drop(lines.splice(at..at, heading));
            }
            15 | 16 => self.add_alike(lines),
            17 => drop(self.take_run(lines)),
            18 => {
                let run = self.take_run(lines);
                let to = self.below(lines.len() + 1);
                drop(lines.splice(to..to, run));
            }
            _ => {
                let at = self.below(lines.len());
                let paragraph = vec![String::new(), self.words(9), self.words(7), String::new()];
                drop(lines.splice(at..at, paragraph));
            }
        }
    }

    fn reword(&mut self, lines: &mut [String]) {
        self.change_one(
            lines,
            |line| !line.trim().is_empty(),
            |line, random| {
                let mut words: Vec<&str> = line.split(' ').collect();
                let word = random.words(1);
                let at = random.below(words.len()).max(1);
                words.insert(at, &word);
                words.join(" ")
            },
        );
    }

    /// Insert a row, an item or a line of code after an existing one.
    fn add_alike(&mut self, lines: &mut Vec<String>) {
        let Some(at) = self.one(lines, |line| is_item(line) || line.starts_with('|')) else { return };
        let words = self.words(4);
        let added = if lines[at].starts_with('|') {
            let cells = lines[at].matches('|').count().saturating_sub(1);
            format!("|{}", format!(" {words} |").repeat(cells))
        } else {
            let start = lines[at].len() - lines[at].trim_start().len() + 2;
            format!("{}{words}", &lines[at][..start])
        };
        lines.insert(at + 1, added);
    }

    /// Remove the lines between two blank ones, with the second of them.
    fn take_run(&mut self, lines: &mut Vec<String>) -> Vec<String> {
        let at = self.below(lines.len());
        let start = lines[..at].iter().rposition(|line| line.trim().is_empty()).map_or(0, |blank| blank + 1);
        let end = lines[at..]
            .iter()
            .position(|line| line.trim().is_empty())
            .map_or(lines.len(), |run| at + run + 1);
        lines.drain(start..end).collect()
    }

    /// The position of a random line that matches.
    fn one(&mut self, lines: &[String], is_so: impl Fn(&str) -> bool) -> Option<usize> {
        let places: Vec<usize> = (0..lines.len()).filter(|at| is_so(&lines[*at])).collect();
        (!places.is_empty()).then(|| places[self.below(places.len())])
    }

    fn drop_one(&mut self, lines: &mut Vec<String>, is_so: impl Fn(&str) -> bool) {
        if let Some(at) = self.one(lines, is_so) {
            lines.remove(at);
        }
    }

    fn change_one(
        &mut self,
        lines: &mut [String],
        is_so: impl Fn(&str) -> bool,
        change: impl Fn(&str, &mut Random) -> String,
    ) {
        if let Some(at) = self.one(lines, is_so) {
            lines[at] = change(&lines[at], self);
        }
    }
}

fn is_item(line: &str) -> bool {
    ["- ", "* ", "+ "].iter().any(|marker| line.trim_start().starts_with(marker))
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#') && line.trim_start_matches('#').starts_with(' ')
}
