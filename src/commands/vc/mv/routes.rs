//! Where each file moves, by git's rules, and why one cannot.
//!
//! Looks at disk and index; knows nothing of links and writes nothing.

use super::NameClashPolicy;
use brv_base::escape::{escape_line, quote_path};
use brv_base::fs::{self, FileKind, FileStat};
use brv_base::path::{PathKind, TreePath, Unportable, kind_of};
use brv_engine::Stop;
use brv_engine::open::survey::Survey;
use brv_engine::outcome::bytes::Bytes;
use brv_engine::outcome::json::shown;
use brv_engine::write::policy::case_collisions::Spellings;
use brv_engine::write::policy::incoming;
use brv_git::Scope;
use brv_git::switch::{Admission, Content};
use bstr::{BStr, BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A given path, and its new path.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Route")]
pub struct MoveRoute {
    #[serde(serialize_with = "shown")]
    #[schemars(with = "Bytes")]
    pub from: BString,
    #[serde(serialize_with = "shown")]
    #[schemars(with = "Bytes")]
    pub to: BString,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// A path that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Skipped")]
pub struct SkippedPath {
    #[serde(skip)]
    pub route: MoveRoute,
    /// The path.
    // one in the folder, or the source itself
    #[serde(serialize_with = "shown")]
    #[schemars(with = "Bytes")]
    pub path: BString,
    #[serde(flatten)]
    pub why: MoveObstacle,
}

impl SkippedPath {
    /// The path that cannot move, and why.
    pub fn sentence(&self) -> String {
        let colon = if self.why.is_sentence { ":" } else { "" };
        format!("`{}`{colon} {}", escape_line(&self.path), self.why.reason)
    }
}

/// Why a source cannot be moved.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct MoveObstacle {
    /// Why it was skipped.
    pub reason: String,
    /// Whether the reason is a sentence of its own, not said of the path.
    #[serde(skip)]
    is_sentence: bool,
    /// Whether the command line is wrong, rather than something in the way.
    #[serde(skip)]
    pub is_mistaken: bool,
    /// What may help.
    #[serde(skip)]
    pub hint: Option<String>,
}

impl MoveObstacle {
    /// Something in the way.
    fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_sentence: false, is_mistaken: false, hint: None }
    }

    /// Something in the way, said in a sentence of its own.
    fn sentence(reason: String) -> Self {
        Self { is_sentence: true, ..Self::new(reason) }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// A command line that is wrong.
    fn mistaken(reason: &str) -> Self {
        Self { is_mistaken: true, ..Self::new(reason) }
    }

    fn untracked(path: &BString) -> Self {
        let force = if kind_of(&path.to_str_lossy()) == PathKind::Foreign { "-f " } else { "" };
        Self::mistaken("is not tracked")
            .hint(format!("stage it with `brv vc add {force}{}`", quote_path(path)))
    }

    fn exists(route: &MoveRoute) -> Self {
        let why = Self::sentence(format!("`{}` already exists", route.to));
        match route.is_folder {
            true => why,
            false => why.hint("overwrite it with `--force`; the operation keeps its content"),
        }
    }

    /// It is in conflict, or what it would replace is.
    fn in_conflict() -> Self {
        Self::new("is in conflict").hint("`brv vc resolve --list` lists the conflicts")
    }

    /// Two sources have the same new name, or one is named twice.
    fn twice(to: &BString) -> Self {
        let reason = format!("is named twice, or another source moves to `{to}`");
        Self { is_sentence: true, ..Self::mistaken(&reason) }
    }
}

impl From<Unportable> for MoveObstacle {
    fn from(why: Unportable) -> Self {
        Self::new(format!("its new path {why}"))
    }
}

/// What is moved, and what is not.
#[derive(Debug, Default)]
pub struct MovePlan {
    /// The sources as named, in order.
    pub routes: Vec<MoveRoute>,
    /// Each file, old to new path; includes untracked files.
    pub files: BTreeMap<BString, BString>,
    pub overwritten: BTreeSet<BString>,
    /// Files of moved folders that are left behind.
    pub left_behind: Vec<BString>,
    /// Sources that cannot be moved.
    pub refused: Vec<SkippedPath>,
}

/// The state of disk and index that a plan is made from.
pub struct MoveContext<'a> {
    pub scope: &'a Scope,
    pub survey: &'a Survey,
    /// What to do about a file at the new name.
    pub standing: NameClashPolicy,
}

