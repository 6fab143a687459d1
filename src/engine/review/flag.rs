//! One change that an operation marked for a person to review, as its commit or its record says it.

use crate::Stop;
use crate::journal::{Note, OperationId, Record};
use crate::read::history::provenance::{ACTOR, DREAM, Provenance, SESSION, Trailers};
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::trees;
use brv_git::{CommitId, Converter, FileMode, Scope, TreeId, Version};
use bstr::{BStr, BString, ByteSlice as _};
use std::rc::Rc;

/// What the change of a version that came from elsewhere begins with.
pub(super) const FOREIGN: &str = "foreign ";

/// The change of a version that came from elsewhere: wherever it stands, and however it came.
pub fn foreign_change(blob: ContentId) -> String {
    format!("{FOREIGN}{blob}")
}

/// How many hexadecimal digits name a change.
const DIGITS: usize = 10;

/// A path that an operation changed and marked for review.
#[derive(Debug, Clone)]
pub struct Flag {
    /// The same on every clone, and after a rebase: made of the operation and the path.
    pub id: String,
    /// The operation; `None` if its commit names none.
    pub operation: Option<OperationId>,
    /// The dream that the operation was.
    pub dream: Option<String>,
    /// Relative to the tree.
    pub path: BString,
    /// Why to review it, a word each.
    pub why: Vec<String>,
    /// Who acted: the agent, else the author.
    pub actor: String,
    /// The agent and the session that the operation names.
    pub named: [Option<String>; 2],
    /// The commit; `None` if none was made.
    pub commit: Option<CommitId>,
    /// When, in seconds since 1970.
    pub seconds: i64,
    /// The trees before and after the operation.
    pub sides: [TreeId; 2],
    /// The versions of the path there.
    pub versions: [Option<Version>; 2],
    /// What the operation says about all of its paths.
    pub said: Rc<OperationAccount>,
    /// Whether no operation marked it: it came from elsewhere, and may steer an agent.
    pub is_foreign: bool,
}

/// What an operation says about its paths.
#[derive(Debug, Default)]
pub struct OperationAccount {
    trailers: Trailers,
    notes: Vec<Note>,
    /// The lines `- VERB path: reason` of the commit: verb and path.
    acts: Vec<(String, String)>,
}

impl OperationAccount {
    /// The reason for a path.
    pub fn reason(&self, path: &BStr) -> String {
        let noted = self.notes.iter().find(|note| note.path == path).map(|note| note.reason.clone());
        noted.or_else(|| self.trailers.reason(&path.to_str_lossy())).unwrap_or_default()
    }

    /// What was done to a path, or to the folder that it was in.
    pub fn verb(&self, path: &BStr) -> Option<&str> {
        let path = path.to_str_lossy();
        let is_above = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let own = self.acts.iter().rev().find(|(_, of)| *of == path);
        let found = own.or_else(|| self.acts.iter().rev().find(|(_, of)| is_above(of)));
        found.map(|(verb, _)| verb.as_str())
    }

    /// Whether an operation was about this path itself, and did not change it along with another one.
    pub fn is_about(&self, path: &BStr) -> bool {
        self.acts.iter().any(|(_, of)| of.as_bytes() == path.as_bytes())
    }
}

impl Flag {
    /// The flags of a commit, in the order of their trailers.
    pub fn of_commit(scope: &Scope, commit: &Commit) -> Result<Vec<Self>, git::Error> {
        let trailers = Trailers::of(&commit.message);
        let reviews: Vec<String> = trailers.reviews().map(ToOwned::to_owned).collect();
        if reviews.is_empty() {
            return Ok(Vec::new());
        }
        let before = match commit.parents.first() {
            // where a shallow history ends, the parent is not here
            Some(parent) => scope.tree_of(*parent).unwrap_or_else(|_| TreeId::empty()),
            None => TreeId::empty(),
        };
        let sides = [before, scope.tree_of(commit.id)?];
        let operation = trailers.operation();
        let name = operation.as_ref().map_or_else(|| commit.id.to_string(), ToString::to_string);
        let get = |key| trailers.get(key).map(ToOwned::to_owned);
        let (named, dream) = ([get(ACTOR), get(SESSION)], get(DREAM));
        let said = Rc::new(OperationAccount { notes: Vec::new(), acts: acts(&commit.message), trailers });
        let flag = |text: &String| {
            let (path, why) = split(text, |path| is_changed(scope, sides, path))?;
            Ok(Self {
                id: id(&name, path),
                operation: operation.clone(),
                dream: dream.clone(),
                path: path.into(),
                why: words(why),
                actor: Provenance::of(commit, None)
                    .source_author
                    .or_else(|| named[0].clone())
                    .unwrap_or_else(|| commit.author.to_string()),
                named: named.clone(),
                commit: Some(commit.id),
                seconds: commit.author.seconds,
                sides,
                versions: versions(scope, sides, path.into())?,
                said: Rc::clone(&said),
                is_foreign: false,
            })
        };
        reviews.iter().map(flag).collect()
    }

