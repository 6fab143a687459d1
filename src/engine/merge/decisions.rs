//! Unresolved decisions of a merge: the conflict markers in a file, and conflicts that only the index knows, such as a
//! file that one side deleted.
//!
//! Writes nothing. A conflict that was fixed by hand is no longer a decision.

use crate::Stop;
use crate::open::naming::paths;
use crate::open::naming::resolve::{self, Named};
use brv_base::fs;
use brv_base::path;
use brv_git as git;
use brv_git::{FileMode, Index, Scope, Version, trees};
use brv_text::doc::{Document, ProblemKind};
use brv_text::merge::{
    self, Choice, Format, Marked, MergePlace, Reason, Rules, Texts, Undecided, Unfit, Versions,
};
use bstr::{BStr, BString, ByteSlice as _};
use std::path::Path;

#[derive(Debug, Clone)]
pub struct OpenFile {
    pub path: BString,
    /// Whether the index has more than one version of it.
    pub is_unmerged: bool,
    /// The unresolved decisions. Empty for an unmerged file that was fixed by hand.
    pub decisions: Vec<Decision>,
    pub disk: Option<Vec<u8>>,
    /// The text in which choices replace decisions.
    text: Vec<u8>,
    format: Format,
    /// The bytes of base, ours and theirs, where the index has them.
    versions: [Option<Vec<u8>>; 3],
    pub left_by: LeftBy,
}

/// The tool whose merge left the conflict markers of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LeftBy {
    /// brv's merge by meaning, or there are no markers.
    #[default]
    Meaning,
    /// Another tool's merge: its markers may enclose more than the conflict.
    AnotherTool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Counted from 1 within the file as the merge left it: resolving one decision does not renumber the others.
    pub number: usize,
    /// The 1-based line of its markers, if it has any.
    pub line: Option<usize>,
    pub place: MergePlace,
    pub why: Reason,
    pub texts: Texts,
    extent: DecisionExtent,
}

/// The extent of a decision within a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum DecisionExtent {
    /// The conflict markers with this number, counted from 0.
    Marked(usize),
    /// A field of the frontmatter, by its name: it has no markers.
    Field(String),
    Frontmatter,
    Whole,
}

/// A file with choices in place of decisions.
#[derive(Debug, Clone)]
pub struct DecidedFile {
    /// Its bytes; `None`: the file is removed.
    pub after: Option<Vec<u8>>,
    /// The numbers of the decisions that are still open, with the reason where a choice did not fit.
    pub open: Vec<(usize, Option<Unfit>)>,
    /// Headings that are now listed in `disputed`.
    pub disputed: Vec<String>,
}

/// The files that match what was typed, with their open decisions: unmerged files at or below each path, and files
/// named themselves. With nothing typed, all unmerged files.
pub fn find(scope: &Scope, index: &Index, cwd: &Path, typed: &[String]) -> Result<Vec<OpenFile>, Stop> {
    let unmerged: Vec<BString> =
        index.unmerged().iter().filter_map(|full| Some(scope.strip(full.as_bstr())?.to_owned())).collect();
    let mut paths = if typed.is_empty() { unmerged.clone() } else { Vec::new() };
    let root = scope.root();
    for name in typed {
        let spec = paths::pathspecs(&root, cwd, std::slice::from_ref(name))?.remove(0);
        let before = paths.len();
        let is_meant = |path: &&BString| {
            let old = old_name(path.as_bstr()).filter(|old| is_folder(&root, old));
            spec.matches(path.as_bstr()) || old.is_some_and(|old| spec.matches(old.as_bstr()))
        };
        paths.extend(unmerged.iter().filter(is_meant).cloned());
        if paths.len() > before || root.join(spec.as_bstr().to_str_lossy().as_ref()).is_dir() {
            continue;
        }
        match resolve::resolve(&root, cwd, name)? {
            Some(Named::File(path)) => paths.push(path.as_bytes().into()),
            _ if spec.has_wildcard() => {}
            _ => return Err(Stop::usage(format!("`{name}` matches no file"))),
        }
    }
    paths.sort();
    paths.dedup();
    let converter = git::Converter::of(scope);
    paths.into_iter().map(|path| look(scope, index, path, &converter)).collect()
}

