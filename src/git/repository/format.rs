//! Checks the format of a repository before anything in it is read or written: `core.repositoryFormatVersion` and
//! `extensions.*`, by the rules of gitrepository-layout(5).
//!
//! gitoxide accepts extensions that it does not know, and opens a reftable repository as an empty one.

use bstr::{BStr, BString, ByteSlice as _};
use gix::config::File;
use std::borrow::Cow;
use std::path::Path;

/// The format of a repository with longer ids: no protocol supports it.
pub(crate) const OTHER_IDS: &str = "SHA-256 object ids";

/// A format, in words that complete "the repository uses".
type FormatText = Cow<'static, str>;

/// Extensions that every version honours.
const OLD: [&str; 4] = ["noop", "partialclone", "preciousobjects", "worktreeconfig"];

/// Extensions that only version 1 may have.
const NEW: [&str; 5] = ["compatobjectformat", "noop-v1", "objectformat", "refstorage", "relativeworktrees"];

/// The format of the repository with this common folder, if brv does not support it.
pub(crate) fn unsupported(common: &Path) -> Option<FormatText> {
    let config = std::fs::read(common.join("config")).ok()?;
    let file = File::from_bytes_no_includes(
        &config,
        gix::config::file::Metadata::from(gix::config::Source::Local),
        gix::config::file::init::Options::default(),
    );
    // gitoxide names the line that it cannot parse
    unsupported_in(&file.ok()?)
}

fn unsupported_in(file: &File) -> Option<FormatText> {
    let version = match file.integer("core.repositoryFormatVersion") {
        Ok(version) => version.unwrap_or(0),
        Err(_) => return Some("a repository format version that is not a number".into()),
    };
    if version > 1 {
        return Some(format!("version {version} of the repository format").into());
    }
    extensions(file).into_iter().find_map(|(key, value)| refused(version, &key, value.as_bstr()))
}

/// All `extensions.*` in lower case, with their last values.
fn extensions(file: &File) -> Vec<(String, BString)> {
    let mut found: Vec<(String, BString)> = Vec::new();
    for section in file.sections_by_name("extensions").into_iter().flatten() {
        let below = section.header().subsection_name().map(|name| format!("{}.", name.to_str_lossy()));
        for name in section.value_names() {
            let key = format!("{}{name}", below.as_deref().unwrap_or_default()).to_ascii_lowercase();
            let value = section.value(name).unwrap_or_default();
            found.push((key, value));
        }
    }
    found
}

fn refused(version: i64, key: &str, value: &BStr) -> Option<FormatText> {
    let named =
        |text: &str| Some(format!("the extension `{}`{text}", crate::printable(key.as_bytes())).into());
    match key {
        "refstorage" if value == "reftable" => return Some("the reftable ref format".into()),
        "objectformat" if value != "sha1" => return Some(OTHER_IDS.into()),
        _ => {}
    }
    match version {
        ..1 if NEW.contains(&key) => named(", which needs version 1 of the repository format"),
        // git ignores the others, too
        ..1 => None,
        _ if OLD.contains(&key) => None,
        _ => match (key, value.as_bytes()) {
            ("noop-v1" | "relativeworktrees", _) | ("objectformat", b"sha1") | ("refstorage", b"files") => {
                None
            }
            _ => named(""),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(version: &str, key: &str, value: &str) -> Option<String> {
        let version = format!("[core]\n\trepositoryFormatVersion = {version}\n");
        let extension =
            if key.is_empty() { String::new() } else { format!("[extensions]\n\t{key} = {value}\n") };
        let options = gix::config::file::init::Options::default();
        let metadata = gix::config::file::Metadata::from(gix::config::Source::Local);
        let text = version + &extension;
        let file = File::from_bytes_no_includes(text.as_bytes(), metadata, options).unwrap();
        unsupported_in(&file).map(Cow::into_owned)
    }

    #[test]
    fn a_format_is_taken_where_git_and_brv_know_it() {
        for (version, key, value) in [
            ("0", "", ""),
            ("1", "", ""),
            ("-1", "unknown", "1"),
            ("0", "unknown", "1"),
            ("0", "noop", "1"),
            ("0", "preciousObjects", "true"),
            ("0", "partialClone", "origin"),
            ("0", "worktreeConfig", "true"),
            ("1", "noop", "1"),
            ("1", "noop-v1", "1"),
            ("1", "preciousObjects", "true"),
            ("1", "partialClone", "origin"),
            ("1", "worktreeConfig", "true"),
            ("1", "relativeWorktrees", "true"),
            ("1", "objectFormat", "sha1"),
            ("1", "refStorage", "files"),
        ] {
            assert_eq!(told(version, key, value), None, "{version} {key}");
        }
    }

    #[test]
    fn a_format_that_git_or_brv_does_not_know_is_named() {
        for (version, key, value, words) in [
            ("2", "", "", "version 2 of the repository format"),
            ("x", "", "", "a repository format version that is not a number"),
            ("1", "unknown", "1", "the extension `unknown`"),
            ("1", "submodulePathConfig", "true", "the extension `submodulepathconfig`"),
            ("1", "compatObjectFormat", "sha256", "the extension `compatobjectformat`"),
            ("1", "objectFormat", "sha256", "SHA-256 object ids"),
            ("1", "refStorage", "reftable", "the reftable ref format"),
            ("1", "refStorage", "other", "the extension `refstorage`"),
            ("0", "refStorage", "reftable", "the reftable ref format"),
            (
                "0",
                "refStorage",
                "files",
                "the extension `refstorage`, which needs version 1 of the repository format",
            ),
            ("0", "noop-v1", "1", "the extension `noop-v1`, which needs version 1 of the repository format"),
        ] {
            assert_eq!(told(version, key, value).as_deref(), Some(words), "{version} {key}");
        }
    }
}