    /// The flags of an operation that made no commit.
    pub fn of_record(scope: &Scope, record: &Record) -> Result<Vec<Self>, git::Error> {
        if record.notes.iter().all(|note| note.review.is_none()) {
            return Ok(Vec::new());
        }
        let sides = [scope.tree_of(record.before)?, scope.tree_of(record.after)?];
        let said = Rc::new(OperationAccount { notes: record.notes.clone(), ..OperationAccount::default() });
        let text = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let flag = |note: &Note| {
            let why = note.review.as_ref()?;
            let made = || {
                Ok(Self {
                    id: id(&record.id.to_string(), &note.path.to_str_lossy()),
                    operation: Some(record.id.clone()),
                    dream: None,
                    path: note.path.clone(),
                    why: words(why),
                    actor: record.actor.clone(),
                    named: [text(&record.actor), record.session.clone()],
                    commit: None,
                    seconds: record.seconds,
                    sides,
                    versions: versions(scope, sides, note.path.as_bstr())?,
                    said: Rc::clone(&said),
                    is_foreign: false,
                })
            };
            Some(made())
        };
        record.notes.iter().filter_map(flag).collect()
    }

    /// A flag for a version of a path that came from elsewhere. `origin` is who brought it, with the commit and its
    /// time; without one nobody committed it here.
    pub fn foreign(
        scope: &Scope,
        (path, blob): (&TreePath, ContentId),
        why: Vec<String>,
        origin: Option<(String, Commit)>,
    ) -> Result<Self, git::Error> {
        let path_bytes: BString = path.as_bytes().into();
        let (actor, commit) = origin.unzip();
        let (mut sides, mut before) = ([TreeId::empty(); 2], None);
        if let Some(commit) = &commit {
            let parent = commit.parents.first().and_then(|parent| scope.tree_of(*parent).ok());
            sides = [parent.unwrap_or_else(TreeId::empty), commit.tree];
            before = trees::file(scope, sides[0], path_bytes.as_bstr())?;
        }
        Ok(Self {
            id: id(&foreign_change(blob), path.as_str()),
            operation: None,
            dream: None,
            path: path_bytes,
            why,
            actor: actor.unwrap_or_default(),
            named: [None, None],
            seconds: commit.as_ref().map_or(0, |commit| commit.author.seconds),
            commit: commit.map(|commit| commit.id),
            sides,
            versions: [before, Some(Version { mode: FileMode::Regular, id: blob })],
            said: Rc::default(),
            is_foreign: true,
        })
    }

    /// What the operation did to the path, whatever it is called: the same change, made or committed again, has the same
    /// name.
    pub fn change(&self) -> String {
        if let ([_, Some(version)], true) = (self.versions, self.is_foreign) {
            return foreign_change(version.id);
        }
        let [before, after] = self.versions.map(|version| version.map(|version| version.id.to_string()));
        let [before, after] = [before, after].map(Option::unwrap_or_default);
        ContentId::of(format!("{}\0{before}\0{after}", self.path).as_bytes()).to_string()
    }

    /// Whether a version of a path that the operation changed is the one from before it.
    pub fn is_as_before(&self, scope: &Scope, path: &BStr, now: Option<Version>) -> Result<bool, git::Error> {
        let id = |version: Option<Version>| version.map(|version| version.id);
        let [before, after] = versions(scope, self.sides, path)?.map(id);
        Ok(before != after && id(now) == before)
    }

