//! The bounded loop of a model with tools, and what the tools answer.

use super::library::Library;
use brv_base::path::TreePath;
use brv_engine::agents::model::fence::fenced;
use brv_engine::agents::model::{Answer, Call, Error, Model, Request, Turn};
use brv_engine::open::naming::resolve::{self, Named};
use brv_engine::query::consult::{
    MOST_AT_ONCE, MOST_CALLS, MOST_OF_RESULT, MOST_SHOWN, ModelVerdict, Shown, ToolAction, Worth,
};
use brv_engine::query::search::Wanted;
use brv_engine::query::{self, MOST_OF_ENTRY, QueryStep, cut_to};
use brv_engine::read::history::source::Reading;
use brv_engine::read::links::references::{LinkTarget, Places};
use brv_git as git;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long all of it may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often an unreadable object is requested again.
const REPAIRS: usize = 2;

/// How many hits a search shows, and how many rows a list has.
const HITS: usize = 8;
const ROWS: usize = 100;

/// What a model reads that has seen enough.
const ENOUGH: &str = "No more can be read: answer now, with the JSON object.";

/// A model that looks for an answer.
pub(super) struct Agent<'l, 'a, 's> {
    pub library: &'l mut Library<'a, 's>,
    pub model: &'l mut Model,
    pub shown: Shown,
    pub steps: Vec<QueryStep>,
}

