//! Read what a model is to curate, within limits. What is over a limit is refused as a whole: nothing is cut silently.

use super::pdf;
use crate::curate::followed;
use crate::curate::propose::SourceText;
use brv_base::fs;
use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::outcome::stop::message;
use brv_text::curate;
use std::path::{Path, PathBuf};

/// The most files that are given one by one.
pub const MOST_FILES: usize = 5;

/// The most characters of a file.
pub const MOST_CHARACTERS: usize = 40_000;

/// The most lines of a file of code.
pub const MOST_LINES: usize = 2_000;

/// The most files of a folder: each five of them are a request.
const MOST_IN_FOLDER: usize = 200;

/// The endings of files that are code.
const CODE: &str = "bash c cc clj cpp cs css cxx dart elm erl ex exs fish fs go groovy h hpp hrl hs html java jl js jsx kt kts \
                    less lua m mjs ml mli mm nim php pl pm ps1 py r rb rs sass scala scss sh sql svelte swift tf ts tsx vb \
                    vue zig zsh";

/// Folders with what others wrote, or programs made.
const NOT_OURS: [&str; 3] = ["node_modules", "target", "vendor"];

/// Where the text is.
#[derive(Debug, Clone)]
pub enum Given {
    Text(String),
    /// Files, among them standard input (`-`).
    Files(Vec<PathBuf>),
    Folder(PathBuf),
}

/// The texts, and warnings about files of a folder that have none.
///
/// # Errors
/// A file that cannot be read as text or is over a limit; no text at all.
pub fn read(cx: &Context<'_>, given: &Given) -> Result<(Vec<SourceText>, Vec<String>), Stop> {
    let (sources, warnings) = match given {
        Given::Text(text) => (vec![SourceText { name: None, text: limited(text.clone())? }], Vec::new()),
        Given::Files(files) if files.len() > MOST_FILES => {
            let why = format!("{} files, and the limit is {MOST_FILES}", files.len());
            return Err(Stop::usage(why).hint("`--folder` takes in all files of a folder"));
        }
        Given::Files(files) => {
            let sources = files.iter().map(|path| file(cx, path, &path.to_string_lossy()));
            (sources.collect::<Result<_, _>>()?, Vec::new())
        }
        Given::Folder(folder) => all_of(cx, folder)?,
    };
    if sources.iter().all(|source| source.text.trim().is_empty()) {
        return Err(Stop::usage("there is no text"));
    }
    Ok((sources, warnings))
}

/// Text that comes from no file.
fn limited(text: String) -> Result<String, Stop> {
    match text.len() {
        0..=curate::MAX_INPUT_BYTES => Ok(text),
        bytes => Err(too_long("the text", bytes, "bytes", curate::MAX_INPUT_BYTES)),
    }
}

/// A file that is named.
fn file(cx: &Context<'_>, path: &Path, name: &str) -> Result<SourceText, Stop> {
    if path == Path::new("-") {
        let bytes = cx.read_input(path, curate::MAX_INPUT_BYTES).map_err(|error| unread(&error))?;
        if bytes.len() > curate::MAX_INPUT_BYTES {
            return Err(too_long("standard input", bytes.len(), "bytes or more", curate::MAX_INPUT_BYTES));
        }
        let text = text(bytes).ok_or_else(|| no_text("standard input"))?;
        return Ok(SourceText { name: None, text });
    }
    let text = content(cx, &followed(cx, path)?, name)?.ok_or_else(|| no_text(name))?;
    Ok(SourceText { name: Some(name.to_owned()), text })
}

/// The text of a file, within the limits; `None` if it is none.
fn content(cx: &Context<'_>, path: &Path, name: &str) -> Result<Option<String>, Stop> {
    // no character has more than four bytes
    let most = MOST_CHARACTERS * 4;
    let bytes = cx.read_input(path, most).map_err(|error| unread(&error))?;
    let text = match bytes.starts_with(b"%PDF-") {
        true => pdf::text(path, name, &cx.environment)?,
        false if bytes.contains(&0) => return Ok(None),
        false if bytes.len() > most => {
            return Err(too_long(
                &format!("`{name}`"),
                MOST_CHARACTERS + 1,
                "characters or more",
                MOST_CHARACTERS,
            ));
        }
        false => match text(bytes) {
            Some(text) => text,
            None => return Ok(None),
        },
    };
    within(path, name, &text)?;
    Ok(Some(text))
}

fn within(path: &Path, name: &str, text: &str) -> Result<(), Stop> {
    let characters = text.chars().count();
    if characters > MOST_CHARACTERS {
        return Err(too_long(&format!("`{name}`"), characters, "characters", MOST_CHARACTERS));
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let is_code = ending.is_some_and(|ending| CODE.split_whitespace().any(|one| one == ending));
    let lines = text.lines().count();
    if is_code && lines > MOST_LINES {
        return Err(too_long(&format!("`{name}`"), lines, "lines", MOST_LINES));
    }
    Ok(())
}

/// The files of a folder that are text, by their paths in it.
fn all_of(cx: &Context<'_>, folder: &Path) -> Result<(Vec<SourceText>, Vec<String>), Stop> {
    let root = followed(cx, folder)?;
    let mut paths = Vec::new();
    collect(&root, &mut paths).map_err(|error| unread(&error))?;
    paths.sort();
    if paths.len() > MOST_IN_FOLDER {
        let why =
            format!("`{}` has {} files, and the limit is {MOST_IN_FOLDER}", folder.display(), paths.len());
        return Err(Stop::usage(why).hint("name a folder in it"));
    }
    let (mut sources, mut left_out) = (Vec::new(), 0);
    for path in &paths {
        let name = path.strip_prefix(&root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        match content(cx, path, &name)? {
            None => left_out += 1,
            Some(text) if text.trim().is_empty() => {}
            Some(text) => sources.push(SourceText { name: Some(name), text }),
        }
    }
    if sources.is_empty() {
        return Err(Stop::usage(format!("`{}` has no file with text", folder.display())));
    }
    let warning = (left_out > 0).then(|| format!("files that are not UTF-8 text were left out: {left_out}"));
    Ok((sources, warning.into_iter().collect()))
}

/// Regular files below a folder. Hidden ones, links, and what others made are not part of it.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), fs::Error> {
    for name in fs::names(folder)? {
        let path = folder.join(&name);
        let Ok(kind) = path.symlink_metadata().map(|data| data.file_type()) else { continue };
        if name.starts_with('.') {
            continue;
        }
        if kind.is_file() {
            found.push(path);
        } else if kind.is_dir() && !NOT_OURS.contains(&name.as_str()) {
            collect(&path, found)?;
        }
    }
    Ok(())
}

/// Bytes as text, without a byte order mark; `None` if they are none.
fn text(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
    Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn no_text(name: &str) -> Stop {
    Stop::usage(format!("`{name}` is not UTF-8 text"))
}

fn unread(error: &fs::Error) -> Stop {
    Stop::usage(message(error))
}

fn too_long(what: &str, size: usize, unit: &str, most: usize) -> Stop {
    let hint = "split it, or give it as text: `--file -` takes up to 10 MB, which is summarised first";
    Stop::usage(format!("{what} has {size} {unit}, and the limit is {most}")).hint(hint)
}
