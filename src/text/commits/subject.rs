//! What the subject and the files of a commit say before its body is read: fixups, version bumps, formatting, vendored
//! paths; and the title for an entry.

use super::{File, signals};

/// Folders of code that others wrote.
const VENDORED: [&str; 5] = ["node_modules", "third-party", "third_party", "vendor", "vendored"];

/// Files that a package manager writes.
const LOCKS: [&str; 19] = [
    "Cargo.lock",
    "Gemfile.lock",
    "Package.resolved",
    "Pipfile.lock",
    "Podfile.lock",
    "bun.lock",
    "bun.lockb",
    "composer.lock",
    "deno.lock",
    "flake.lock",
    "go.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "yarn.lock",
];

/// The most characters of a title.
const TITLE: usize = 100;

/// A commit that a rebase will fold into another.
pub(super) fn is_fixup(subject: &str) -> bool {
    ["fixup!", "squash!", "amend!"].iter().any(|start| subject.starts_with(start))
}

/// A release, or an update of dependencies.
pub(super) fn is_bump(subject: &str) -> bool {
    let lower = subject.to_lowercase();
    if lower.starts_with("chore(deps") || lower.starts_with("build(deps") || lower.starts_with("fix(deps") {
        return true;
    }
    let bare = untitled(&lower);
    let rest = bare.rsplit_once(": ").map_or(bare, |(_, rest)| rest);
    let words: Vec<&str> = rest.split_whitespace().map(|word| word.trim_matches(['`', '"', ','])).collect();
    let is = |list: &[&str], at: usize| words.get(at).is_some_and(|word| list.contains(word));
    let ends_with_version = words.last().is_some_and(|word| is_version(word));
    let is_alone = ends_with_version && words.len() <= 2 && !signals::is_step(rest);
    let has_version = words.iter().any(|word| is_version(word));
    let releases = is(&["release", "releases"], 0) && has_version;
    let prepares = is(&["prep", "prepare"], 0) && (has_version || rest.contains("release"));
    let updates = is(&["bump", "bumps", "update", "upgrade"], 0)
        && (ends_with_version
            || (rest.contains(" from ") && rest.contains(" to "))
            || is(&["cargo.lock", "dependencies", "deps", "lockfile", "version"], 1)
            || lower.starts_with("deps: "));
    is_alone || releases || prepares || updates
}

/// `1.2`, `v1.2.3`, `x-1.2.3`, `1.2.3-rc.1`
fn is_version(word: &str) -> bool {
    let word = word.rsplit_once('-').map_or(word, |(before, after)| {
        if after.starts_with(|c: char| c.is_ascii_digit()) { after } else { before }
    });
    let mut parts = word.trim_start_matches('v').split('.');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.next().is_some_and(is_number) && parts.next().is_some_and(is_number)
}

/// Formatting that a tool made.
pub(super) fn is_formatting(subject: &str) -> bool {
    const TOOLS: [&str; 8] =
        ["black", "clang-format", "fmt", "gofmt", "isort", "prettier", "rubocop", "rustfmt"];
    let lower = subject.to_lowercase();
    let (kind, bare) = signals::without_type(&lower);
    let rest = bare.rsplit_once(": ").map_or(bare, |(_, rest)| rest);
    let words: Vec<&str> = rest.split_whitespace().map(|word| word.trim_matches(['`', '.'])).collect();
    let names_tool = words.len() <= 4 && words.iter().any(|word| TOOLS.contains(word));
    kind == Some("style")
        || names_tool
        || matches!(rest, "format" | "formatting" | "reformat" | "format code")
}

/// Only code that others wrote, or only files that a package manager writes.
pub(super) fn is_vendored(files: &[File<'_>]) -> bool {
    let is_other = |path: &str| {
        let mut folders = path.split('/').rev();
        let name = folders.next().unwrap_or_default();
        LOCKS.contains(&name) || folders.any(|folder| VENDORED.contains(&folder))
    };
    all_paths(files, is_other)
}

/// Only files below a folder.
pub(super) fn is_below(files: &[File<'_>], folder: &str) -> bool {
    let folder = folder.trim_matches('/');
    let is_inside = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    !folder.is_empty() && all_paths(files, is_inside)
}

fn all_paths(files: &[File<'_>], holds: impl Fn(&str) -> bool) -> bool {
    !files.is_empty() && files.iter().all(|file| holds(file.path) && file.new_path.is_none_or(&holds))
}

/// The subject without the type of a conventional commit and issue numbers.
pub(super) fn title(subject: &str) -> String {
    let title = untitled(subject);
    if title.chars().count() <= TITLE {
        return title.to_owned();
    }
    let cut: String = title.chars().take(TITLE).collect();
    cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words).trim_end().to_owned()
}

fn untitled(subject: &str) -> &str {
    let mut title = signals::without_type(subject).1.trim();
    while let Some((before, number)) = title.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        let number = number.trim_start_matches("GH-").trim_start_matches(['#', '!']);
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) || before.trim().is_empty()
        {
            break;
        }
        title = before.trim_end();
    }
    title
}
