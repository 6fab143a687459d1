//! `brv brain --for PATH…`: what is known about files of the code.
//!
//! Entries are found by what they cite, which their digests have, and by the commits of the code that they learned from.
//! Only those that may be shown are read, and their statements weighed.

use crate::brain::sources::{BrainSources, ByEntry};
use crate::brain::{digests, left};
use brv_base::content::{ContentId, fnv};
use brv_base::fs::{self, Durability};
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_engine::open::context::Opened;
use brv_engine::open::hosting::Host;
use brv_engine::open::signals;
use brv_engine::query::search;
use brv_engine::read::history::learned::unmerged::Unmerged;
use brv_engine::read::stale;
use brv_engine::review;
use brv_engine::review::trust::{EntryBytesSource, Trust};
use brv_engine::{Audience, Context, Stop};
use brv_text::brain::for_files::{self, ForFilesRequest, MOST_TOKENS, RelevanceReason, RelevantEntry};
use brv_text::brain::{self, Digest, LastChange, Month, tokens};
use brv_text::doc::Document;
use brv_text::lifecycle;
use brv_text::stale::{Freshness, State};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// How many entries are read, those with the strongest reason first.
const MOST_READ: usize = 60;

/// The longest file that is looked at for what it introduces, in bytes.
const MOST_CODE: u64 = 1 << 20;

/// For how long a session is not shown the same again, in seconds.
const SHOWN_SECONDS: i64 = 30 * 60;

/// How many of the last entries that were shown are remembered.
const MOST_SHOWN: usize = 1_000;

/// `brv.brain.for/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrainFor")]
pub struct Outcome {
    /// The files, relative to the repository of the code.
    pub paths: Vec<String>,
    /// Markdown of at most 800 tokens and nine statements; empty if nothing is known.
    pub document: String,
    /// Its length: a token is four characters.
    pub token_estimate: u64,
    /// The entries in it, in its order.
    pub items: Vec<Item>,
    /// How many entries about the files are left out because nobody here has accepted them.
    pub withheld: usize,
    /// The files that are not there; printed as a warning.
    #[serde(skip)]
    pub absent: Vec<String>,
    /// For an agent: who changed the entries last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<LastChange>>")]
    pub last_changes: Vec<LastChange>,
}

/// An entry that is shown.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrainForItem")]
pub struct Item {
    /// Its path in the tree.
    pub path: TreePath,
    /// Why it is about the files.
    pub why: RelevanceReason,
    /// Its bytes, as git knows them.
    pub blob: ContentId,
    /// Where a statement of it is shown whose commit of the code is on no branch and in no tag: the branch that it was made on;
    /// `null` if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub unmerged: Option<Option<String>>,
}

/// Find what is known about files of the code; a `session` gets each blob once in 30 minutes.
///
/// # Errors
/// A file outside of the repository of the code; the disk or git.
pub fn run(cx: &Context<'_>, files: &[PathBuf], session: Option<&str>) -> Result<Outcome, Stop> {
    let (outcome, shown) = find(cx, files, session)?;
    shown.remember();
    Ok(outcome)
}

