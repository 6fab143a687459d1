//! brv's lines in the text of a hook: bytes in, bytes out.
//!
//! The block stands right after the `#!` line, so that no `exec` or `exit` of the script comes before it. All other
//! bytes stay as they are, and taking the block out gives the old bytes again. The block has line feeds also in a
//! script with CRLF: a shell would read the carriage return as a part of the last word.

use super::Event;
use brv_base::process;
use bstr::ByteSlice as _;
use std::ops::Range;
use std::path::Path;

const OPENING: &str = "# >>> brv";
const CLOSING: &str = "# <<< brv";
/// How the opening line continues in a file that brv made, and in one for which it also made folders.
const MADE: &str = " made this file";
const FOLDERS: &str = ", folders: ";
/// The first line of a file that brv makes.
const SHEBANG: &str = "#!/bin/sh\n";

/// The line of each event, in the order of [`Event::ALL`], with `@BRV@` for the quoted path of brv and `@FOLDER@` for
/// the flag that names the project. The program embeds them; here they are data.
pub type HookLines = [&'static str; Event::ALL.len()];

/// What brv calls at an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    lines: &'static HookLines,
    /// The quoted path of brv; empty for none.
    program: String,
    /// `-C 'folder' `, or empty: where the project is, seen from the folder in which git runs the hook.
    folder: String,
}

impl Call {
    /// Call `program`, or where that is gone the brv on `PATH`, for the project in `folder` of the work tree (`""`: the
    /// top). `PATH` comes second: its first brv may be npm's script, which starts node, or a program of that name by
    /// somebody else.
    pub fn new(lines: &'static HookLines, program: Option<&Path>, folder: &str) -> Self {
        let line_of = |path: &Path| Some(process::quoted(path)).filter(|text| !text.contains(['\n', '\r']));
        let folder = match folder {
            "" => String::new(),
            folder => format!("-C {} ", process::quoted(Path::new(folder))),
        };
        Self { lines, program: program.and_then(line_of).unwrap_or_default(), folder }
    }

    /// The same without a path of this machine, for files that others share.
    pub fn portable(&self) -> Self {
        Self { program: String::new(), ..self.clone() }
    }

    /// The flag that names the project's folder, with a blank behind it; empty for the top.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The line for a script of a POSIX shell.
    pub fn line(&self, event: Event) -> String {
        let template = self.lines[event as usize];
        let program = if self.program.is_empty() { "''" } else { &self.program };
        template.trim_end().replace("@FOLDER@", &self.folder).replace("@BRV@", program)
    }

    /// The line as one command to which git can append arguments.
    pub fn command(&self, event: Event) -> String {
        format!("brv_hook() {{ {}; }}; brv_hook", self.line(event))
    }
}

/// A block that is in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    range: Range<usize>,
    /// In a file that brv made: the number of folders that it made for it.
    made: Option<usize>,
}

/// The text has an opening line of brv's and no closing one: which lines are brv's is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unclosed;

/// What taking brv's lines out of a text leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// There was no block.
    Same,
    Text(Vec<u8>),
    /// Nothing but what brv wrote: the file goes, and this many folders above it.
    Nothing {
        folders: usize,
    },
}

/// The text with one block that holds `line`. An old block is replaced where it stands.
pub fn with(text: &[u8], line: &str) -> Result<Vec<u8>, Unclosed> {
    let blocks = blocks(text)?;
    let Some(first) = blocks.first() else {
        return Ok(inserted(text, line));
    };
    let block = block(line, first.made);
    let mut after = text[..first.range.start].to_vec();
    let ends = text[first.range.clone()].ends_with(b"\n");
    after.extend_from_slice(if ends { &block } else { block.trim_end() }.as_bytes());
    let mut at = first.range.end;
    for other in &blocks[1..] {
        after.extend_from_slice(&text[at..other.range.start]);
        at = other.range.end;
    }
    after.extend_from_slice(&text[at..]);
    Ok(after)
}

fn inserted(text: &[u8], line: &str) -> Vec<u8> {
    let block = block(line, None);
    let at = shebang(text).map_or(0, <[u8]>::len);
    let (before, after) = text.split_at(at);
    // the only line is not ended, and the last one will not be either
    if at > 0 && !before.ends_with(b"\n") {
        return [before, b"\n", block.trim_end().as_bytes()].concat();
    }
    [before, block.as_bytes(), after].concat()
}

/// A whole file with the line, for which this many folders are made.
pub fn new(line: &str, folders: usize) -> Vec<u8> {
    format!("{SHEBANG}{}", block(line, Some(folders))).into_bytes()
}

