//! `brv brain write` and `brv brain unwrite`: the summary in a file of the project, between two markers.
//!
//! What is around the block is left alone; see [`Markers`].

use super::{Options, summary};
use brv_base::fs;
use brv_engine::agents::connectors::Markers;
use brv_engine::open::context::Opened;
use brv_engine::{Context, FailureKind, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// `brv.brain.write/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrainWrite")]
pub struct InFile {
    /// The file, relative to the project.
    pub file: String,
    /// What became of it.
    pub state: FileState,
}

/// `brv.brain.unwrite/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrainUnwrite")]
pub struct Unwritten(pub InFile);

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BrainFileState")]
pub enum FileState {
    /// The summary was written into it.
    Written,
    /// It is as it was.
    Unchanged,
    /// The summary was taken out of it.
    Removed,
}

const MARKERS: Markers = Markers::new("<!-- brv:brain -->", "<!-- /brv:brain -->");

/// Write the summary into a file. Entries whose change waits for review are left out.
///
/// # Errors
/// A file outside the project, or with markers that do not belong together: it is left alone.
pub fn write(cx: &Context<'_>, file: &Path) -> Result<InFile, Stop> {
    let opened = cx.keep_open()?;
    let place = ProjectFile::of(cx, opened, file)?;
    let before = place.read()?;
    // before the summary is made, which may take a moment
    let block = before.as_deref().map(|bytes| place.block(bytes)).transpose()?.flatten();
    let text = summary(cx, opened, &Options { summary: true, ..Options::default() })?;
    let after = MARKERS.written(before.as_deref(), block, &text);
    place.put(before, Some(after), FileState::Written)
}

/// Take the summary out of a file.
///
/// # Errors
/// As for [`write()`].
pub fn unwrite(cx: &Context<'_>, file: &Path) -> Result<Unwritten, Stop> {
    let opened = cx.keep_open()?;
    let place = ProjectFile::of(cx, opened, file)?;
    let before = place.read()?;
    let block = before.as_deref().map(|bytes| place.block(bytes)).transpose()?.flatten();
    let after = match (&before, block) {
        (Some(bytes), Some(block)) => MARKERS.without(bytes, block),
        (before, _) => before.clone(),
    };
    place.put(before, after, FileState::Removed).map(Unwritten)
}

/// A file of the project.
struct ProjectFile {
    /// Where it is, links followed.
    target: PathBuf,
    /// Relative to the project.
    name: String,
}

impl ProjectFile {
    fn of(cx: &Context<'_>, opened: &Opened, file: &Path) -> Result<Self, Stop> {
        let typed = cx.cwd.join(file);
        let shown = file.display();
        let project = &opened.places.project;
        // in a linked work tree of the code the file is that of the work tree
        let host = opened.places.host_called_from(&cx.cwd)?;
        let roots: Vec<PathBuf> = [Some(project.clone()), host]
            .into_iter()
            .flatten()
            .filter_map(|root| root.canonicalize().ok())
            .collect();
        let inside =
            |path: &Path| roots.iter().find_map(|root| path.strip_prefix(root).ok()).map(Path::to_path_buf);
        let (Some(folder), Some(last)) = (typed.parent(), typed.file_name()) else {
            return Err(Stop::usage(format!("`{shown}` is not a file")));
        };
        let folder = folder
            .canonicalize()
            .map_err(|_| Stop::usage(format!("the folder of `{shown}` does not exist")))?;
        let place = folder.join(last);
        let target = match place.canonicalize() {
            Ok(target) => target,
            Err(_) if place.symlink_metadata().is_ok() => {
                return Err(Stop::new(FailureKind::Refused, format!("`{shown}` is a broken link")));
            }
            Err(_) => place.clone(),
        };
        let Some(name) = inside(&target) else {
            return Err(match inside(&place) {
                Some(_) => Stop::new(FailureKind::Refused, format!("`{shown}` is a link out of the project")),
                None => Stop::usage(format!("`{shown}` is outside the project")),
            });
        };
        if name.iter().any(|part| part == ".brv" || part == ".git") {
            let message =
                format!("`{shown}` belongs to brv or git; the summary goes into a file of the project");
            return Err(Stop::new(FailureKind::Refused, message));
        }
        if target.is_dir() {
            return Err(Stop::usage(format!("`{shown}` is a folder")));
        }
        Ok(Self { name: name.to_string_lossy().into_owned(), target })
    }

    fn read(&self) -> Result<Option<Vec<u8>>, Stop> {
        Ok(fs::read_if_there(&self.target)?)
    }

    /// The block with its markers, if there is one.
    fn block(&self, bytes: &[u8]) -> Result<Option<Range<usize>>, Stop> {
        MARKERS.find(bytes).map_err(|why| {
            let hint = format!("leave one pair of `{}` and `{}` in it, or none", MARKERS.start, MARKERS.end);
            Stop::new(FailureKind::Refused, format!("`{}` {why}", self.name)).hint(hint)
        })
    }

    /// Write what is different.
    fn put(&self, before: Option<Vec<u8>>, after: Option<Vec<u8>>, state: FileState) -> Result<InFile, Stop> {
        let file = self.name.clone();
        if before == after {
            return Ok(InFile { file, state: FileState::Unchanged });
        }
        if self.target.metadata().is_ok_and(|found| found.permissions().readonly()) {
            return Err(Stop::new(FailureKind::Failed, format!("`{file}` is read-only")));
        }
        if self.read()? != before {
            return Err(Stop::new(FailureKind::Changed, format!("`{file}` was changed meanwhile")));
        }
        match after {
            Some(bytes) => fs::replace_text(&self.target, &bytes)?,
            None => drop(fs::remove_file(&self.target)?),
        }
        Ok(InFile { file, state })
    }
}
