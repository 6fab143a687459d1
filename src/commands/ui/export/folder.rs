//! The folder of a written site: only files that an export wrote are written again or removed.
//!
//! The file `.brv-site` lists them. It is written before they are, so that the next export completes what a crash cut off.

use super::{ExportContent, Outcome};
use brv_base::fs::{self, Durability, FileKind, TEMPORARY_PREFIX, WriteGuard};
use brv_base::parallel;
use brv_engine::Stop;
use brv_engine::open::context::Context;
use bstr::ByteSlice as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file that says which files of the folder are the site's.
const NOTE: &str = ".brv-site";

const VERSION: u32 = 1;

/// How long another export is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// The pages of a site.
pub trait SitePages: Sync {
    /// Their names: paths below the folder.
    fn names(&self) -> &[String];

    /// The bytes of one of them, by its position.
    ///
    /// # Errors
    /// The repository cannot be read.
    fn make(&self, at: usize) -> Result<Vec<u8>, Stop>;
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct NotedFiles {
    version: u32,
    files: BTreeSet<String>,
}

/// Write a site to a folder as typed.
///
/// # Errors
/// The folder has files that no export wrote: nothing is written.
pub fn write(
    cx: &Context<'_>,
    dir: &str,
    content: &ExportContent,
    pages: &dyn SitePages,
) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let folder = SiteFolder::find(&cx.cwd.join(dir), [&opened.places.tree(), opened.scope.common_dir()])?;
    let names: BTreeSet<String> = pages.names().iter().cloned().collect();
    folder.check(&names)?;
    let lock = match WriteGuard::acquire(&opened.places.cache().join("export.lock"), PATIENCE) {
        Ok(lock) => Some(lock),
        Err(held @ fs::Busy::Held { .. }) => return Err(held.into()),
        // where nothing can be written beside the tree, two exports may meet
        Err(fs::Busy::File(_)) => None,
    };
    folder.begin(&names, lock.is_some())?;
    let removed = folder.remove(&names)?;
    let numbers: Vec<usize> = (0..pages.names().len()).collect();
    let sizes = parallel::try_map(
        &numbers,
        || (),
        |(), at| {
            let bytes = pages.make(*at)?;
            Ok::<_, Stop>((bytes.len(), folder.put(&pages.names()[*at], &bytes)?))
        },
    )?;
    folder.note(&names)?;
    Ok(Outcome {
        dir: folder.root.to_string_lossy().into_owned(),
        index: folder.root.join("index.html").to_string_lossy().into_owned(),
        commit: content.commit,
        entries: content.entries.len(),
        folders: content.folders.len() - 1,
        files: names.len(),
        bytes: sizes.iter().map(|(size, _)| *size as u64).sum(),
        written: sizes.iter().filter(|(_, is_written)| *is_written).count(),
        removed,
        left_out: content.left_out,
        earlier: content.earlier,
    })
}

struct SiteFolder {
    /// Without symlinks.
    root: PathBuf,
    /// What an export wrote; `None`: the folder is empty, or not there.
    noted: Option<BTreeSet<String>>,
}

impl SiteFolder {
    /// `kept`: the folders that have something else.
    fn find(dir: &Path, kept: [&Path; 2]) -> Result<Self, Stop> {
        let root = real(dir)?;
        let [tree, repository] = kept.map(real);
        if root.starts_with(tree?) || root.starts_with(repository?) {
            return Err(Stop::refused(format!("`{}` is in the context tree", dir.display()))
                .hint("choose a folder outside: what is in the tree is knowledge"));
        }
        let noted = match fs::stat(&root)?.map(|stat| stat.kind) {
            None => None,
            Some(FileKind::Folder) => noted(&root)?,
            Some(_) => return Err(Stop::refused(format!("`{}` is not a folder", dir.display()))),
        };
        if noted.is_none() && !is_empty(&root)? {
            return Err(Stop::refused(format!("`{}` has files that no export wrote", dir.display()))
                .hint("choose an empty folder, or one that `brv ui --export` wrote"));
        }
        Ok(Self { root, noted })
    }

    /// Whether a file is the site's, and reached without a symlink.
    fn is_own(&self, name: &str) -> Result<bool, Stop> {
        let is_noted = self.noted.as_ref().is_some_and(|noted| noted.contains(name));
        if !is_noted || !is_page(name) {
            return Ok(false);
        }
        let file = self.file(name)?;
        let is_file = || Ok::<_, Stop>(fs::stat(&file)?.is_some_and(|stat| stat.kind == FileKind::Regular));
        Ok(fs::is_reached_by_folders(&self.root, &file)? && is_file()?)
    }

    fn file(&self, name: &str) -> Result<PathBuf, Stop> {
        Ok(fs::below(&self.root, name.as_bytes().as_bstr())?)
    }