/// The text without brv's lines.
pub fn without(text: &[u8]) -> Result<Left, Unclosed> {
    let blocks = blocks(text)?;
    if blocks.is_empty() {
        return Ok(Left::Same);
    }
    let (mut left, mut at) = (Vec::new(), 0);
    for block in &blocks {
        left.extend_from_slice(&text[at..block.range.start]);
        at = block.range.end;
    }
    left.extend_from_slice(&text[at..]);
    // the line end that was added before the block
    if !text.ends_with(b"\n") && blocks.last().is_some_and(|block| block.range.end == text.len()) {
        left.pop_if(|byte| *byte == b'\n');
    }
    let made = blocks.iter().find_map(|block| block.made);
    Ok(match made.filter(|_| left == SHEBANG.as_bytes()) {
        Some(folders) => Left::Nothing { folders },
        None => Left::Text(left),
    })
}

/// Whether the text has a line of brv's.
pub fn is_marked(text: &[u8]) -> bool {
    blocks(text).is_ok_and(|blocks| !blocks.is_empty())
}

/// Whether the text calls brv at this event, for the project of `call`. Anybody may have written that.
pub fn calls(text: &[u8], event: Event, call: &Call) -> bool {
    let words = format!("{}hooks run {event} ", call.folder);
    ["brv ", "brv\" "].iter().any(|brv| text.contains_str(format!("{brv}{words}")))
}

/// Whether brv's own lines in the text call it for another project only.
pub fn serves_another(text: &[u8], event: Event, call: &Call) -> bool {
    let Ok(blocks) = blocks(text) else { return false };
    let line = |block: &Block| &text[block.range.clone()];
    let about_event = format!("hooks run {event} ");
    blocks.iter().map(line).any(|line| line.contains_str(&about_event) && !calls(line, event, call))
}

/// The `#!` line, its end included.
pub(super) fn shebang(text: &[u8]) -> Option<&[u8]> {
    text.starts_with(b"#!").then(|| text.split_inclusive(|byte| *byte == b'\n').next())?
}

/// The program that runs the script: what `#!` names, without folders, and behind `env` and `busybox`. `None` if there
/// is no such line: git then runs `sh`.
pub fn interpreter(text: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(shebang(text)?.get(2..)?).into_owned();
    let mut words = line.split_whitespace();
    let base = |word: &str| {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        name.strip_suffix(".exe").unwrap_or(name).to_owned()
    };
    let mut name = base(words.next()?);
    while name == "env" || name == "busybox" {
        let Some(next) = words.find(|word| !word.starts_with('-') && !word.contains('=')) else { break };
        name = base(next);
    }
    Some(name)
}

/// Whether a program of this name runs the lines of a POSIX shell.
pub fn is_shell(name: &str) -> bool {
    ["sh", "bash", "dash", "ksh", "zsh", "ash"].contains(&name)
}

fn block(line: &str, made: Option<usize>) -> String {
    let made = match made {
        None => String::new(),
        Some(0) => MADE.to_owned(),
        Some(folders) => format!("{MADE}{FOLDERS}{folders}"),
    };
    format!("{OPENING}{made}\n{line}\n{CLOSING}\n")
}

fn blocks(text: &[u8]) -> Result<Vec<Block>, Unclosed> {
    let (mut blocks, mut open, mut at) = (Vec::new(), None, 0);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        let words = line.trim_ascii_end();
        if open.is_none() {
            open = opening(words).map(|made| (start, made));
        } else if words == CLOSING.as_bytes() {
            blocks.extend(open.take().map(|(start, made)| Block { range: start..at, made }));
        }
    }
    if open.is_some() { Err(Unclosed) } else { Ok(blocks) }
}