fn look(scope: &Scope, index: &Index, path: BString, converter: &git::Converter) -> Result<OpenFile, Stop> {
    let root = scope.root();
    let disk = fs::read_below(&root, &fs::below(&root, path.as_bstr())?)?;
    let stored = disk.map(|bytes| converter.to_git(path.as_bstr(), bytes.into())).transpose()?;
    Ok(of_bytes(scope, index, path, stored.map(std::borrow::Cow::into_owned))?)
}

/// The place of a conflict in the frontmatter that is still as the merge left it: it has no markers. `disk` are the
/// bytes of the file as git stores them.
pub fn in_frontmatter(
    scope: &Scope,
    index: &Index,
    path: &BStr,
    disk: Vec<u8>,
) -> Result<Option<MergePlace>, git::Error> {
    let file = of_bytes(scope, index, path.to_owned(), Some(disk))?;
    let open = file.decisions.into_iter();
    let mut open =
        open.filter(|open| matches!(open.extent, DecisionExtent::Field(_) | DecisionExtent::Frontmatter));
    Ok(open.next().map(|open| open.place))
}

/// The open decisions of a file with these bytes.
fn of_bytes(
    scope: &Scope,
    index: &Index,
    path: BString,
    disk: Option<Vec<u8>>,
) -> Result<OpenFile, git::Error> {
    let root = scope.root();
    let stages = index.stages(scope.full(&path).as_bstr());
    let format = format_of(path.as_bstr());
    let is_unmerged = stages.iter().any(Option::is_some);
    let versions = match stages {
        _ if !is_unmerged => [None, None, None],
        [base, ours, theirs] => [bytes(scope, base)?, bytes(scope, ours)?, bytes(scope, theirs)?],
    };
    let text = disk.clone().unwrap_or_default();
    let left_by = LeftBy::default();
    let mut file =
        OpenFile { path, is_unmerged, decisions: Vec::new(), disk, text, format, versions, left_by };
    let has_folder = || old_name(file.path.as_bstr()).is_some_and(|old| is_folder(&root, &old));
    let alone = if is_unmerged && has_folder() { Reason::FolderInItsPlace } else { Reason::Renamed };
    // decisions are numbered by the staged version, also when part of them is resolved on disk
    let recorded = match index.version(scope.full(&file.path).as_bstr()) {
        Some(version) if !is_unmerged && file.text.contains_str("<<<<<<<") => bytes(scope, Some(version))?,
        _ => None,
    };
    file.find_decisions(alone, &recorded.unwrap_or_default());
    Ok(file)
}

fn is_folder(root: &Path, path: &BString) -> bool {
    root.join(path.to_str_lossy().as_ref()).is_dir()
}

/// The name that a file had before a merge found a folder at its path: `a/b.md` for `a/b.ours.md` and `a/b.ours-2.md`.
fn old_name(path: &BStr) -> Option<BString> {
    let (stem, suffix) = match path.strip_suffix(b".md") {
        Some(stem) => (stem, &b".md"[..]),
        None => (path.as_bytes(), &b""[..]),
    };
    let (name, side) = stem.rsplit_once_str(".")?;
    let is_side = |side: &[u8]| side == b"ours" || side == b"theirs";
    let is_counted = side.rsplit_once_str("-").is_some_and(|(side, count)| {
        is_side(side) && !count.is_empty() && count.iter().all(u8::is_ascii_digit)
    });
    (is_side(side) || is_counted).then(|| [name, suffix].concat().into())
}

/// A number for each open decision: its position among the known decisions, or a number after all of these.
fn numbers(open: &[(&[u8], Marked)], known: &[(&[u8], Marked)]) -> Vec<usize> {
    let mut is_used = vec![false; known.len()];
    let mut behind = known.len();
    let number = |(text, own): &(&[u8], Marked)| {
        let mut best = None;
        for (at, (known_text, known)) in known.iter().enumerate() {
            if is_used[at] || known.texts != own.texts {
                continue;
            }
            let likeness = 2 * usize::from(known.place == own.place)
                + usize::from(around(known_text, known) == around(text, own));
            if best.is_none_or(|(most, _)| likeness > most) {
                best = Some((likeness, at));
            }
        }
        match best {
            Some((_, at)) => {
                is_used[at] = true;
                at + 1
            }
            None => {
                behind += 1;
                behind
            }
        }
    };
    open.iter().map(number).collect()
}