impl MoveContext<'_> {
    /// Plan the move of each of `sources` to `target`; `is_folder` if that was typed with a trailing slash.
    pub fn plan<'s>(
        &self,
        sources: impl ExactSizeIterator<Item = &'s BStr>,
        target: &BStr,
        is_folder: bool,
    ) -> Result<MovePlan, Stop> {
        let mut plan = MovePlan::default();
        let is_one = sources.len() == 1;
        let at_target = self.stat(target)?;
        for source in sources {
            let here = self.stat(source)?;
            // a case-insensitive disk shows the source itself under its new name
            let is_itself = is_one && is_same(source, here, target, at_target);
            let is_into = at_target.is_some_and(|stat| stat.kind == FileKind::Folder) && !is_itself;
            if !is_into && !is_one {
                let stop = Stop::usage(format!("`{target}` is not a folder"));
                return Err(stop.hint("to move several files, name an existing folder"));
            }
            let to = if is_into { joined(target, base(source)) } else { target.to_owned() };
            let is_a_folder = here.is_some_and(|stat| stat.kind == FileKind::Folder);
            let route = MoveRoute { from: source.to_owned(), to, is_folder: is_a_folder };
            let found = match is_folder && !is_into && !is_a_folder {
                true => {
                    let why = MoveObstacle::mistaken("the destination folder does not exist");
                    Err((source.to_owned(), why.hint("name the new file; its folder is created")))
                }
                false => self.files(&route, here, &plan)?,
            };
            match found {
                Ok(found) => {
                    plan.files.extend(found.files);
                    plan.overwritten.extend(found.overwritten);
                    plan.left_behind.extend(found.left_behind);
                    plan.routes.push(route);
                }
                Err((path, why)) => plan.refused.push(SkippedPath { route, path, why }),
            }
        }
        self.refuse_twins(&mut plan);
        Ok(plan)
    }

    fn stat(&self, path: &BStr) -> Result<Option<FileStat>, fs::Error> {
        let root = self.scope.root();
        let Ok(file) = fs::below(&root, path) else { return Ok(None) };
        Ok(if fs::is_reached_by_folders(&root, &file)? { fs::stat(&file)? } else { None })
    }

    /// The files of a route, or the file that prevents the move.
    fn files(
        &self,
        route: &MoveRoute,
        here: Option<FileStat>,
        plan: &MovePlan,
    ) -> Result<Result<RouteFiles, (BString, MoveObstacle)>, fs::Error> {
        let mut found = RouteFiles::default();
        let why = match here.map(|stat| stat.kind) {
            None => Some(MoveObstacle::mistaken("does not exist")),
            Some(FileKind::Folder) => self.folder(route, here, &mut found)?,
            Some(FileKind::Regular) => self.file(route, here, &mut found)?,
            Some(_) => Some(MoveObstacle::new("is not a regular file")),
        };
        if let Some(why) = why {
            return Ok(Err((route.from.clone(), why)));
        }
        if let Some(why) = self.in_the_way(route)? {
            return Ok(Err((route.from.clone(), why)));
        }
        let recorded: Vec<(BString, BString)> = found.files.clone().into_iter().collect();
        for (old, new) in recorded {
            let is_recorded = self.survey.index.contains(self.scope.full(&old).as_bstr());
            let is_taken = plan.files.contains_key(&old) || plan.files.values().any(|other| *other == new);
            let why = if is_taken { Some(MoveObstacle::twice(&new)) } else { self.unmovable(&old, &new)? };
            match why {
                Some(why) if is_recorded => return Ok(Err((old, why))),
                Some(_) => {
                    found.files.remove(&old);
                    found.left_behind.push(old);
                }
                None => {}
            }
        }
        Ok(Ok(found))
    }

    fn file(
        &self,
        route: &MoveRoute,
        here: Option<FileStat>,
        found: &mut RouteFiles,
    ) -> Result<Option<MoveObstacle>, fs::Error> {
        let index = &self.survey.index;
        if !index.contains(self.scope.full(&route.from).as_bstr()) {
            return Ok(Some(MoveObstacle::untracked(&route.from)));
        }
        if is_at_or_below(&route.to, &route.from) {
            return Ok(Some(MoveObstacle::mistaken("cannot be moved into itself")));
        }
        let there = self.stat(route.to.as_bstr())?;
        if !is_same(route.from.as_bstr(), here, route.to.as_bstr(), there) {
            match there.map(|stat| stat.kind) {
                // tracked, and kept off this disk
                None if self.standing != NameClashPolicy::GivesWay
                    && index.is_withheld(self.scope.full(&route.to).as_bstr()) =>
                {
                    return Ok(Some(MoveObstacle::exists(route)));
                }
                None => {}
                Some(FileKind::Regular) if self.standing == NameClashPolicy::GivesWay => {
                    if self.is_unmerged(&route.to) {
                        return Ok(Some(MoveObstacle::in_conflict()));
                    }
                    found.overwritten.push(route.to.clone());
                }
                Some(_) => return Ok(Some(MoveObstacle::exists(route))),
            }
        }
        found.files.insert(route.from.clone(), route.to.clone());
        Ok(None)
    }

    fn folder(
        &self,
        route: &MoveRoute,
        here: Option<FileStat>,
        found: &mut RouteFiles,
    ) -> Result<Option<MoveObstacle>, fs::Error> {
        if is_at_or_below(&route.to, &route.from) {
            return Ok(Some(MoveObstacle::mistaken("cannot be moved into itself")));
        }
        let there = self.stat(route.to.as_bstr())?;
        if there.is_some() && !is_same(route.from.as_bstr(), here, route.to.as_bstr(), there) {
            return Ok(Some(MoveObstacle::exists(route)));
        }
        let full = self.scope.full(&route.from);
        let recorded: BTreeSet<&BStr> =
            self.survey.index.below(full.as_bstr()).filter_map(|path| self.scope.strip(path)).collect();
        if recorded.is_empty() {
            return Ok(Some(MoveObstacle::untracked(&route.from)));
        }
        let inside = joined(route.from.as_bstr(), BStr::new(""));
        let unrecorded = self.survey.work_tree.unexpected.iter();
        let unrecorded: Vec<_> = unrecorded.filter(|file| file.path.starts_with(&inside)).collect();
        let regular = unrecorded.iter().filter(|file| file.is_regular).map(|file| file.path.as_bstr());
        for path in recorded.into_iter().chain(regular) {
            let rest = path[inside.len()..].as_bstr();
            found.files.insert(path.to_owned(), joined(route.to.as_bstr(), rest));
        }
        let others = unrecorded.iter().filter(|file| !file.is_regular);
        found.left_behind.extend(others.map(|file| file.path.clone()));
        Ok(None)
    }

    /// What prevents a path from containing files.
    fn in_the_way(&self, route: &MoveRoute) -> Result<Option<MoveObstacle>, fs::Error> {
        let (root, index) = (self.scope.root(), &self.survey.index);
        let to = route.to.as_bstr();
        if let Err(why) = TreePath::parse(to) {
            return Ok(Some(why.into()));
        }
        let file = fs::below(&root, to)?;
        let mut above = to.rfind_byte(b'/').map(|slash| to[..slash].as_bstr());
        let mut is_blocked = !fs::is_reached_by_folders(&root, &file)?;
        while let Some(folder) = above {
            is_blocked |= index.contains(self.scope.full(folder).as_bstr());
            above = folder.rfind_byte(b'/').map(|slash| folder[..slash].as_bstr());
        }
        if is_blocked {
            return Ok(Some(MoveObstacle::sentence(format!("a file is in the way of `{}`", route.to))));
        }
        let is_folder_there = index.below(self.scope.full(to).as_bstr()).next().is_some();
        Ok(is_folder_there.then(|| MoveObstacle::exists(route)))
    }

    /// Why a file cannot move to its new path.
    fn unmovable(&self, old: &BString, new: &BString) -> Result<Option<MoveObstacle>, fs::Error> {
        let (index, full) = (&self.survey.index, self.scope.full(old));
        if self.is_unmerged(old) {
            return Ok(Some(MoveObstacle::in_conflict()));
        }
        if let Err(why) = TreePath::parse(new) {
            return Ok(Some(why.into()));
        }
        let recorded = index.version(full.as_bstr());
        if recorded.is_some_and(|version| !version.mode.is_file()) {
            return Ok(Some(MoveObstacle::new("is not a regular file")));
        }
        let is_withheld = index.is_withheld(full.as_bstr());
        let stat = if is_withheld { None } else { self.stat(old.as_bstr())? };
        if stat.is_some_and(|stat| stat.kind != FileKind::Regular) {
            return Ok(Some(MoveObstacle::new("is not a regular file")));
        }
        // a tracked file that brv does not manage may move to another path that brv does not manage
        if recorded.is_some() && is_foreign(old) && is_foreign(new) {
            return Ok(None);
        }
        let unfit = |reason| Some(MoveObstacle::sentence(format!("as `{new}` it {reason}")));
        if is_withheld && !is_foreign(new) && is_foreign(old) {
            return Ok(unfit("would be managed by brv, but is kept off the disk"));
        }
        if let Admission::Withheld(reason) = incoming::admit_name(new.as_bstr()) {
            return Ok(unfit(reason));
        }
        if stat.is_none() {
            return Ok(None);
        }
        let bytes = fs::read(&fs::below(&self.scope.root(), old.as_bstr())?)?;
        Ok(match incoming::admit(new.as_bstr(), Content::Bytes(&bytes)) {
            Admission::Withheld(reason) => unfit(reason),
            Admission::LeftOut | Admission::Admitted => None,
        })
    }

    fn is_unmerged(&self, path: &BString) -> bool {
        let full = self.scope.full(path);
        let index = &self.survey.index;
        index.contains(full.as_bstr()) && index.version(full.as_bstr()).is_none()
    }

    /// Refuse new names that differ only in case from the paths that stay.
    fn refuse_twins(&self, plan: &mut MovePlan) {
        let recorded = self.survey.index.first_versions().filter_map(|(path, _)| self.scope.strip(path));
        let staying = recorded.filter(|path| !plan.files.contains_key(*path));
        let spellings = Spellings::of(staying.chain(plan.files.values().map(|new| new.as_bstr())));
        let twin = |new: &BString| spellings.other(new.as_bstr()).cloned();
        let (mut routes, mut refused) = (Vec::new(), Vec::new());
        for route in std::mem::take(&mut plan.routes) {
            let mut own = plan.files.iter().filter(|(old, _)| is_at_or_below(old, &route.from));
            match own.find_map(|(old, new)| Some((old.clone(), twin(new)?))) {
                Some((path, twin)) => {
                    let why = MoveObstacle::new(format!("its new path differs from `{twin}` only in case"));
                    refused.push(SkippedPath { route, path, why });
                }
                None => routes.push(route),
            }
        }
        for refusal in &refused {
            plan.files.retain(|old, _| !is_at_or_below(old, &refusal.route.from));
            plan.overwritten.remove(&refusal.route.to);
        }
        plan.routes = routes;
        plan.refused.extend(refused);
    }
}