/// As [`run`], for callers that may keep the answer from the session: it is shown once they remember that.
///
/// # Errors
/// As [`run`].
pub fn find<'a>(
    cx: &'a Context<'_>,
    files: &[PathBuf],
    session: Option<&str>,
) -> Result<(Outcome, SessionView<'a>), Stop> {
    let opened = cx.keep_open()?;
    let host = Host::of(opened, &cx.cwd)?;
    let root = host.as_ref().map_or(opened.places.project.as_path(), |host| host.scope.work_tree());
    let paths: Vec<String> = files.iter().map(|file| below(root, &cx.cwd, file)).collect::<Result<_, _>>()?;
    let current = digests::current_by(opened, cx.ends_at)?.ok_or_else(super::time_is_up)?;
    let shown = session.map(|session| SessionRecord::read(opened, session, cx.clock.seconds()));
    let project = stale::project_below(root, &opened.places.project);
    let (mut about, mut learned) = (RelatedEntries::new(), ByEntry::new());
    if let Some(host) = &host {
        let mut sources = BrainSources::read(opened, host)?;
        let earlier = sources.earlier_names(opened, host, &paths)?;
        add_cited(&mut about, &current.digests, &forms(&paths, &earlier, &project));
        let names = [&paths[..], &earlier[..]].concat();
        learned = sources.by_entry(|file| names.iter().any(|name| name == file));
        add_sources(&mut about, &current.digests, &learned);
    } else {
        add_cited(&mut about, &current.digests, &forms(&paths, &[], &project));
    }
    let trust = Trust::of(opened);
    let is_withheld = |digest: &Digest| {
        !trust.judge_found(&digest.path, digest.blob, digest.steering, EntryBytesSource::Disk).is_none()
    };
    let mut found: Vec<(&Digest, RelevanceReason)> = about.into_values().collect();
    let all = found.len();
    let withheld_ones = found.iter().filter(|(digest, _)| is_withheld(digest));
    let reviewed: Vec<Digest> =
        withheld_ones.filter_map(|(digest, _)| trust.reviewed_digest(digest)).collect();
    let read_as = |digest| match is_withheld(digest) {
        true => reviewed.iter().find(|one| one.path == digest.path),
        false => Some(digest),
    };
    found = found.into_iter().filter_map(|(digest, why)| Some((read_as(digest)?, why))).collect();
    let withheld = all - found.len();
    if let Some(shown) = &shown {
        leave_shown(cx, opened, shown, &mut found);
    }
    sorting::sort_by_key(&mut found, |(digest, why)| (*why, &digest.path));
    let mut known = read(opened, &found, &mut learned, cx.clock.seconds());
    let unmerged = Unmerged::known(opened, &cx.cwd, cx.clock.seconds());
    let mut left = left::by_path(&unmerged, cx.clock.seconds());
    known.iter_mut().for_each(|one| one.left = left.remove(one.path.as_str()).unwrap_or_default());
    let newest = newest(&current.digests, cx.clock.seconds());
    let code = code(root, &paths);
    let asked = ForFilesRequest { files: &paths, code: &code, newest, budget: MOST_TOKENS };
    let first = for_files::document(&asked, &known);
    judge(cx, opened, &mut known, &first.entries);
    let drawn = for_files::document(&asked, &known);
    let item = |(at, unmerged): (&usize, Option<Option<String>>)| {
        let RelevantEntry { path, why, blob, .. } = &known[*at];
        Item { path: path.clone(), why: *why, blob: *blob, unmerged }
    };
    let items: Vec<Item> = drawn.entries.iter().zip(drawn.unmerged).map(item).collect();
    let told = |at: &usize| (known[*at].blob, mark(known[*at].stale().as_deref()));
    let shown = SessionView { opened, session: shown, told: drawn.entries.iter().map(told).collect() };
    let token_estimate = tokens(&drawn.document);
    let last_changes = match cx.audience {
        Audience::Agent => {
            let shown: Vec<String> = items.iter().map(|item| item.path.to_string()).collect();
            search::grouped(opened, cx.clock, &shown)
        }
        Audience::Terminal | Audience::Headless => Vec::new(),
    };
    let document = drawn.document;
    let is_absent = |path: &&String| root.join(path.as_str()).symlink_metadata().is_err();
    let absent = paths.iter().filter(is_absent).cloned().collect();
    Ok((Outcome { paths, absent, token_estimate, document, items, withheld, last_changes }, shown))
}

/// What a session is shown now.
pub struct SessionView<'a> {
    opened: &'a Opened,
    session: Option<SessionRecord>,
    /// Each entry, with the mark of its freshness line.
    told: Vec<(ContentId, String)>,
}

impl SessionView<'_> {
    /// Remember that the session was shown it.
    pub fn remember(self) {
        if let Some(session) = self.session {
            session.add(self.opened, self.told);
        }
    }
}

/// The texts of the files as they are; none for a file that is too long or not a regular file below the root.
fn code(root: &Path, paths: &[String]) -> Vec<String> {
    let is_short = |file: &Path| {
        let stat = fs::stat(file).ok().flatten();
        stat.is_some_and(|stat| stat.kind == fs::FileKind::Regular && stat.size <= MOST_CODE)
    };
    let read = |path: &String| {
        let file = root.join(path);
        let bytes = is_short(&file).then(|| fs::read_below(root, &file).ok().flatten()).flatten()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    paths.iter().filter_map(read).collect()
}

/// The path of a file relative to the repository of the code. It need not exist.
fn below(root: &Path, cwd: &Path, file: &Path) -> Result<String, Stop> {
    let outside = || {
        let message =
            format!("`{}` is not in the repository of the code, `{}`", file.display(), root.display());
        Stop::usage(message)
    };
    if file.as_os_str().is_empty() {
        return Err(outside());
    }
    let plain = plain(&cwd.join(file));
    // a path may lead there by a link, as /tmp does on some systems
    let real =
        || plain.canonicalize().ok()?.strip_prefix(root.canonicalize().ok()?).ok().map(Path::to_path_buf);
    let inside = plain.strip_prefix(root).map(Path::to_path_buf).ok().or_else(real).ok_or_else(outside)?;
    let parts: Vec<String> =
        inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    Ok(parts.join("/"))
}

/// Without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
        plain
    })
}