/// Whether two sets of markers enclose the same texts. Some tools write no base.
fn is_same_hunk(one: &Marked, other: &Marked) -> bool {
    (&one.texts.ours, &one.texts.theirs) == (&other.texts.ours, &other.texts.theirs)
}

/// The lines before and after the markers.
fn around<'t>(text: &'t [u8], marked: &Marked) -> [Option<&'t [u8]>; 2] {
    let (before, after) = (&text[..marked.span.start], &text[marked.span.end..]);
    [before.lines().next_back(), after.lines().next()]
}

fn marked(text: &[u8], format: Format) -> Vec<(&[u8], Marked)> {
    merge::marked(text, format).into_iter().map(|marked| (text, marked)).collect()
}

fn bytes(scope: &Scope, version: Option<Version>) -> Result<Option<Vec<u8>>, git::Error> {
    version
        .filter(|version| matches!(version.mode, FileMode::Regular | FileMode::Executable))
        .map(|version| trees::blob(scope, version.id))
        .transpose()
}

/// Entries are merged by meaning, other files by line.
pub fn format_of(path: &BStr) -> Format {
    match path::kind_of(&path.to_str_lossy()).is_curated() {
        true => Format::Document,
        false => Format::Lines,
    }
}

impl OpenFile {
    fn find_decisions(&mut self, alone: Reason, recorded: &[u8]) {
        match (self.is_unmerged, &self.versions) {
            (false, _) => self.find_marked(0, &marked(recorded, self.format)),
            (true, [_, Some(_), Some(_)]) => self.find_in_both(),
            (true, [base, ours, theirs]) => {
                let why = match (base.is_some(), ours.is_some(), theirs.is_some()) {
                    (true, true, false) => Reason::DeletedByThem,
                    (true, false, true) => Reason::DeletedByUs,
                    _ => alone,
                };
                let whole = self.whole(why);
                self.decisions.push(whole);
            }
        }
    }

    /// Numbering starts after `first` decisions.
    fn find_marked(&mut self, first: usize, known: &[(&[u8], Marked)]) {
        let open = marked(&self.text, self.format);
        let numbers = numbers(&open, known);
        let found = open.into_iter().zip(numbers).enumerate();
        let decision = |(at, ((_, open), number)): (usize, ((&[u8], Marked), usize))| Decision {
            number: first + number,
            line: Some(open.line),
            place: open.place,
            why: open.reason,
            texts: open.texts,
            extent: DecisionExtent::Marked(at),
        };
        let decisions: Vec<Decision> = found.map(decision).collect();
        self.decisions.extend(decisions);
    }

    /// Both sides have the file. If it is untouched since the merge, it is what the merge leaves.
    fn find_in_both(&mut self) {
        let [base, Some(ours), Some(theirs)] = &self.versions else { return };
        let versions = Versions { base: base.as_deref(), ours, theirs };
        let merged = merge::merge(&versions, &Rules { format: self.format, ..Rules::default() });
        let on_disk = merge::marked(&self.text, self.format);
        // one whole side was taken by hand
        let is_of_merge = |disk: &Vec<u8>| *disk == merged.bytes;
        let is_untouched = on_disk.is_empty() && self.disk.as_ref().is_none_or(is_of_merge);
        let is_whole = |reason: &Reason| matches!(reason, Reason::NotText | Reason::Unrelated);
        let whole = merged.conflicts.iter().map(|conflict| conflict.reason).find(is_whole);
        if let Some(why) = whole.filter(|_| is_untouched) {
            let whole = self.whole(why);
            return self.decisions.push(whole);
        }
        let hidden = merged.conflicts.iter().filter_map(|conflict| Some((conflict, hidden(conflict)?)));
        let hidden: Vec<_> = hidden.collect();
        let is_open = |extent: &DecisionExtent| match extent {
            // what was fixed by hand is no longer as the merge left it
            DecisionExtent::Field(field) => merge::has_field(&self.text, ours, field),
            _ => head(&self.text) == head(&merged.bytes),
        };
        let open = hidden.iter().enumerate().filter(|(_, (_, extent))| is_untouched || is_open(extent));
        let decision = |(at, (conflict, extent)): (usize, &(&merge::Conflict, DecisionExtent))| Decision {
            number: at + 1,
            line: None,
            place: conflict.place.clone(),
            why: conflict.reason,
            texts: conflict.texts.clone(),
            extent: extent.clone(),
        };
        let first = hidden.len();
        let decisions: Vec<Decision> = open.map(decision).collect();
        self.decisions.extend(decisions);
        if is_untouched {
            self.text.clone_from(&merged.bytes);
        }
        let known = marked(&merged.bytes, self.format);
        let is_known = |open: &Marked| known.iter().any(|(_, known)| is_same_hunk(known, open));
        if !on_disk.iter().all(is_known) {
            self.left_by = LeftBy::AnotherTool;
        }
        self.find_marked(first, &known);
    }