impl Agent<'_, '_, '_> {
    /// Ask, and run what the model calls, until it ends with its verdict.
    pub fn look(&mut self, mut request: Request) -> Result<Worth, Error> {
        self.model.end_by(Instant::now() + PATIENCE);
        let (mut repairs, mut room) = (0, MOST_SHOWN);
        for left in (0..MOST_CALLS).rev() {
            if git::interrupt().load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            let answer = self.model.ask(&request)?;
            if answer.calls.is_empty() {
                let verdict = answer.object().and_then(|value| ModelVerdict::read(&value, self.shown.len()));
                let why = match verdict {
                    Ok(verdict) => return Ok(verdict.worth()),
                    Err(why) if repairs == REPAIRS => return Err(Error::Invalid(why)),
                    Err(why) => why,
                };
                repairs += 1;
                self.model.count_repair();
                let again =
                    format!("This answer cannot be used: {why}\nCall a tool, or give the JSON object only.");
                request.turns.extend([Turn::Model(answer), Turn::User(again)]);
                continue;
            }
            let results = self.results(&answer, left, &mut room);
            request.turns.extend([Turn::Model(answer), Turn::Results(results)]);
        }
        Err(Error::Invalid(format!("it found no end in {MOST_CALLS} steps")))
    }

    /// The results of all calls of an answer, in their order.
    fn results(&mut self, answer: &Answer, left: usize, room: &mut usize) -> Vec<String> {
        let mut results = Vec::new();
        for (number, call) in answer.calls.iter().enumerate() {
            if number >= MOST_AT_ONCE {
                results.push(format!("error: at most {MOST_AT_ONCE} calls at once are run: call it again"));
                continue;
            }
            let is_enough = left == 0 || self.steps.len() == MOST_CALLS || *room == 0;
            if is_enough {
                results.push(ENOUGH.to_owned());
                continue;
            }
            let begun = Instant::now();
            let mut result = match ToolAction::of(call) {
                Ok(action) => self.run(&action).unwrap_or_else(|why| format!("error: {why}")),
                Err(why) => format!("error: {why}"),
            };
            *room = room.saturating_sub(result.chars().count());
            if left == 1 || *room == 0 {
                let _ = write!(result, "\n{ENOUGH}");
            }
            self.note(call, begun);
            results.push(result);
        }
        results
    }

    fn note(&mut self, call: &Call, begun: Instant) {
        let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.steps.push(QueryStep { tool: call.tool.clone(), arguments: call.arguments.clone(), ms });
    }

    fn run(&mut self, action: &ToolAction) -> Result<String, String> {
        match action {
            ToolAction::Search { text, folder } => self.search(text, folder.as_deref()),
            ToolAction::Read { path, line } => self.read(path, *line),
            ToolAction::List { folder } => self.list(folder),
            ToolAction::Links { path } => self.links(path),
        }
    }

    fn search(&mut self, text: &str, folder: Option<&str>) -> Result<String, String> {
        let scope = match folder.map(|folder| folder.trim_matches('/')).filter(|folder| !folder.is_empty()) {
            None => self.library.scope.clone(),
            Some(folder) => Some(self.folder(folder)?),
        };
        let wanted = Wanted {
            text,
            limit: HITS,
            scope: scope.as_deref(),
            folders: false,
            each: brv_search::Each::File,
            now: self.library.now,
        };
        let hits = self.library.sought.find(&wanted).map_err(|stop| stop.message)?;
        let (mut results, mut room) = (Vec::new(), MOST_OF_RESULT);
        for hit in &hits.found.hits {
            let Some(entry) = self.library.entry(&hit.path) else { continue };
            let lines = query::lines(&entry.document, &hits.found.weights, MOST_OF_ENTRY);
            let Some(lines) = lines else { continue };
            let piece = entry.piece((lines.line, lines.text), &hit.words, (hit.score, hit.relevance));
            let number = self.shown.add(piece);
            let text = self.shown.text(number);
            let Some(rest) = room.checked_sub(text.chars().count()) else { break };
            room = rest;
            results.push(text);
        }
        Ok(if results.is_empty() { "Nothing matches.".to_owned() } else { results.join("\n") })
    }

    fn read(&mut self, typed: &str, line: usize) -> Result<String, String> {
        let path = self.file(typed)?;
        let entry = self.library.entry(&path).ok_or_else(|| unread(typed))?;
        let first = line.max(entry.document.line_of_body(0));
        let lines = entry.document.text().lines().skip(first - 1);
        let (mut text, mut next) = (String::new(), first);
        for one in lines {
            if text.chars().count() + one.chars().count() > MOST_OF_RESULT && !text.is_empty() {
                break;
            }
            text.push_str(one);
            text.push('\n');
            next += 1;
        }
        if text.trim().is_empty() {
            return Ok("Nothing is there.".to_owned());
        }
        let has_more = entry.document.text().lines().nth(next - 1).is_some();
        let number =
            self.shown.add(entry.piece((first, cut_to(text.trim_end(), MOST_OF_RESULT)), &[], (0.0, 0.0)));
        let more = if has_more { format!("\nMore follows from line {next} on.\n") } else { String::new() };
        Ok(self.shown.text(number) + &more)
    }

    fn list(&mut self, typed: &str) -> Result<String, String> {
        let typed = typed.trim_matches('/');
        let folder = match typed.is_empty() {
            true => self.library.scope.clone().unwrap_or_default(),
            false => self.folder(typed)?,
        };
        let inside = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut files = Vec::new();
        for path in self.library.sought.paths() {
            let Some(rest) = path.as_str().strip_prefix(&inside) else { continue };
            match rest.split_once('/') {
                Some((name, _)) if !path.kind().is_curated() || name.is_empty() => {}
                Some((name, _)) => *counts.entry(format!("{inside}{name}/")).or_default() += 1,
                None => files.push(path),
            }
        }
        let mut rows: Vec<String> =
            counts.into_iter().map(|(folder, count)| format!("{folder}  {count} files")).collect();
        let more = (rows.len() + files.len()).saturating_sub(ROWS);
        rows.truncate(ROWS);
        let room = ROWS - rows.len();
        for path in files.into_iter().take(room) {
            let Some(entry) = self.library.entry(&path) else { continue };
            rows.push(format!("{path}  {}", cut_to(&entry.title(), 120)));
        }
        if more > 0 {
            rows.push(format!("… and {more} more: search in this folder"));
        }
        Ok(fenced("What is in the folder", &bounded(rows)))
    }

    fn links(&mut self, typed: &str) -> Result<String, String> {
        let path = self.file(typed)?;
        let entry = self.library.entry(&path).ok_or_else(|| unread(typed))?;
        let (root, paths) = (self.library.opened.scope.root(), self.library.sought.paths());
        let references = Places::of(&root, &paths).references(&path, &entry.document);
        let outgoing = references.map_err(|error| error.to_string())?.into_iter();
        let outgoing = outgoing.filter_map(|reference| match reference.target.subject() {
            LinkTarget::Entry(path) => TreePath::parse(path.as_bytes()).ok(),
            LinkTarget::Folder(folder) => TreePath::parse(format!("{folder}/context.md").as_bytes()).ok(),
            _ => None,
        });
        let incoming = self.library.sought.linking(path.as_str()).into_iter().filter(|from| *from != path);
        let mut all: Vec<(&str, TreePath)> = Vec::new();
        for link in outgoing.map(|to| ("links to", to)).chain(incoming.map(|from| ("linked from", from))) {
            if all.len() < ROWS && !all.contains(&link) {
                all.push(link);
            }
        }
        let mut rows = Vec::new();
        for (way, path) in all {
            let Some(entry) = self.library.entry(&path) else { continue };
            rows.push(format!("{way} {path}  {}", cut_to(&entry.title(), 120)));
        }
        Ok(match rows.is_empty() {
            true => "It has no links.".to_owned(),
            false => fenced("The links of the entry", &bounded(rows)),
        })
    }

    /// The file that is searched and called so.
    fn file(&self, typed: &str) -> Result<TreePath, String> {
        let paths = self.library.sought.paths();
        let is_here =
            |path: &TreePath| paths.binary_search(path).is_ok() && self.library.is_inside(path.as_str());
        let reading = Reading::on_disk(self.library.opened.scope.root());
        let named = reading.named(typed.trim_matches('/')).ok().flatten();
        let path = match named {
            Some(Named::File(path) | Named::Abstract(path) | Named::Overview(path)) => Some(path),
            Some(Named::Folder(folder)) if !folder.is_empty() => {
                TreePath::parse(format!("{folder}/context.md").as_bytes()).ok()
            }
            _ => None,
        };
        path.filter(is_here).ok_or_else(|| {
            let inside = paths.iter().map(TreePath::as_str).filter(|path| self.library.is_inside(path));
            absent(typed, &resolve::meant(typed, inside))
        })
    }

    fn folder(&self, typed: &str) -> Result<String, String> {
        let named = self.library.sought.folder_named(typed, true);
        named.filter(|folder| self.library.is_inside(folder)).ok_or_else(|| absent(typed, &[]))
    }
}

fn absent(typed: &str, nearest: &[String]) -> String {
    let why = format!("`{}` is not there", cut_to(typed, 200));
    match nearest.is_empty() {
        true => why,
        false => fenced(&format!("{why}; near to it:"), &nearest.join("\n")),
    }
}

fn unread(typed: &str) -> String {
    format!("`{}` cannot be read", cut_to(typed, 200))
}

/// Rows within the bounds of a result.
fn bounded(rows: Vec<String>) -> String {
    let mut room = MOST_OF_RESULT;
    let fitting = rows.into_iter().take_while(|row| {
        let rest = room.checked_sub(row.chars().count() + 1);
        room = rest.unwrap_or_default();
        rest.is_some()
    });
    fitting.collect::<Vec<_>>().join("\n")
}