/// The entries that are about the files, by path.
type RelatedEntries<'a> = BTreeMap<&'a str, (&'a Digest, RelevanceReason)>;

/// The forms in which an entry may cite a requested file.
struct CitationForm<'p> {
    path: &'p str,
    /// How many bytes of the file's path it leaves out: the project's folder in the repository of the code.
    left_out: usize,
    /// Whether the file was called so before.
    is_earlier: bool,
}

/// The ways to write each file: below the repository of the code, or below the project, a folder of it.
fn forms<'p>(paths: &'p [String], earlier: &'p [String], project: &str) -> Vec<Vec<CitationForm<'p>>> {
    let forms = |path: &'p String, is_earlier: bool| {
        let above_project =
            !path.is_empty() && project.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'));
        let short = match path.strip_prefix(project) {
            Some(_) if project.is_empty() => None,
            Some(short) => Some(short),
            None => above_project.then_some(""),
        };
        let whole = CitationForm { path, left_out: 0, is_earlier };
        let short =
            short.map(|short| CitationForm { path: short, left_out: path.len() - short.len(), is_earlier });
        std::iter::once(whole).chain(short).collect()
    };
    paths.iter().map(|path| forms(path, false)).chain(earlier.iter().map(|path| forms(path, true))).collect()
}

/// Add those that cite the files. Of the folders above a file, the nearest that any entry cites counts; a requested
/// folder is cited by entries that cite something in it.
fn add_cited<'a>(about: &mut RelatedEntries<'a>, digests: &'a [Digest], files: &[Vec<CitationForm<'_>>]) {
    let living =
        |digest: &&Digest| digest.entry().is_some_and(|entry| !entry.is_retired() && !entry.cites.is_empty());
    let is_inside = |inner: &str, outer: &str| {
        outer.is_empty() || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
    };
    for forms in files {
        let mut above: Vec<(&Digest, usize)> = Vec::new();
        for digest in digests.iter().filter(living) {
            let cites = || digest.entry().map_or("", |entry| &entry.cites).lines();
            let is_cited = |form: &CitationForm<'_>| {
                cites().any(|cited| cited == form.path || is_inside(cited, form.path))
            };
            let nearest = |form: &CitationForm<'_>| {
                let folders = cites().filter(|cited| is_inside(form.path, cited));
                folders.map(|cited| cited.len() + form.left_out).max()
            };
            if forms.iter().any(is_cited) {
                about.insert(&digest.path, (digest, RelevanceReason::CitesFile));
            } else if let Some(length) =
                forms.iter().filter(|form| !form.is_earlier).filter_map(nearest).max()
            {
                above.push((digest, length));
            }
        }
        let nearest = above.iter().map(|(_, length)| *length).max();
        for (digest, length) in above {
            if Some(length) == nearest {
                about.entry(&digest.path).or_insert((digest, RelevanceReason::CitesFolder));
            }
        }
    }
}

/// Add those that learned from a commit that changed one of the files.
fn add_sources<'a>(about: &mut RelatedEntries<'a>, digests: &'a [Digest], learned: &ByEntry) {
    let is_about = |path: &str| learned.get(path).is_some_and(|all| all.iter().any(|one| one.is_about));
    let is_living = |digest: &&Digest| digest.entry().is_some_and(|entry| !entry.is_retired());
    for digest in digests.iter().filter(is_living).filter(|digest| is_about(&digest.path)) {
        let known = about.entry(&digest.path).or_insert((digest, RelevanceReason::SourceCommit));
        known.1 = known.1.min(RelevanceReason::SourceCommit);
    }
}

/// The newest month of the tree.
fn newest(digests: &[Digest], now: i64) -> Month {
    let entries = digests.iter().filter_map(Digest::entry);
    brain::newest(entries.map(|entry| (entry, entry.changed)), now)
}

