//! Read the sources: which files exist, and which paths each of them names.

use std::path::{Path, PathBuf};

/// A file of `src` that is compiled into the program.
pub(super) struct File {
    /// `src/git/scope.rs`
    pub(super) name: String,
    /// `["git", "scope"]`; for a `mod.rs`, its folder. The folder of a crate is its first part.
    pub(super) module: Vec<String>,
    /// The lines before the tests, without comments.
    pub(super) lines: Vec<String>,
}

/// All files of `src` that are compiled into the program, in order.
pub(super) fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<File> =
        sources(root).iter().filter(|path| !is_for_tests(path)).map(|path| read(root, path)).collect();
    files.sort_by(|left, right| left.name.cmp(&right.name));
    assert!(files.len() > 10, "the sources are found");
    files
}

/// All files of `src`.
pub(super) fn sources(root: &Path) -> Vec<PathBuf> {
    rust_files(&root.join("src"))
}

/// All files of Rust below a folder.
pub(super) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_path_buf()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push(path);
            }
        }
    }
    sources
}

fn read(root: &Path, path: &Path) -> File {
    let relative: PathBuf = path.strip_prefix(root).unwrap().into();
    let name = relative.to_str().unwrap().replace('\\', "/");
    let mut module: Vec<String> =
        name.trim_start_matches("src/").trim_end_matches(".rs").split('/').map(Into::into).collect();
    if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main" | "git_brv")) {
        module.pop();
    }
    let text = std::fs::read_to_string(path).unwrap();
    File { name, module, lines: code(&text) }
}

/// The lines that are compiled into the program, at their line numbers, without comments.
fn code(text: &str) -> Vec<String> {
    let mut code = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            code.push(without_comment(line));
            continue;
        }
        match lines.next() {
            Some(item) if item.ends_with(';') => code.extend([String::new(), String::new()]),
            _ => break,
        }
    }
    code
}

/// How many lines are compiled into the program, comments included.
pub(super) fn lines_of_code(text: &str) -> usize {
    code(text).len()
}

/// Whether the file is a test-only module: `#[cfg(test)]` before its `mod` line.
pub(super) fn is_for_tests(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_str().unwrap();
    ["mod.rs", "lib.rs"].iter().any(|parent| {
        let text = std::fs::read_to_string(path.with_file_name(parent)).unwrap_or_default();
        text.contains(&format!("#[cfg(test)]\nmod {name};"))
    })
}

fn without_comment(line: &str) -> String {
    if line.trim_start().starts_with("//") {
        return String::new();
    }
    line.split(" // ").next().unwrap_or_default().to_string()
}

/// The crates below `src`, which are folders of it; `brv_text` is in `text`.
pub(super) const CRATES: [&str; 6] = ["base", "text", "git", "search", "engine", "commands"];

/// The path of a crate's own root, as a part of every module in it.
pub(super) fn own_crate(module: &[String]) -> Vec<String> {
    module.first().filter(|first| CRATES.contains(&first.as_str())).cloned().into_iter().collect()
}

/// Whether `src` has a folder or a file of this name, without its ending.
pub(super) fn is_room(name: &str) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name);
    path.is_dir() || path.with_extension("rs").is_file()
}

/// Every path that starts at a crate's root, with its line number: `crate::a::b`, `brv_text::a::b`, the same inside
/// braces, and `super::…` if it reaches the root or a sibling.
pub(super) fn imports(file: &File) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let code = file.lines.join("\n");
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_' || char == '$') {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        expand(&code[at + "crate::".len()..], &own_crate(&file.module), &mut |path| found.push((line, path)));
    }
    for (at, _) in code.match_indices("brv_") {
        let starts = !code[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_');
        let rest = &code[at + "brv_".len()..];
        let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        if !starts || !CRATES.contains(&name) {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        match rest.strip_prefix("::") {
            Some(rest) => expand(rest, &[name.to_owned()], &mut |path| found.push((line, path))),
            // the crate itself: `use brv_git as git;`
            None => found.push((line, vec![name.to_owned()])),
        }
    }
    let mut skip_until = 0;
    for (at, _) in code.match_indices("super::") {
        if at < skip_until || code[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_') {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        let mut rest = &code[at..];
        let mut base = file.module.clone();
        while let Some(shorter) = rest.strip_prefix("super::") {
            rest = shorter;
            base.pop();
        }
        skip_until = code.len() - rest.len();
        expand(rest, &base, &mut |path| found.push((line, path)));
    }
    found.retain(|(_, path)| !path.is_empty());
    found
}

/// The paths at the start of `text`, below `base`: `a::b::C` or `{a::B, c}`.
pub(super) fn expand(text: &str, base: &[String], found: &mut dyn FnMut(Vec<String>)) {
    let mut path = base.to_vec();
    let mut rest = text;
    loop {
        if let Some(inner) = rest.strip_prefix('{') {
            for part in parts(inner) {
                expand(part.trim(), &path, found);
            }
            return;
        }
        let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(rest.len());
        if end > 0 {
            path.push(rest[..end].to_string());
        }
        match rest[end..].strip_prefix("::") {
            Some(next) => rest = next,
            None => return found(path),
        }
    }
}

/// The items between an opening brace and its closing one.
fn parts(inner: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, char) in inner.char_indices() {
        match char {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(&inner[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.retain(|item| !item.trim().is_empty());
    items
}

#[test]
fn the_reader_of_imports_sees_through_braces_and_supers() {
    let file = File {
        name: "src/git/deep/file.rs".into(),
        module: vec!["git".into(), "deep".into(), "file".into()],
        lines: vec![
            "use crate::{fs::{self, Error}, path::TreePath};".into(),
            "let x = super::super::super::ops::run();".into(),
            "use super::near;".into(),
            "use brv_base::{fs, path::TreePath};".into(),
            "use brv_text as text;".into(),
        ],
    };
    let found: Vec<String> =
        imports(&file).into_iter().map(|(line, path)| format!("{line} {}", path.join("::"))).collect();
    assert_eq!(
        found,
        [
            "1 git::fs::self",
            "1 git::fs::Error",
            "1 git::path::TreePath",
            "4 base::fs",
            "4 base::path::TreePath",
            "5 text",
            "2 ops::run",
            "3 git::deep::near",
        ]
    );
}