/// What an opening line says about the file; `None` for any other line.
fn opening(line: &[u8]) -> Option<Option<usize>> {
    let rest = std::str::from_utf8(line).ok()?.strip_prefix(OPENING)?;
    if rest.is_empty() {
        return Some(None);
    }
    match rest.strip_prefix(MADE)? {
        "" => Some(Some(0)),
        folders => Some(Some(folders.strip_prefix(FOLDERS)?.parse().ok()?)),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub const LINES: HookLines = [
        include_str!("../../../hooks/post-commit"),
        include_str!("../../../hooks/post-rewrite"),
        include_str!("../../../hooks/post-merge"),
        include_str!("../../../hooks/post-checkout"),
        include_str!("../../../hooks/pre-push"),
    ];

    fn call() -> Call {
        Call::new(&LINES, Some(Path::new("/opt/it's/brv")), "")
    }

    #[test]
    fn the_line_stands_after_the_first_and_comes_out_again_byte_for_byte() {
        for text in [
            &b"#!/bin/sh\nexit 3\n"[..],
            b"#!/bin/sh",
            b"#!/bin/sh\n",
            b"#!/bin/bash -e\r\nexec make\r\n",
            b"#!/bin/sh\nexec make",
            b"echo no shebang",
            b"\n",
            b"",
            b"\xff\xfe latin\n",
        ] {
            let shown = String::from_utf8_lossy(text);
            let one = with(text, "one").unwrap();
            assert!(is_marked(&one) && !is_marked(text), "{shown:?}");
            assert_eq!(with(&one, "one").unwrap(), one, "{shown:?}");
            let two = with(&one, "two").unwrap();
            assert_eq!(two, with(text, "two").unwrap(), "{shown:?}");
            assert_eq!(without(&two), Ok(Left::Text(text.to_vec())), "{shown:?}");
        }
        assert_eq!(
            with(b"#!/bin/sh\nexec make", "one").unwrap(),
            b"#!/bin/sh\n# >>> brv\none\n# <<< brv\nexec make"
        );
    }

    #[test]
    fn a_file_that_brv_made_goes_unless_somebody_added_to_it() {
        for folders in [0, 1, 2] {
            let made = new("one", folders);
            assert_eq!(without(&made), Ok(Left::Nothing { folders }));
            assert_eq!(without(&with(&made, "two").unwrap()), Ok(Left::Nothing { folders }));
            let added = [made.as_slice(), b"make\n"].concat();
            assert_eq!(without(&added), Ok(Left::Text(b"#!/bin/sh\nmake\n".to_vec())));
        }
    }

    #[test]
    fn an_editor_may_change_line_ends_and_repeat_the_block() {
        let text = b"#!/bin/sh\r\n# >>> brv\r\none\r\n# <<< brv\r\nmake\r\n";
        assert_eq!(with(text, "one").unwrap(), b"#!/bin/sh\r\n# >>> brv\none\n# <<< brv\nmake\r\n");
        let twice = b"a\n# >>> brv\none\n# <<< brv\nb\n# >>> brv\none\n# <<< brv\nc\n";
        assert_eq!(with(twice, "two").unwrap(), b"a\n# >>> brv\ntwo\n# <<< brv\nb\nc\n");
        assert_eq!(without(twice), Ok(Left::Text(b"a\nb\nc\n".to_vec())));
        assert_eq!(with(b"# >>> brv\none\n", "two"), Err(Unclosed));
        assert_eq!(without(b"# >>> brvo\n# >>> brv made tea\n"), Ok(Left::Same));
    }

    #[test]
    fn the_program_behind_a_script_is_found() {
        for (text, name) in [
            ("#!/bin/sh", Some("sh")),
            ("#! /usr/local/bin/bash -eu\n", Some("bash")),
            ("#!/usr/bin/env -S FOO=1 zsh -f\n", Some("zsh")),
            ("#!/bin/busybox ash\r\n", Some("ash")),
            ("#!/usr/bin/env python3\n", Some("python3")),
            ("#!C:/Program/sh.exe\r\n", Some("sh")),
            ("#!\nx", None),
            ("echo", None),
        ] {
            assert_eq!(interpreter(text.as_bytes()).as_deref(), name, "{text}");
        }
        assert!(is_shell("dash") && !is_shell("fish") && !is_shell("python3"));
    }

    #[test]
    fn every_line_is_one_line_with_the_path_quoted_for_the_shell() {
        for event in Event::ALL {
            let line = call().line(event);
            assert!(
                line.contains(r"brv='/opt/it'\''s/brv'") || line.contains(r"_brv='/opt/it'\''s/brv'"),
                "{line}"
            );
            assert!(line.contains(&format!("hooks run {event} \"$@\"")), "{line}");
            assert!(!line.contains('\n') && !line.contains("@BRV@") && !line.contains("@FOLDER@"), "{line}");
            assert!(call().portable().line(event).contains("brv='';"), "{line}");
        }
        assert!(Call::new(&LINES, Some(Path::new("/a\nb")), "").line(Event::PostCommit).contains("brv='';"));
    }

    #[test]
    fn a_line_for_another_project_is_noticed() {
        let line = |folder| with(b"", &Call::new(&LINES, None, folder).line(Event::PostCommit)).unwrap();
        let serves =
            |folder, text: &[u8]| serves_another(text, Event::PostCommit, &Call::new(&LINES, None, folder));
        assert!(!serves("", &line("")) && !serves("a b", &line("a b")) && !serves("", b"#!/bin/sh\n"));
        assert!(serves("", &line("a")) && serves("a", &line("")) && serves("a", &line("b")));
    }
}
