//! The remotes that are indexed, as a file or flags list them, and what their trees are called.
//!
//! Makes no connection.

use crate::Stop;
use brv_base::messages::{brief, printable};
use brv_git::RemoteUrl;
use brv_git::offered::OfferedBranches;
use bstr::ByteSlice as _;
use std::collections::BTreeMap;
use std::path::Path;

/// What the branches of trees begin with whose remote is that of the code.
pub const HOST_BRANCHES: &str = "brv/";

/// What stands for the default in a line.
const DEFAULT: &str = "-";

/// The longest name of a tree, in bytes: engines take keys of up to 512 as ids and much longer ones as keywords.
const LONGEST_NAME: usize = 400;

/// A remote to index: `URL [branch] [prefix] [name]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteLine {
    pub url: RemoteUrl,
    pub branch: Option<String>,
    /// The folder of the tree in the repository; empty if the repository is the tree.
    pub prefix: String,
    pub name: Option<String>,
}

/// A tree of a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteTree {
    /// By which it is known in the index.
    pub name: String,
    /// The URL, without secrets.
    pub remote: String,
    pub branch: String,
    pub prefix: String,
}

/// Read a list: a remote a line; `#` begins a comment.
///
/// # Errors
/// Wrong usage: a line that is none, or a remote that stands there twice.
pub fn read(text: &str, base: &Path) -> Result<Vec<RemoteLine>, Stop> {
    let mut remotes = Vec::new();
    // editors of Windows begin a file with a mark of its encoding
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
        if words.is_empty() {
            continue;
        }
        let wrong = |why: String| Stop::usage(format!("line {} of the list: {why}", number + 1));
        remotes.push(listed(&words, base).map_err(wrong)?);
    }
    Ok(remotes)
}

/// The remote that these words name.
///
/// # Errors
/// What is wrong with them.
pub fn listed(words: &[&str], base: &Path) -> Result<RemoteLine, String> {
    let [url, rest @ ..] = words else { return Err("no URL".into()) };
    if rest.len() > 3 {
        return Err(format!(
            "more than URL, branch, prefix and name: `{}`",
            brief(printable(rest[3].as_bytes()))
        ));
    }
    let word = |at: usize| rest.get(at).filter(|word| **word != DEFAULT).map(|word| (*word).to_owned());
    let remote = RemoteLine {
        url: RemoteUrl::parse(url, base).map_err(|error| error.to_string())?,
        branch: word(0),
        prefix: word(1).map(|prefix| prefix.trim_matches('/').to_owned()).unwrap_or_default(),
        name: word(2),
    };
    if let Some(branch) = remote.branch.as_deref().filter(|branch| !brv_git::is_branch_name(branch)) {
        return Err(format!("`{}` is not a branch", brief(printable(branch.as_bytes()))));
    }
    let is_folder = |part: &str| !matches!(part, "" | "." | "..");
    if !remote.prefix.is_empty() && !remote.prefix.split('/').all(is_folder) {
        return Err(format!(
            "`{}` is not a folder of a repository",
            brief(printable(remote.prefix.as_bytes()))
        ));
    }
    let is_name = |name: &str| name.len() <= LONGEST_NAME && !name.contains(char::is_control);
    match remote.name.as_deref().filter(|name| !is_name(name)) {
        Some(name) => Err(format!("`{}` is not a name", brief(printable(name.as_bytes())))),
        None => Ok(remote),
    }
}

/// Refuse a list that names one tree twice.
///
/// # Errors
/// Wrong usage: which one.
pub fn check_twice<'t>(trees: impl Iterator<Item = (&'t str, &'t str)>) -> Result<(), Stop> {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for (tree, remote) in trees {
        if let Some(other) = known.insert(tree, remote) {
            let message = format!("the tree `{tree}` is named twice: by `{other}` and by `{remote}`");
            return Err(
                Stop::usage(message).hint("a line may give a tree a name of its own, in the fourth place")
            );
        }
    }
    Ok(())
}

impl RemoteLine {
    /// The trees that it has, of what it offers: the branch that is named; else each `brv/*` where the remote is that of the
    /// code; else the branch of its `HEAD`.
    ///
    /// # Errors
    /// It has no such branch, or none at all.
    pub fn trees(&self, offered: &OfferedBranches) -> Result<Vec<RemoteTree>, String> {
        let default = offered.default.as_ref().map(|branch| branch.to_str_lossy().into_owned());
        if let Some(branch) = &self.branch {
            return match offered.commit_of(branch.as_bytes()) {
                Some(_) => Ok(vec![self.tree(branch, default.as_deref())]),
                None => Err(format!("it has no branch `{branch}`")),
            };
        }
        let names = offered.branches.iter().map(|(name, _)| name);
        let own: Vec<String> = names
            .filter(|name| name.starts_with(HOST_BRANCHES.as_bytes()) && self.prefix.is_empty())
            .map(|name| name.to_str_lossy().into_owned())
            .collect();
        if !own.is_empty() {
            if self.name.is_some() && own.len() > 1 {
                return Err("it has several trees, which cannot all have this name: name a branch".into());
            }
            return Ok(own.iter().map(|branch| self.tree(branch, default.as_deref())).collect());
        }
        match default.filter(|branch| offered.commit_of(branch.as_bytes()).is_some()) {
            Some(branch) => Ok(vec![self.tree(&branch, Some(&branch))]),
            None => Err("it has no commits on its default branch".into()),
        }
    }