fn read(
    opened: &Opened,
    found: &[(&Digest, RelevanceReason)],
    learned: &mut ByEntry,
    now: i64,
) -> Vec<RelevantEntry> {
    let marks = review::marks(opened);
    let mut known = |(digest, why): &(&Digest, RelevanceReason), importance: f64| {
        let (path, bytes) = digests::read(opened, digest)?;
        let changed = digest.entry()?.changed.unwrap_or(now).min(now);
        Some(RelevantEntry {
            blob: digest.blob,
            why: *why,
            document: Document::parse(bytes),
            changed: Month::of_time(changed),
            importance: brain::importance(importance),
            learned: learned.remove(path.as_str()).unwrap_or_default(),
            freshness: None,
            pending: marks.get(path.as_str()).cloned().unwrap_or_default(),
            left: Vec::new(),
            path,
        })
    };
    let importance = signals::with_signals(opened, now, &|look| {
        let of = |(digest, _): &(&Digest, RelevanceReason)| {
            let signal = look(&TreePath::parse(digest.path.as_bytes()).ok()?)?;
            Some(signal.importance)
        };
        found.iter().take(MOST_READ).map(|one| of(one).unwrap_or(lifecycle::START)).collect::<Vec<f64>>()
    });
    found.iter().zip(importance).filter_map(|(one, importance)| known(one, importance)).collect()
}

/// Look what the code did to those that are shown.
fn judge(cx: &Context<'_>, opened: &Opened, known: &mut [RelevantEntry], shown: &[usize]) {
    let entries: Vec<(&TreePath, &[u8])> =
        shown.iter().map(|at| (&known[*at].path, known[*at].document.as_bytes())).collect();
    let found = stale::of(opened, &cx.cwd, &entries, stale::soon(cx.clock));
    for (at, freshness) in shown.iter().zip(found) {
        known[*at].freshness = freshness;
    }
}

/// Leave out what the session was shown, unless the code changed since.
fn leave_shown(
    cx: &Context<'_>,
    opened: &Opened,
    shown: &SessionRecord,
    found: &mut Vec<(&Digest, RelevanceReason)>,
) {
    let is_shown = |digest: &Digest| shown.said(digest.blob).is_some();
    let paths = found.iter().map(|(digest, _)| *digest).filter(|digest| is_shown(digest));
    let paths: Vec<&str> = paths.map(|digest| digest.path.as_str()).collect();
    let now = stale::of_files(opened, &cx.cwd, paths.iter().copied(), stale::soon(cx.clock));
    let now: BTreeMap<&str, Option<Freshness>> = paths.into_iter().zip(now).collect();
    found.retain(|(digest, _)| match (shown.said(digest.blob), now.get(digest.path.as_str())) {
        (Some(said), Some(Some(now))) => now.state != State::Unknown && said != mark(now.line().as_deref()),
        (said, _) => said.is_none(),
    });
}

/// The mark of the line of a stale entry: short, and without a space.
fn mark(line: Option<&str>) -> String {
    line.map_or_else(|| "-".to_owned(), |line| format!("{:016x}", fnv(line.bytes())))
}

/// What a session was shown lately: a line for each entry, `<seconds since 1970> <id of the session> <blob> <mark of what was
/// said of its code>`.
struct SessionRecord {
    id: String,
    now: i64,
    lines: Vec<String>,
}

impl SessionRecord {
    fn file(opened: &Opened) -> PathBuf {
        digests::folder(opened).join("shown")
    }

    /// If it cannot be read, nothing was shown.
    fn read(opened: &Opened, session: &str, now: i64) -> Self {
        let bytes = fs::read_shipped(&Self::file(opened), fs::Form::Table).ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let is_young = |line: &&str| {
            let time = line.split(' ').next().and_then(|time| time.parse::<i64>().ok());
            time.is_some_and(|time| (0..SHOWN_SECONDS).contains(&(now - time)))
        };
        let lines = text.lines().filter(is_young).map(ToOwned::to_owned).collect();
        Self { id: ContentId::of(session.as_bytes()).to_string(), now, lines }
    }

    /// The mark of the last line shown with a blob; `None` if it was not shown.
    fn said(&self, blob: ContentId) -> Option<&str> {
        let part = format!(" {} {blob} ", self.id);
        self.lines.iter().rev().find_map(|line| Some(line.split_once(&part)?.1))
    }

    /// Remember what is shown now. That it cannot be written only means that it may be shown again.
    fn add(mut self, opened: &Opened, told: Vec<(ContentId, String)>) {
        let before = self.lines.len();
        let line = |(blob, mark)| format!("{} {} {blob} {mark}", self.now, self.id);
        let new: Vec<String> = told.into_iter().map(line).collect();
        self.lines.extend(new);
        if self.lines.len() > before {
            let lines = &self.lines[self.lines.len().saturating_sub(MOST_SHOWN)..];
            let text = lines.join("\n") + "\n";
            let _ = fs::replace(&Self::file(opened), text.as_bytes(), Durability::Later);
        }
    }
}