    /// Nothing of somebody else is in the way of these files.
    fn check(&self, names: &BTreeSet<String>) -> Result<(), Stop> {
        let mut foreign = Vec::new();
        for name in names {
            let file = self.file(name)?;
            let is_free = fs::is_reached_by_folders(&self.root, &file)? && fs::stat(&file)?.is_none();
            if !is_free && !self.is_own(name)? {
                foreign.push(name.clone());
            }
        }
        if foreign.is_empty() {
            return Ok(());
        }
        let message = format!("`{}` has something else where pages would be written", self.root.display());
        Err(Stop::refused(message).detailing(foreign))
    }

    /// Note what will be here, beside what is here.
    fn begin(&self, names: &BTreeSet<String>, is_alone: bool) -> Result<(), Stop> {
        fs::create_folder(&self.root)?;
        let noted = self.noted.as_ref();
        let all: BTreeSet<String> = names.iter().chain(noted.into_iter().flatten()).cloned().collect();
        if noted != Some(&all) {
            self.note(&all)?;
        }
        if is_alone {
            // of an export that was killed
            let files = names.iter().map(|name| self.file(name)).collect::<Result<Vec<_>, _>>()?;
            let folders: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
            folders.into_iter().for_each(fs::remove_left_overs_in);
        }
        Ok(())
    }

    /// Remove the files of an earlier export that the site has no more; how many.
    fn remove(&self, names: &BTreeSet<String>) -> Result<usize, Stop> {
        let mut count = 0;
        for name in self.noted.iter().flatten().filter(|name| !names.contains(*name)) {
            if self.is_own(name)? {
                let file = self.file(name)?;
                count += usize::from(fs::remove_file(&file)?);
                file.parent().into_iter().for_each(|folder| fs::prune_empty_folders(folder, &self.root));
            }
        }
        Ok(count)
    }

    /// Write a file, unless it has these bytes; whether it was written.
    fn put(&self, name: &str, bytes: &[u8]) -> Result<bool, Stop> {
        let file = self.file(name)?;
        if fs::read_below(&self.root, &file)?.as_deref() == Some(bytes) {
            return Ok(false);
        }
        fs::replace(&file, bytes, Durability::Later)?;
        Ok(true)
    }

    fn note(&self, files: &BTreeSet<String>) -> Result<(), Stop> {
        let noted = NotedFiles { version: VERSION, files: files.clone() };
        let mut bytes = serde_json::to_vec_pretty(&noted).unwrap_or_default();
        bytes.push(b'\n');
        self.put(NOTE, &bytes).map(drop)
    }
}

/// A path without symlinks, as far as it is there.
fn real(path: &Path) -> Result<PathBuf, Stop> {
    let (mut above, mut below) = (path, Vec::new());
    loop {
        if let Ok(real) = above.canonicalize() {
            return Ok(below.iter().rev().fold(real, |path, name| path.join(name)));
        }
        let (Some(parent), Some(name)) = (above.parent(), above.file_name()) else {
            return Err(Stop::usage(format!("`{}` is not the path of a folder", path.display())));
        };
        if fs::stat(above)?.is_some() {
            return Err(Stop::refused(format!("`{}` leads nowhere", above.display())));
        }
        below.push(name);
        above = parent;
    }
}

fn noted(root: &Path) -> Result<Option<BTreeSet<String>>, Stop> {
    let file = root.join(NOTE);
    let Some(stat) = fs::stat(&file)? else { return Ok(None) };
    let bytes = if stat.kind == FileKind::Regular { fs::read_if_there(&file)? } else { None };
    let noted = bytes.and_then(|bytes| serde_json::from_slice::<NotedFiles>(&bytes).ok());
    match noted {
        Some(noted) if noted.version == VERSION => Ok(Some(noted.files)),
        _ => Err(Stop::refused(format!("`{}` is not what this brv writes", file.display()))),
    }
}

/// Whether nothing is in a folder; what a killed export left counts as nothing.
fn is_empty(root: &Path) -> Result<bool, Stop> {
    if fs::stat(root)?.is_none() {
        return Ok(true);
    }
    let mut names = std::fs::read_dir(root).map_err(fs::Error::during("read", root))?;
    Ok(names
        .all(|name| name.is_ok_and(|name| name.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX))))
}

/// Whether an export may have written a file of this name: what a note lists is not believed further.
fn is_page(name: &str) -> bool {
    let is_plain = !name.contains('\\') && name.split('/').all(|part| !matches!(part, "" | "." | ".."));
    let ends = [".html", ".css", ".js", ".json", ".svg", ".nojekyll"];
    is_plain && ends.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_cannot_name_what_is_elsewhere() {
        for name in ["index.html", "entry/a b/c.html", "style.css", ".nojekyll"] {
            assert!(is_page(name), "{name}");
        }
        for name in ["../a.html", "/a.html", "entry/../../a.html", "a\\b.html", "notes.md", ".git/config", ""]
        {
            assert!(!is_page(name), "{name}");
        }
    }
}
