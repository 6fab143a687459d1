//! Whether the code that entries cite is still as it was when their lines were written.
//!
//! `origins` has the commits of the tree that lines come from, which `tracing` follows and `said` reads; `written_here` has the
//! lines that operations of this clone wrote. `bases` has the commits of the code that they are compared with, `code` its files
//! then and now; `judging` compares. `moves` tells where a name went, `code_words` which words of the code are rare. `gone` is
//! for a check: which cited files are gone, of many at once.

mod bases;
mod cache;
mod code;
mod code_words;
mod gone;
mod judging;
mod moves;
mod origin;
mod origins;
mod past_paths;
mod said;
mod tracing;
mod written_here;

use crate::Stop;
use crate::open::context::Opened;
use crate::open::hosting::Host;
use bases::{Bases, Lookups};
use brv_base::clock::Clock;
use brv_base::fs::{self, Below};
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::CommitId;
use brv_text::doc::{Document, VERIFIED, Verified};
use brv_text::stale::{self, CitingLine, Freshness, NameChange};
pub use cache::file_of_paths;
use code::{CodeSide, CodeTree};
pub use code::{meanings, project_below};
use code_words::CodeWordReader;
pub use gone::{CitedCode, GoneCitation, gone};
use judging::StaleJudge;
use moves::NameMoves;
use origins::{OriginHistory, Origins};
use past_paths::PastPaths;
pub use said::Said;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};
pub use written_here::WrittenHere;

/// What entries are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// The work tree of the code.
    Now,
    /// What the change from one commit to another makes doubtful.
    Range { from: CommitId, to: CommitId },
}

/// A line of an entry that is doubtful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Its number in the entry, from 1.
    pub line: usize,
    pub text: String,
    /// What became of the name that it has; of a file that is gone the name is its path.
    pub change: NameChange,
    /// The file of the code to look at, and the line in it, from 1.
    pub file: String,
    pub file_line: usize,
}

/// What there is to say about an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judged {
    /// `None`: it cites nothing.
    pub freshness: Option<Freshness>,
    /// The doubtful lines, in their order.
    pub facts: Vec<Fact>,
}

/// The freshness of these entries, in their order; `None` for one that cites nothing. `cwd` is the folder that the command
/// was called in. What is not done at `until`, or cannot be found out, is unknown.
pub fn of(
    opened: &Opened,
    cwd: &Path,
    entries: &[(&TreePath, &[u8])],
    until: Option<Instant>,
) -> Vec<Option<Freshness>> {
    let read: Vec<CitingEntry<'_>> =
        entries.iter().map(|(path, bytes)| CitingEntry::read(path, bytes)).collect();
    if read.iter().all(|entry| entry.lines.is_empty()) {
        return vec![None; entries.len()];
    }
    match Host::of(opened, cwd).and_then(|host| all(opened, host, Span::Now, &read, until)) {
        Ok(judged) => judged.into_iter().map(|judged| judged.freshness).collect(),
        Err(_) => read.iter().map(CitingEntry::without_code).collect(),
    }
}

/// How long a search waits for the freshness of what it found.
const PATIENCE: Duration = Duration::from_millis(50);

/// When a search stops waiting. Under a fixed clock no time passes.
pub fn soon(clock: Clock) -> Option<Instant> {
    (clock == Clock::Wall).then(|| Instant::now() + PATIENCE)
}

/// What a stale entry loses of its score among the results that are shown.
pub const COST: f64 = 0.15;

/// As [`of`], of the files on disk.
pub fn of_files<'p>(
    opened: &Opened,
    cwd: &Path,
    paths: impl Iterator<Item = &'p str>,
    until: Option<Instant>,
) -> Vec<Option<Freshness>> {
    let root = opened.scope.root();
    let paths: Vec<Option<TreePath>> = paths
        .map(|path| TreePath::parse(path.as_bytes()).ok().filter(|path| path.kind().is_curated()))
        .collect();
    let bytes = |path: &TreePath| fs::read_if_there(&path.on_disk(&root)).ok().flatten().unwrap_or_default();
    let files: Vec<(&TreePath, Vec<u8>)> = paths.iter().flatten().map(|path| (path, bytes(path))).collect();
    let entries: Vec<(&TreePath, &[u8])> = files.iter().map(|(path, bytes)| (*path, &bytes[..])).collect();
    let mut found = of(opened, cwd, &entries, until).into_iter();
    paths.iter().map(|path| path.as_ref().and_then(|_| found.next().flatten())).collect()
}