    /// The result of merging base, ours and theirs of the index by meaning, for use in place of the file on disk, with
    /// what the merge settled. `None` where a side has no version, or one is not text.
    pub fn merged_anew(&self) -> Option<(Self, Vec<merge::Record>)> {
        let [base, Some(ours), Some(theirs)] = &self.versions else { return None };
        let versions = Versions { base: base.as_deref(), ours, theirs };
        let merged = merge::merge(&versions, &Rules { format: self.format, ..Rules::default() });
        if merged.conflicts.iter().any(|conflict| conflict.reason == Reason::NotText) {
            return None;
        }
        let text = merged.bytes.clone();
        let (decisions, left_by) = (Vec::new(), LeftBy::Meaning);
        let mut file = Self { disk: Some(merged.bytes), text, decisions, left_by, ..self.clone() };
        file.find_in_both();
        Some((file, merged.records))
    }

    fn whole(&self, why: Reason) -> Decision {
        let text =
            |side: &Option<Vec<u8>>| side.as_ref().and_then(|bytes| String::from_utf8(bytes.clone()).ok());
        let [base, ours, theirs] = &self.versions;
        let texts = Texts { base: text(base), ours: text(ours), theirs: text(theirs) };
        Decision {
            number: 1,
            line: None,
            place: MergePlace::Whole,
            why,
            texts,
            extent: DecisionExtent::Whole,
        }
    }

    /// Put choices in place of decisions; `choose` returns the choice for the decision with a number.
    pub fn apply(&self, choose: &dyn Fn(usize) -> Option<Choice>) -> DecidedFile {
        // a merge that leaves nothing to decide replaces a file that is untouched
        let is_there = self.disk.is_some() || self.is_unmerged;
        let after = is_there.then(|| self.text.clone());
        let mut applied = DecidedFile { after, open: Vec::new(), disputed: Vec::new() };
        if self.decisions.is_empty() {
            return applied;
        }
        if let [Decision { extent: DecisionExtent::Whole, .. }] = self.decisions[..] {
            match choose(1).map(|choice| self.whole_of(choice)) {
                Some(Ok(after)) => applied.after = after,
                Some(Err(unfit)) => applied.open.push((1, Some(unfit))),
                None => applied.open.push((1, None)),
            }
            return applied;
        }
        let mut text = self.text.clone();
        let marked: Vec<usize> = self
            .decisions
            .iter()
            .filter(|open| matches!(open.extent, DecisionExtent::Marked(_)))
            .map(|open| open.number)
            .collect();
        for open in &self.decisions {
            let decided = match &open.extent {
                DecisionExtent::Frontmatter => choose(open.number)
                    .map(|choice| self.head_of(choice).map(|head| [head, body(&text)].concat())),
                DecisionExtent::Field(field) => {
                    choose(open.number).map(|choice| self.with_field(&text, field, choice))
                }
                DecisionExtent::Marked(_) | DecisionExtent::Whole => continue,
            };
            match decided {
                Some(Ok(decided)) => text = decided,
                Some(Err(unfit)) => applied.open.push((open.number, Some(unfit))),
                None => applied.open.push((open.number, None)),
            }
        }
        let decided = merge::decide(&text, self.format, &|at| choose(*marked.get(at)?));
        for (at, number) in marked.iter().enumerate() {
            match decided.unfit.iter().find(|(unfit, _)| *unfit == at) {
                Some((_, unfit)) => applied.open.push((*number, Some(*unfit))),
                None if choose(*number).is_none() => applied.open.push((*number, None)),
                None => {}
            }
        }
        if decided.unfit.len() < marked.len() && self.doubles_frontmatter(&decided.bytes) {
            applied.open =
                self.decisions.iter().map(|one| (one.number, Some(Unfit::TwoFrontmatters))).collect();
            return applied;
        }
        applied.after = Some(decided.bytes);
        applied.disputed = decided.disputed;
        applied
    }

