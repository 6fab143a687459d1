//! `brv brain write` and `brv brain unwrite`: the summary in a file of the project, between two markers.
//!
//! Only what is between the markers changes. A block that brv appends stands at the end of the file, after an empty line;
//! whether the file ended with a line end, and whether it was there at all, is seen by what is around the block.

use super::{Options, summary};
use crate::fs;
use crate::ops::context::Opened;
use crate::ops::{Context, FailureKind, Stop};
use bstr::ByteSlice as _;
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

const START: &str = "<!-- brv:brain -->";
const END: &str = "<!-- /brv:brain -->";

/// Write the summary into a file. Entries whose change waits for review are left out.
///
/// # Errors
/// A file outside the project, or with markers that do not belong together: it is left alone.
pub fn write(cx: &Context<'_>, file: &Path) -> Result<InFile, Stop> {
    let opened = cx.keep_open()?;
    let place = Place::of(cx, opened, file)?;
    let before = place.read()?;
    // before the summary is made, which may take a moment
    let block = before.as_deref().map(|bytes| place.block(bytes)).transpose()?.flatten();
    let text = summary(cx, opened, &Options { summary: true, ..Options::default() })?;
    let after = written(before.as_deref(), block, &text);
    place.put(before, Some(after), FileState::Written)
}

/// Take the summary out of a file.
///
/// # Errors
/// As for [`write()`].
pub fn unwrite(cx: &Context<'_>, file: &Path) -> Result<Unwritten, Stop> {
    let opened = cx.keep_open()?;
    let place = Place::of(cx, opened, file)?;
    let before = place.read()?;
    let block = before.as_deref().map(|bytes| place.block(bytes)).transpose()?.flatten();
    let after = match (&before, block) {
        (Some(bytes), Some(block)) => without(bytes, block),
        (before, _) => before.clone(),
    };
    place.put(before, after, FileState::Removed).map(Unwritten)
}

/// A file of the project.
struct Place {
    /// Where it is, links followed.
    target: PathBuf,
    /// Relative to the project.
    name: String,
}

impl Place {
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
            return Err(Stop::usage(format!("`{shown}` is no file")));
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
        block(bytes).map_err(|why| {
            let hint = format!("leave one pair of `{START}` and `{END}` in it, or none");
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

/// The bytes from the first marker to the end of the second one.
fn block(bytes: &[u8]) -> Result<Option<Range<usize>>, &'static str> {
    let find = |marker: &str| bytes.find_iter(marker).collect::<Vec<usize>>();
    match (&find(START)[..], &find(END)[..]) {
        ([], []) => Ok(None),
        ([start], [end]) if start < end => Ok(Some(*start..end + END.len())),
        ([_], [_]) => Err("has the marker of the end before that of the start"),
        ([], _) => Err("has a marker of the end without one of the start"),
        (_, []) => Err("has a marker of the start without one of the end"),
        _ => Err("has more than one pair of markers"),
    }
}

/// The file with this text between the markers.
fn written(before: Option<&[u8]>, block: Option<Range<usize>>, text: &str) -> Vec<u8> {
    let bytes = before.unwrap_or_default();
    let end = line_end(bytes, block.as_ref());
    // a text cannot end the block that it is in
    let text = text.replace("<!--", "&lt;!--");
    let own = format!("{START}\n{}\n{END}", text.trim_end()).replace('\n', end);
    let Some(block) = block else {
        let appended = match before {
            None => format!("{own}{end}"),
            Some(bytes) if bytes.is_empty() || bytes.ends_with(b"\n") => format!("{end}{own}{end}"),
            // without a line end after it, it takes none away
            Some(_) => format!("{end}{own}"),
        };
        return [bytes, appended.as_bytes()].concat();
    };
    [&bytes[..block.start], own.as_bytes(), &bytes[block.end..]].concat()
}

/// The file without the block; `None` if nothing else was in it, not even an empty line.
fn without(bytes: &[u8], block: Range<usize>) -> Option<Vec<u8>> {
    let end = line_end(bytes, Some(&block)).as_bytes();
    let (before, after) = (&bytes[..block.start], &bytes[block.end..]);
    let below = after.strip_prefix(end).unwrap_or(after);
    if before.is_empty() && below.is_empty() {
        return None;
    }
    // at the end of the file, what parts it from the text above came with it
    let above = if below.is_empty() { before.strip_suffix(end).unwrap_or(before) } else { before };
    Some([above, below].concat())
}

/// The line end behind the marker of the start, else that of the first line; that of git if there is none. What brv appended
/// cannot be told by the text before it: that may end in a lone `\r`, which looks like the half of a line end then.
fn line_end(bytes: &[u8], block: Option<&Range<usize>>) -> &'static str {
    let inside = block.map(|block| &bytes[block.start + START.len()..block.end]);
    match (inside, bytes.find_byte(b'\n')) {
        (Some(inside), _) if inside.starts_with(b"\n") => "\n",
        (Some(inside), _) if inside.starts_with(b"\r\n") => "\r\n",
        (_, Some(at)) if at > 0 && bytes[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(before: Option<&[u8]>) -> Vec<u8> {
        let found = before.and_then(|bytes| block(bytes).unwrap());
        let after = written(before, found, "# B\n\none\n");
        let found = block(&after).unwrap().unwrap();
        assert_eq!(written(Some(&after), Some(found.clone()), "# B\n\none\n"), after, "again");
        let other = written(Some(&after), Some(found), "two\n");
        assert_eq!(without(&other, block(&other).unwrap().unwrap()).as_deref(), before);
        after
    }

    #[test]
    fn the_bytes_around_the_block_are_those_of_before() {
        for before in ["", "text", "text\n", "text\n\n", "a\r\nb\r\n", "a\r\nb", "\n", "é\u{0}\n"] {
            round(Some(before.as_bytes()));
        }
        round(Some(b"\xff\xfe\n"));
        round(None);
        assert_eq!(round(None), format!("{START}\n# B\n\none\n{END}\n").into_bytes());
        let dos = round(Some(b"a\r\n"));
        assert!(dos.ends_with(format!("\r\n{START}\r\n# B\r\n\r\none\r\n{END}\r\n").as_bytes()));
    }

    #[test]
    fn every_small_file_comes_back() {
        let mut files = vec![Vec::new()];
        for at in 0.. {
            let Some(file) = files.get(at).cloned() else { break };
            round(Some(&file));
            if file.len() < 6 {
                files.extend(b"a\r\n".iter().map(|byte| [&file[..], &[*byte]].concat()));
            }
        }
        assert_eq!(files.len(), 1_093);
    }

    #[test]
    fn a_block_that_somebody_placed_is_filled_and_goes_with_its_line() {
        let before = format!("a\n\n{START}\n{END}\nb\n");
        let after = written(Some(before.as_bytes()), block(before.as_bytes()).unwrap(), "x\n");
        assert_eq!(after, format!("a\n\n{START}\nx\n{END}\nb\n").into_bytes());
        assert_eq!(without(&after, block(&after).unwrap().unwrap()).unwrap(), b"a\n\nb\n");
    }

    #[test]
    fn markers_that_do_not_belong_together_are_refused() {
        for text in [
            START.to_owned(),
            END.to_owned(),
            format!("{END}\n{START}"),
            format!("{START}{END}{START}{END}"),
            format!("{START}{START}{END}"),
        ] {
            assert!(block(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_text_cannot_end_the_block() {
        let after = written(None, None, &format!("a {END} b"));
        assert!(block(&after).unwrap().is_some());
    }
}