#[derive(Default)]
struct RouteFiles {
    files: BTreeMap<BString, BString>,
    overwritten: Vec<BString>,
    left_behind: Vec<BString>,
}

/// Whether two names that differ only in case are the same file on this disk.
fn is_same(one: &BStr, at_one: Option<FileStat>, other: &BStr, at_other: Option<FileStat>) -> bool {
    let is_one_inode = match (at_one, at_other) {
        (Some(one), Some(other)) => one.inode == other.inode && one.device == other.device,
        _ => false,
    };
    is_one_inode && one != other && one.to_lowercase() == other.to_lowercase()
}

/// Whether brv does not manage files at this path.
fn is_foreign(path: &BString) -> bool {
    TreePath::parse(path).map_or(true, |path| path.kind() == PathKind::Foreign)
}

fn is_at_or_below(path: &BString, above: &BString) -> bool {
    path.strip_prefix(above.as_slice())
        .is_some_and(|rest| above.is_empty() || rest.is_empty() || rest[0] == b'/')
}

fn base(path: &BStr) -> &BStr {
    path.rfind_byte(b'/').map_or(path, |slash| path[slash + 1..].as_bstr())
}

fn joined(folder: &BStr, name: &BStr) -> BString {
    let slash: &[u8] = if folder.is_empty() { b"" } else { b"/" };
    [folder.as_bytes(), slash, name.as_bytes()].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_another_case_is_the_same_thing_where_it_has_the_same_inode() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a.md", "b.md"] {
            fs::replace(&at(name), name.as_bytes(), fs::Durability::Later).unwrap();
        }
        // a case-insensitive disk shows one file under both names; so does a second hard link to it
        for name in ["A.md", "c.md"] {
            let _ = std::fs::hard_link(at("a.md"), at(name));
        }
        let _ = std::fs::copy(at("b.md"), at("B.md"));
        let is_same = |one: &str, other: &str| {
            let stats = [one, other].map(|name| fs::stat(&at(name)).unwrap());
            is_same(one.into(), stats[0], other.into(), stats[1])
        };
        assert!(is_same("a.md", "A.md"));
        assert!(!is_same("a.md", "c.md"), "another name is another place");
        assert!(!is_same("a.md", "a.md"));
        assert!(!is_same("a.md", "gone.md"));
        let tells_case_apart = std::fs::read_dir(folder.path()).unwrap().count() == 5;
        assert_eq!(is_same("b.md", "B.md"), !tells_case_apart);
    }
}