/// The score of a result with this freshness.
pub fn weighed(score: f64, freshness: Option<&Freshness>) -> f64 {
    match freshness.is_some_and(|freshness| freshness.state.is_stale()) {
        true => score * (1.0 - COST),
        false => score,
    }
}

/// An entry that was judged.
pub struct JudgedEntry {
    pub path: TreePath,
    pub judged: Judged,
    /// Its text, where it cites the code; else empty.
    pub bytes: Vec<u8>,
}

/// What there is to say about these entries, in their order, without those that another program removed meanwhile. `code` is the
/// work tree of the code, if it is not the one around the project. Of entries that cite nothing which the code has ever had, no
/// text is kept.
pub fn judge(
    opened: &Opened,
    (cwd, code): (&Path, Option<&Path>),
    span: Span,
    paths: &[&TreePath],
) -> Result<Vec<JudgedEntry>, Stop> {
    let host = match code {
        Some(folder) => Some(Host::at(opened, folder)?),
        None => Host::of(opened, cwd)?,
    };
    let known = host.as_ref().filter(|_| paths.len() > FEW);
    let known = known.map(|host| CodePaths::read(opened, host, span)).transpose()?;
    let (root, has_code) = (opened.scope.root(), host.is_some());
    let read = parallel::try_map(
        paths,
        || Below::of(&root),
        |below, path| {
            let document = below.read(&path.on_disk(&root))?.map(Document::parse);
            let entry = |document| match has_code {
                true => CitingEntry::among(path, document, known.as_ref()),
                false => CitingEntry::unlinked(path, &document),
            };
            Ok::<_, fs::Error>(document.map(entry))
        },
    )?;
    let read: Vec<CitingEntry<'_>> = read.into_iter().flatten().collect();
    let judged = all(opened, host, span, &read, None)?;
    cache::sweep_others(opened);
    let entry = |(entry, judged): (CitingEntry<'_>, Judged)| {
        let bytes = entry.bytes.into_owned();
        JudgedEntry { path: entry.path.clone(), judged, bytes }
    };
    Ok(read.into_iter().zip(judged).map(entry).collect())
}

/// Up to how many entries are judged without a look at all paths of the code first.
const FEW: usize = 50;

/// The files that the code has ever had: where the lines of an entry that cites none of them come from need not be found out.
struct CodePaths {
    paths: PastPaths,
    project: String,
}

impl CodePaths {
    fn read(opened: &Opened, host: &Host, span: Span) -> Result<Self, git::Error> {
        let scope = &host.scope;
        let to = match span {
            Span::Now => None,
            Span::Range { to, .. } => Some(to),
        };
        let kept = cache::file_of_paths(opened);
        let paths = PastPaths::read(Some(&kept), scope, scope.head()?.commit(), to)?;
        Ok(Self { paths, project: project_below(&scope.root(), &opened.places.project) })
    }

    fn has(&self, written: &str) -> bool {
        meanings(&self.project, written).iter().any(|path| self.paths.has(path))
    }
}

/// An entry, as far as it matters here.
struct CitingEntry<'e> {
    path: &'e TreePath,
    bytes: Cow<'e, [u8]>,
    /// The lines that cite or name; none if no line cites.
    lines: Vec<CitingLine>,
    /// Whether it says which files it is about.
    has_files: bool,
    verified: Option<Verified>,
}

impl<'e> CitingEntry<'e> {
    fn read(path: &'e TreePath, bytes: &'e [u8]) -> Self {
        Self { bytes: Cow::Borrowed(bytes), ..Self::of(path, &Document::parse(bytes)) }
    }

