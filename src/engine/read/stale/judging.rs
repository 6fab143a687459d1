//! Compare what an entry cites and names with the code.

use super::bases::{Base, Bases, LineBaseExtent};
use super::code::{CodeLines, CodeTree, Now};
use super::code_words::CodeWordReader;
use super::moves::NameMoves;
use super::origins::Origins;
use super::{CitingEntry, Fact, Judged, Span};
use brv_base::content::ContentId;
use brv_text::stale::{
    Altered, ChangeState, CitedFile, CitingLine, Counter, Freshness, NameChange, NameFinding, NameQuery,
    Said, State, Text,
};
use brv_text::stale::{compare, is_prose};
use std::collections::BTreeMap;

pub struct StaleJudge<'a> {
    pub code: CodeTree<'a>,
    pub bases: Bases<'a>,
    pub span: Span,
    pub moves: NameMoves,
    pub words: CodeWordReader<'a>,
    pub counter: Counter,
}

/// A file that an entry cites, and what was found out about it.
struct JudgedCitation {
    path: String,
    /// The file of the line that cites it, and what that was compared with.
    then: Option<ContentId>,
    base: Option<Base>,
    line: usize,
    file: CitedFile,
}

/// What is at a cited path now, or where it went.
struct CitedPathState {
    id: Option<ContentId>,
    plain: Option<ContentId>,
    moved_to: Option<String>,
    commit: Option<String>,
}

impl CitedPathState {
    fn is(&self, then: ContentId) -> bool {
        self.id == Some(then) || self.plain == Some(then)
    }
}

