//! The files of code that links to a host mean: `https://HOST/…/blob/COMMIT/PATH#L12`.

/// What stands before the commit, at GitHub, GitLab and Gitea.
const BLOB: &str = "/blob/";

/// The fewest hexadecimal digits of a commit: what is shorter may be a branch, whose files are of another time.
const FEWEST: usize = 7;

/// The paths that links in a text have, as they were written.
pub(super) fn linked(text: &str) -> impl Iterator<Item = String> + '_ {
    text.match_indices(BLOB).filter_map(|(at, _)| {
        let before = text[..at].rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '<' | '"')).next()?;
        let is_link = before.starts_with("https://") || before.starts_with("http://");
        let rest = &text[at + BLOB.len()..];
        let end =
            rest.find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | '"' | '`' | ']' | '#' | '?'));
        let (commit, path) = rest[..end.unwrap_or(rest.len())].split_once('/')?;
        let is_commit = commit.len() >= FEWEST && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = path.trim_end_matches(['.', ',', ';', ':', '/']);
        let is_plain = !path.contains(['%', '\\', '*', ':']);
        let has_parts = path.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
        (is_link && is_commit && is_plain && has_parts).then(|| path.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_place_at_a_commit_means_its_file() {
        let sha = "0123456789abcdef0123456789abcdef01234567";
        let text = format!(
            "See [it](https://github.com/a/b/blob/{sha}/src/net/a.rs#L12-L20), <https://g.org/x/-/blob/{sha}/b.rs>\n\
             and https://github.com/a/b/blob/0123abc/c.rs?plain=1. Not https://github.com/a/b/blob/main/d.rs,\n\
             https://github.com/a/b/tree/{sha}/e, src/blob/{sha}/f.rs, https://h/blob/{sha}/../g.rs or https://h/blob/{sha}/"
        );
        let found: Vec<String> = linked(&text).collect();
        assert_eq!(found, ["src/net/a.rs", "b.rs", "c.rs"]);
    }
}