    /// Whether the replacement bytes have two frontmatters while the file has one.
    fn doubles_frontmatter(&self, bytes: &[u8]) -> bool {
        self.format == Format::Document && has_two_frontmatters(bytes) && !has_two_frontmatters(&self.text)
    }

    fn whole_of(&self, choice: Choice) -> Result<Option<Vec<u8>>, Unfit> {
        let [base, ours, theirs] = &self.versions;
        match choice {
            Choice::Ours => Ok(ours.clone()),
            Choice::Theirs => Ok(theirs.clone()),
            Choice::Base => base.clone().map(Some).ok_or(Unfit::NoBase),
            Choice::Both => match (ours, theirs) {
                (Some(ours), Some(theirs)) if self.is_unrelated() => {
                    let versions = Versions { base: None, ours, theirs };
                    let rules = Rules { undecided: Undecided::Both, ..Rules::default() };
                    Ok(Some(merge::merge(&versions, &rules).bytes))
                }
                (Some(_), Some(_)) => Err(Unfit::OnlyOne),
                (one, other) => Ok(one.clone().or_else(|| other.clone())),
            },
        }
    }

    /// Whether both sides added an entry under this name, and a merge would mix two unrelated texts.
    fn is_unrelated(&self) -> bool {
        matches!(self.decisions[..], [Decision { why: Reason::Unrelated, .. }])
    }

    fn with_field(&self, text: &[u8], field: &str, choice: Choice) -> Result<Vec<u8>, Unfit> {
        let [base, Some(ours), Some(theirs)] = &self.versions else { return Err(Unfit::NothingToMerge) };
        merge::decide_field(text, &Versions { base: base.as_deref(), ours, theirs }, field, choice)
    }

    fn head_of(&self, choice: Choice) -> Result<&[u8], Unfit> {
        let [base, ours, theirs] = &self.versions;
        let side = match choice {
            Choice::Ours => ours,
            Choice::Theirs => theirs,
            Choice::Base => base,
            Choice::Both => return Err(Unfit::OnlyOne),
        };
        side.as_deref().map(head).ok_or(Unfit::NoBase)
    }
}

/// The extent of a conflict in the frontmatter, which has no markers.
fn hidden(conflict: &merge::Conflict) -> Option<DecisionExtent> {
    match (conflict.reason, &conflict.place) {
        _ if conflict.span.is_some() => None,
        (Reason::Field, MergePlace::Field { field }) => Some(DecisionExtent::Field(field.clone())),
        (Reason::Field | Reason::OurFrontmatter | Reason::TheirFrontmatter | Reason::BothFrontmatters, _) => {
            Some(DecisionExtent::Frontmatter)
        }
        _ => None,
    }
}

/// Whether the bytes have a second frontmatter: one version of an entry appended to another.
pub fn has_two_frontmatters(bytes: &[u8]) -> bool {
    Document::parse(bytes).problems().iter().any(|problem| problem.kind == ProblemKind::SecondFrontmatter)
}

fn head(bytes: &[u8]) -> &[u8] {
    &bytes[..Document::parse(bytes).body_start()]
}

fn body(bytes: &[u8]) -> &[u8] {
    &bytes[Document::parse(bytes).body_start()..]
}