impl StaleJudge<'_> {
    pub fn entry(&mut self, entry: &CitingEntry<'_>, origins: &Origins) -> Judged {
        let mut lines: BTreeMap<usize, Option<Base>> = BTreeMap::new();
        let mut is_skipped = false;
        for line in &entry.lines {
            let origin = origins.get(&line.line).and_then(Option::as_ref);
            let base = self.bases.base(origin, entry.verified.as_ref());
            match self.within(base) {
                Within::Compared(base) => drop(lines.insert(line.line, base)),
                Within::Newer => is_skipped = true,
            }
        }
        let cited = self.cited(entry, &lines);
        if cited.is_empty() {
            if is_skipped {
                let files = Vec::new();
                let freshness = Freshness { state: State::Fresh, base: None, base_by: None, files };
                return Judged { freshness: Some(freshness), facts: Vec::new() };
            }
            let is_unknown = entry.has_files && lines.values().any(Option::is_none);
            return Judged { freshness: is_unknown.then(Freshness::unknown), facts: Vec::new() };
        }
        let (mut judged, mut files) = (Judged::default(), Vec::new());
        let mut told: Option<(State, Option<Base>)> = None;
        let is_worse =
            |told: &Option<(State, Option<Base>)>, state| told.is_none_or(|(known, _)| state > known);
        for mut one in cited {
            let today = self.today(&one.path);
            let (state, facts) = self.file(entry, &lines, &mut one, &today);
            one.file.state = state;
            let base = facts.first().and_then(|fact| lines.get(&fact.line).copied()).unwrap_or(one.base);
            if is_worse(&told, state) {
                told = Some((state, base));
            }
            judged.facts.extend(facts);
            files.push(one.file);
        }
        let (state, base) = told.unwrap_or((State::Unknown, None));
        let (base, base_by) = (base.map(|base| base.commit.to_string()), base.and_then(|base| base.by));
        judged
            .facts
            .sort_by(|one, other| (one.line, &one.change.name).cmp(&(other.line, &other.change.name)));
        judged.freshness = Some(Freshness { state, base, base_by, files });
        judged
    }

    /// What a line with this base is compared with. Where a change of the code is judged, lines that know it already are left
    /// out.
    fn within(&mut self, base: Option<Base>) -> Within {
        let (Span::Range { from, to }, Some(base)) = (self.span, base) else { return Within::Compared(base) };
        if self.bases.is_behind(to, base.commit) {
            return Within::Newer;
        }
        let is_newer = self.bases.is_behind(from, base.commit);
        Within::Compared(Some(if is_newer { base } else { Base::of(from) }))
    }

    /// The files that an entry cites, by path.
    fn cited(
        &mut self,
        entry: &CitingEntry<'_>,
        lines: &BTreeMap<usize, Option<Base>>,
    ) -> Vec<JudgedCitation> {
        let mut all: BTreeMap<String, JudgedCitation> = BTreeMap::new();
        for line in &entry.lines {
            let Some(base) = lines.get(&line.line).copied() else { continue };
            for written in &line.paths {
                let Some(cited) = self.meant(written, base, line.line) else { continue };
                // the line that knows least of the code decides
                let is_better = match all.get(&cited.path) {
                    Some(known) => self.is_now(known) && !self.is_now(&cited),
                    None => true,
                };
                if is_better {
                    all.insert(cited.path.clone(), cited);
                }
            }
        }
        all.into_values().collect()
    }

    /// Whether a file is as the line that cites it saw it.
    fn is_now(&mut self, cited: &JudgedCitation) -> bool {
        let now = self.code.now(&cited.path);
        cited
            .then
            .is_some_and(|then| matches!(now, Now::File(id, plain) if id == then || plain == Some(then)))
    }

    /// The file that a path means, if it was one when the line was written, or has become one since.
    fn meant(&mut self, written: &str, base: Option<Base>, line: usize) -> Option<JudgedCitation> {
        for path in self.code.meanings(written) {
            let now = self.code.now(&path);
            let then = match base {
                Some(base) if base.extent == LineBaseExtent::Floor => self.code.then(base.commit, &path),
                Some(base) => self.code.then_by_any_name(base.commit, &path).or_else(|| match now {
                    Now::File(..) | Now::Large => self.code.added_behind(base.commit, &path),
                    _ => None,
                }),
                None => None,
            };
            if then.is_some() || matches!(now, Now::File(..) | Now::Large) {
                let file = CitedFile {
                    path: path.clone(),
                    state: State::Unknown,
                    names: Vec::new(),
                    changes: Vec::new(),
                    commit: None,
                    moved_to: None,
                };
                return Some(JudgedCitation { path, then, base, line, file });
            }
        }
        None
    }

    fn today(&mut self, path: &str) -> CitedPathState {
        match self.code.now(path) {
            Now::File(id, plain) => CitedPathState { id: Some(id), plain, moved_to: None, commit: None },
            Now::Large => CitedPathState { id: None, plain: None, moved_to: None, commit: None },
            Now::Absent | Now::Other => {
                let moved = self.bases.moved(&self.code, path);
                let there = moved.to.filter(|to| matches!(self.code.now(to), Now::File(..)));
                let (id, plain) = match there.as_ref().map(|to| self.code.now(to)) {
                    Some(Now::File(id, plain)) => (Some(id), plain),
                    _ => (None, None),
                };
                CitedPathState { id, plain, moved_to: there, commit: moved.commit }
            }
        }
    }

    /// The state of a cited file, and the lines of the entry that it makes doubtful.
    fn file(
        &mut self,
        entry: &CitingEntry<'_>,
        lines: &BTreeMap<usize, Option<Base>>,
        one: &mut JudgedCitation,
        today: &CitedPathState,
    ) -> (State, Vec<Fact>) {
        one.file.moved_to.clone_from(&today.moved_to);
        one.file.commit.clone_from(&today.commit);
        if matches!(self.code.now(&one.path), Now::Large) {
            return (State::Unknown, Vec::new());
        }
        let is_floor = |base: Option<Base>| base.is_some_and(|base| base.extent == LineBaseExtent::Floor);
        let Some(now) = today.id else {
            if is_floor(one.base) {
                return (State::Unknown, Vec::new());
            }
            let (name, state) = (one.path.clone(), ChangeState::Gone);
            let change = NameChange { name, state, before: None, after: None, moved_to: None };
            return (State::Gone, vec![fact(entry, one.line, change, (&one.path, 1))]);
        };
        let at = today.moved_to.as_deref().unwrap_or(&one.path).to_owned();
        let (mut facts, mut is_unknown) = (Vec::new(), false);
        let is_same = one.then.is_some_and(|then| today.is(then));
        for line in entry.lines.iter().filter(|line| !line.names.is_empty()) {
            let Some(Some(base)) = lines.get(&line.line).copied() else { continue };
            let then = match one.base {
                Some(other) if other.commit == base.commit => one.then,
                _ => self.code.then_by_any_name(base.commit, &one.path),
            };
            let Some(then) = then.filter(|then| !today.is(*then)) else { continue };
            if is_floor(Some(base)) {
                is_unknown = true;
                continue;
            }
            let (before, after) = match (self.code.text(then), self.code.text(now)) {
                (CodeLines::Text(before), CodeLines::Text(after)) => (before, after),
                (CodeLines::Large, _) | (_, CodeLines::Large) => {
                    is_unknown = true;
                    continue;
                }
                _ => continue,
            };
            for found in self.changes(entry, line, (&before, &after, &at)) {
                let (change, file_line) = self.told(found, base, &at);
                if !one.file.names.contains(&change.name) {
                    one.file.names.push(change.name.clone());
                }
                if !one.file.changes.contains(&change) {
                    one.file.changes.push(change.clone());
                }
                facts.push(fact(entry, line.line, change, (&at, file_line)));
            }
        }
        let state = match (facts.is_empty(), one.then) {
            (false, _) => State::Changed,
            (true, None) => State::Unknown,
            (true, Some(_)) if is_unknown || !is_same && is_floor(one.base) => State::Unknown,
            (true, Some(_)) if is_same && today.moved_to.is_none() => State::Fresh,
            _ => State::Touched,
        };
        (state, facts)
    }

    /// What became of the names of a line in a file that differs.
    fn changes(
        &mut self,
        entry: &CitingEntry<'_>,
        line: &CitingLine,
        (before, after, path): (&Text, &Text, &str),
    ) -> Vec<Altered> {
        let (said, is_prose) = (Said::of(&text_of(entry, line.line)), is_prose(path));
        let mut found = Vec::new();
        for name in line.names.iter().filter(|name| !Self::is_path(entry, name)) {
            let asked = NameQuery { name, said: &said, is_prose };
            found.extend(match compare(before, after, &asked, &mut self.counter) {
                Some(NameFinding::Altered(altered)) => Some(altered),
                // the words of the code are counted only for what may matter
                Some(NameFinding::Perhaps(around)) => around.that_matters(|| self.words.get()),
                None => None,
            });
        }
        found
    }

    /// The change to report for a name, and the line of the file to look at.
    fn told(&mut self, found: Altered, base: Base, path: &str) -> (NameChange, usize) {
        let Altered { name, line, is_gone, before, after } = found;
        let state = if is_gone { ChangeState::Gone } else { ChangeState::Altered };
        let moved_to = match state {
            ChangeState::Gone => self.moves.of(&mut self.code, base.commit, &name).filter(|to| to != path),
            ChangeState::Altered => None,
        };
        (NameChange { name, state, before, after, moved_to }, line)
    }

    /// Whether a code span is one of the paths of the entry.
    fn is_path(entry: &CitingEntry<'_>, name: &str) -> bool {
        let name = name.split(':').next().unwrap_or(name);
        name.contains('/') && entry.lines.iter().any(|line| line.paths.iter().any(|path| path == name))
    }

    /// Name the last commits of the files that differ.
    pub fn name_commits(&mut self, judged: &mut [Judged]) {
        let files = || judged.iter().filter_map(|one| one.freshness.as_ref()).flat_map(|fresh| &fresh.files);
        let wants = |file: &&CitedFile| {
            file.commit.is_none() && matches!(file.state, State::Touched | State::Changed)
        };
        let mut paths: Vec<String> =
            files().filter(wants).map(|file| file.moved_to.as_ref().unwrap_or(&file.path).clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        if paths.is_empty() {
            return;
        }
        let last = self.bases.last_commits(&self.code, paths);
        let files =
            judged.iter_mut().filter_map(|one| one.freshness.as_mut()).flat_map(|fresh| &mut fresh.files);
        for file in files.filter(|file| wants(&&**file)) {
            file.commit = last.get(file.moved_to.as_ref().unwrap_or(&file.path)).cloned();
        }
    }
}

enum Within {
    Compared(Option<Base>),
    /// The line was written when the change was there.
    Newer,
}

fn fact(entry: &CitingEntry<'_>, line: usize, change: NameChange, (file, file_line): (&str, usize)) -> Fact {
    Fact { line, text: text_of(entry, line), change, file: file.to_owned(), file_line }
}

/// The text of a line, counted from 1.
fn text_of(entry: &CitingEntry<'_>, line: usize) -> String {
    let bytes = entry.bytes.split(|byte| *byte == b'\n').nth(line.saturating_sub(1)).unwrap_or_default();
    String::from_utf8_lossy(bytes).trim().to_owned()
}