    /// With the document's bytes, unless it cites none of the `known` files.
    fn among(path: &'e TreePath, document: Document, known: Option<&CodePaths>) -> Self {
        if known.is_some_and(|known| !stale::cites_any(&document, |written| known.has(written))) {
            return Self { has_files: false, ..Self::unlinked(path, &document) };
        }
        let found = Self::of(path, &document);
        Self { bytes: Cow::Owned(document.into_bytes()), ..found }
    }

    /// Without the bytes.
    fn of(path: &'e TreePath, document: &Document) -> Self {
        let mut lines = stale::citing_lines(document);
        if lines.iter().all(|line| line.paths.is_empty()) {
            lines.clear();
        }
        let verified = document.field(VERIFIED).and_then(|value| value.as_str()).and_then(Verified::parse);
        Self { lines, verified, ..Self::unlinked(path, document) }
    }

    /// What it says where none of its lines is compared with the code.
    fn unlinked(path: &'e TreePath, document: &Document) -> Self {
        let has_files = !document.concept().files.is_empty();
        Self { path, bytes: Cow::default(), lines: Vec::new(), has_files, verified: None }
    }

    /// Where the code is not known: an entry that only mentions what may be a file cites nothing.
    fn without_code(&self) -> Option<Freshness> {
        self.has_files.then(Freshness::unknown)
    }
}

fn all(
    opened: &Opened,
    host: Option<Host>,
    span: Span,
    entries: &[CitingEntry<'_>],
    until: Option<Instant>,
) -> Result<Vec<Judged>, Stop> {
    let Some(host) = host else {
        let unknown = |entry: &CitingEntry<'_>| Judged { freshness: entry.without_code(), facts: Vec::new() };
        return Ok(entries.iter().map(unknown).collect());
    };
    let is_over = || until.is_some_and(|until| Instant::now() >= until);
    let citing = entries.iter().filter(|entry| !entry.lines.is_empty()).count();
    let mut history = OriginHistory::new(opened, citing)?;
    let mut origins: Vec<Option<Origins>> = Vec::with_capacity(entries.len());
    for entry in entries {
        let lines: Vec<usize> = entry.lines.iter().map(|line| line.line).collect();
        origins.push(match lines.is_empty() || is_over() {
            true => None,
            false => Some(history.origins(entry.path, &entry.bytes, &lines)?),
        });
    }
    let mut bases = Bases::new(opened, &host)?;
    let project = project_below(&host.scope.root(), &opened.places.project);
    bases.look_up(lookups(entries, &origins, &project), until.is_some())?;
    let (side, tip) = match span {
        Span::Now => (CodeSide::WorkTree, bases.head()),
        Span::Range { to, .. } => {
            bases.keep();
            bases.forget_files();
            (CodeSide::Commit(to), Some(to))
        }
    };
    let code = CodeTree::new(&host.scope, side, tip, project, until.is_some());
    let words = CodeWordReader::new(opened, &host.scope, tip, until);
    let mut judging = StaleJudge {
        code,
        bases,
        span,
        moves: NameMoves::default(),
        words,
        counter: stale::Counter::default(),
    };
    let mut judged = Vec::with_capacity(entries.len());
    for (entry, origins) in entries.iter().zip(&origins) {
        judged.push(match origins {
            Some(origins) if !is_over() => judging.entry(entry, origins),
            _ if entry.lines.is_empty() => Judged::default(),
            _ => Judged { freshness: Some(Freshness::unknown()), facts: Vec::new() },
        });
    }
    if !is_over() {
        judging.name_commits(&mut judged);
    }
    judging.bases.keep();
    Ok(judged)
}

/// What is to be looked up for the lines of entries.
fn lookups(entries: &[CitingEntry<'_>], origins: &[Option<Origins>], project: &str) -> Lookups {
    let mut lookups = Lookups::default();
    for (entry, origins) in entries.iter().zip(origins) {
        entry.verified.iter().for_each(|verified| lookups.verified(verified));
        let paths = entry.lines.iter().flat_map(|line| &line.paths);
        let files: BTreeSet<String> = paths.flat_map(|path| meanings(project, path)).collect();
        let known = origins.iter().flat_map(|origins| origins.values().flatten());
        known.for_each(|origin| lookups.add(origin, &files));
    }
    lookups
}