    pub fn reason(&self) -> String {
        self.said.reason(self.path.as_bstr())
    }

    pub fn says(&self, why: &str) -> bool {
        self.why.iter().any(|word| word == why)
    }
}

fn id(name: &str, path: &str) -> String {
    let mut id = ContentId::of(format!("{name}\0{path}").as_bytes()).to_string();
    id.truncate(DIGITS);
    id
}

fn words(why: &str) -> Vec<String> {
    why.split(", ").map(str::trim).filter(|word| !word.is_empty()).map(ToOwned::to_owned).collect()
}

/// `<path> <why>`: a path ends behind its `.md`, and may have blanks, even ` .md `; then the one that was changed is meant.
fn split(
    text: &str,
    is_changed: impl Fn(&str) -> Result<bool, git::Error>,
) -> Result<(&str, &str), git::Error> {
    let ends = text.match_indices(".md ").map(|(at, _)| at + ".md".len());
    let whole = text.ends_with(".md").then_some(text.len());
    let ends: Vec<usize> = ends.chain(whole).collect();
    for end in &ends {
        if is_changed(&text[..*end])? {
            return Ok((&text[..*end], &text[*end..]));
        }
    }
    let end = ends.first().copied().or_else(|| text.find(' ')).unwrap_or(text.len());
    Ok((&text[..end], &text[end..]))
}

fn is_changed(scope: &Scope, sides: [TreeId; 2], path: &str) -> Result<bool, git::Error> {
    let [before, after] = versions(scope, sides, path.into())?;
    Ok(before != after)
}

fn versions(
    scope: &Scope,
    [before, after]: [TreeId; 2],
    path: &BStr,
) -> Result<[Option<Version>; 2], git::Error> {
    Ok([trees::file(scope, before, path)?, trees::file(scope, after, path)?])
}

/// The id of a file's bytes on disk; `None` if there is none.
pub fn on_disk(scope: &Scope, path: &BStr) -> Result<Option<ContentId>, Stop> {
    let root = scope.root();
    let Ok(file) = TreePath::parse(path.as_bytes()) else { return Ok(None) };
    let Some(bytes) = fs::read_below(&root, &file.on_disk(&root))? else { return Ok(None) };
    let bytes = Converter::of(scope).to_git(path, bytes.into())?.into_owned();
    Ok(Some(ContentId::of(&bytes)))
}

/// The lines `- VERB path: reason` of a message.
fn acts(message: &BString) -> Vec<(String, String)> {
    let text = message.to_str_lossy();
    let act = |line: &str| {
        let (verb, rest) = line.strip_prefix("- ")?.split_once(' ')?;
        let is_verb = verb.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        let (path, _) = rest.split_once(": ")?;
        is_verb.then(|| (verb.to_owned(), path.to_owned()))
    };
    text.lines().filter_map(act).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_blanks_ends_where_a_changed_file_does() {
        let split = |text, changed: &str| {
            let (path, why) = split(text, |path| Ok(path == changed)).unwrap();
            (path.to_owned(), words(why))
        };
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(split("a/b.md deleted, core", ""), ("a/b.md".into(), words(&["deleted", "core"])));
        assert_eq!(split("a/x.md y.md merged", "a/x.md y.md"), ("a/x.md y.md".into(), words(&["merged"])));
        assert_eq!(split("a/x.md", "a/x.md"), ("a/x.md".into(), words(&[])));
        assert_eq!(split("brv.yaml deleted", ""), ("brv.yaml".into(), words(&["deleted"])));
    }

    #[test]
    fn what_a_commit_did_to_a_path_is_read_from_its_body() {
        let acts = acts(&"s\n\n- MERGE a/b.md: same: really\n- DELETE a/c: all\n- no verb: here\n".into());
        let said = OperationAccount { acts, ..OperationAccount::default() };
        assert_eq!(said.verb("a/b.md".into()), Some("MERGE"));
        assert_eq!(said.verb("a/c/d.md".into()), Some("DELETE"));
        assert_eq!(said.verb("a/cd.md".into()), None);
        assert!(said.is_about("a/b.md".into()) && !said.is_about("a/c/d.md".into()));
    }
}