    fn tree(&self, branch: &str, default: Option<&str>) -> RemoteTree {
        let named = || {
            let mut name = normalised(&self.url.without_password().expose().to_str_lossy());
            if default != Some(branch) {
                name = format!("{name}#{branch}");
            }
            if !self.prefix.is_empty() {
                name = format!("{name}:{}", self.prefix);
            }
            name
        };
        RemoteTree {
            name: self.name.clone().unwrap_or_else(named),
            remote: self.url.to_string(),
            branch: branch.to_owned(),
            prefix: self.prefix.clone(),
        }
    }

    /// The name of its tree as far as it is known without asking the remote.
    pub fn key(&self) -> String {
        let branch = self.branch.as_ref().map(|branch| format!("#{branch}")).unwrap_or_default();
        let prefix = if self.prefix.is_empty() { String::new() } else { format!(":{}", self.prefix) };
        self.name.clone().unwrap_or_else(|| format!("{}{branch}{prefix}", self.mirror_name()))
    }

    /// By what its mirror is known.
    pub fn mirror_name(&self) -> String {
        normalised(&self.url.without_password().expose().to_str_lossy())
    }
}

/// Host and path of a URL in lower case: without scheme, user, default port, query and `.git`.
fn normalised(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let is_path = scheme == "file" || (scheme.is_empty() && (rest.starts_with(['/', '.']) || is_drive(rest)));
    let (host, path) = match (is_path, scheme) {
        (true, _) => ("", rest),
        // `host:path`
        (false, "") => rest.split_once(':').unwrap_or((rest, "")),
        (false, _) => rest.split_once('/').unwrap_or((rest, "")),
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let port = match scheme {
        "https" => ":443",
        "http" => ":80",
        "git" => ":9418",
        _ => ":22",
    };
    let host = host.strip_suffix(port).unwrap_or(host);
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let joined = if is_path { path.to_owned() } else { format!("{host}/{}", path.trim_start_matches('/')) };
    joined.to_lowercase()
}

/// Whether a path begins with the drive of Windows.
fn is_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_git::CommitId;

    fn offered(default: &str, branches: &[&str]) -> OfferedBranches {
        let commit = CommitId::from_hex(&"1".repeat(40)).unwrap();
        OfferedBranches {
            branches: branches.iter().map(|name| ((*name).into(), commit)).collect(),
            default: Some(default.into()),
        }
    }

    fn names(line: &str, offer: &OfferedBranches) -> Result<Vec<String>, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let remote = listed(&words, Path::new("/base"))?;
        Ok(remote.trees(offer)?.into_iter().map(|tree| tree.name).collect())
    }

    #[test]
    fn one_repository_has_one_name_whatever_its_url() {
        let urls = [
            "https://Git.Example/Team/Notes.git",
            "https://ada:pw@git.example:443/team/notes/",
            "ssh://git@git.example:22/team/notes.git",
            "git@git.example:team/notes.git",
            "git.example:/team/notes",
            "http://git.example:80/team/notes?x=1",
        ];
        for url in urls {
            assert_eq!(normalised(url), "git.example/team/notes", "{url}");
        }
        assert_eq!(normalised("ssh://git@git.example:2222/a"), "git.example:2222/a");
        assert_eq!(normalised("file:///srv/A.git"), "/srv/a");
        assert_eq!(normalised("/srv/a.git/"), "/srv/a");
    }

    #[test]
    fn a_tree_is_named_by_branch_and_prefix_where_they_are_not_the_usual_ones() {
        let plain = offered("main", &["main", "dev"]);
        assert_eq!(names("https://h/a", &plain).unwrap(), ["h/a"]);
        assert_eq!(names("https://h/a main", &plain).unwrap(), ["h/a"]);
        assert_eq!(names("https://h/a dev docs/kb/", &plain).unwrap(), ["h/a#dev:docs/kb"]);
        assert_eq!(names("https://h/a - docs payments", &plain).unwrap(), ["payments"]);
        assert!(names("https://h/a other", &plain).unwrap_err().contains("no branch `other`"));
        assert!(names("https://h/a", &offered("main", &["dev"])).unwrap_err().contains("no commits"));
    }

    #[test]
    fn each_branch_of_brv_is_a_tree_of_a_host_remote() {
        let host = offered("main", &["main", "brv/main", "brv/x"]);
        assert_eq!(names("https://h/a", &host).unwrap(), ["h/a#brv/main", "h/a#brv/x"]);
        assert_eq!(names("https://h/a - docs", &host).unwrap(), ["h/a:docs"]);
        assert!(names("https://h/a - - one", &host).unwrap_err().contains("several"));
    }

    #[test]
    fn a_list_has_comments_and_its_faults_have_lines() {
        let text = "# all\n\nhttps://h/a  # ours\n/srv/b dev\n";
        let read = |text: &str| read(text, Path::new("/base"));
        assert_eq!(read(text).unwrap().len(), 2);
        for (text, why) in [
            ("https://h/a\next::sh", "line 2"),
            ("https://h/a b c d e", "more than"),
            ("https://h/a a..b", "not a branch"),
            ("https://h/a - ../x", "not a folder"),
            ("--upload-pack=x", "dash"),
        ] {
            assert!(read(text).unwrap_err().message.contains(why), "{text}");
        }
        let twice = [("h/a", "https://h/a"), ("h/a", "git@h:a")];
        assert!(check_twice(twice.into_iter()).unwrap_err().message.contains("twice"));
    }
}
