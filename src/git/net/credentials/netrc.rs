//! Finds user and password in `.netrc`, which git sends with the first request: it has curl read the file.
//!
//! The grammar is curl's, and so is the order: the first entry that fits is used, `default` fits every host. Ports do
//! not matter, and neither do the file's permissions. Does not decide which servers may get a password.

use brv_base::environment::Environment;
use gix::sec::identity::Account;
use std::io::Read as _;
use std::path::PathBuf;

/// More of a file is not read.
const MOST_BYTES: u64 = 1 << 20;

/// User and password for the server of `url`. A user in the URL selects the entry.
pub(super) fn account(url: &gix::Url, environment: &Environment) -> Option<Account> {
    let host = url.host()?.trim_start_matches('[').trim_end_matches(']');
    let text = files(environment).into_iter().find_map(read)?;
    find(&text, host, url.user().filter(|user| !user.is_empty()))
}

/// `NETRC`, or the file in the home folder.
fn files(environment: &Environment) -> Vec<PathBuf> {
    if let Some(file) = environment.get_os("NETRC").filter(|file| !file.is_empty()) {
        return vec![file.into()];
    }
    let home = environment.get_os("HOME").filter(|home| !home.is_empty());
    let Some(home) = home.map(PathBuf::from).or_else(gix::path::env::home_dir) else { return Vec::new() };
    let names: &[&str] = if cfg!(windows) { &[".netrc", "_netrc"] } else { &[".netrc"] };
    names.iter().map(|name| home.join(name)).collect()
}

/// The text of a file that can be read.
fn read(file: PathBuf) -> Option<String> {
    if !file.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(file).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[derive(Default)]
struct NetrcEntry {
    fits: bool,
    login: Option<String>,
    password: Option<String>,
}

impl NetrcEntry {
    fn account(self, user: Option<&str>) -> Option<Account> {
        let username = match (self.login, user) {
            (Some(login), Some(user)) if login != user => return None,
            (Some(login), _) => login,
            (None, user) => user?.to_owned(),
        };
        let password = self.password.filter(|_| self.fits)?;
        Some(Account { username, password, oauth_refresh_token: None })
    }
}

fn find(text: &str, host: &str, user: Option<&str>) -> Option<Account> {
    let mut words = NetrcWords(text);
    let mut entry = NetrcEntry::default();
    while let Some(word) = words.next() {
        let is_start = ["machine", "default"].contains(&word.to_ascii_lowercase().as_str());
        if is_start && let Some(account) = std::mem::take(&mut entry).account(user) {
            return Some(account);
        }
        match word.to_ascii_lowercase().as_str() {
            "machine" => entry.fits = words.next()?.eq_ignore_ascii_case(host),
            "default" => entry.fits = true,
            // the first of each counts
            "login" => {
                let login = words.next()?;
                entry.login.get_or_insert(login);
            }
            "password" => {
                let password = words.next()?;
                entry.password.get_or_insert(password);
            }
            "account" => drop(words.next()),
            "macdef" => words.skip_macro(),
            _ => {}
        }
    }
    entry.account(user)
}

/// The words of the file without comments, up to a quotation mark that is not closed on its line.
struct NetrcWords<'a>(&'a str);

impl NetrcWords<'_> {
    /// Leaves the rest of the line out.
    fn skip_line(&mut self) {
        self.0 = self.0.split_once('\n').map_or("", |(_, rest)| rest);
    }

    /// Leaves a macro out: the next empty line ends it.
    fn skip_macro(&mut self) {
        self.skip_line();
        while !self.0.is_empty() && !self.0.starts_with(['\n', '\r']) {
            self.skip_line();
        }
    }
}

impl Iterator for NetrcWords<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.0 = self.0.trim_start();
        while self.0.starts_with('#') {
            self.skip_line();
            self.0 = self.0.trim_start();
        }
        let Some(quoted) = self.0.strip_prefix('"') else {
            let (word, rest) = self.0.split_at(self.0.find(char::is_whitespace).unwrap_or(self.0.len()));
            self.0 = rest;
            return (!word.is_empty()).then(|| word.to_owned());
        };
        let unquoted = unquote(quoted);
        self.0 = unquoted.as_ref().map_or("", |(_, rest)| rest);
        unquoted.map(|(word, _)| word)
    }
}

/// The text up to the closing quotation mark, and the rest.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut characters = text.chars();
    loop {
        match characters.next()? {
            '"' => return Some((word, characters.as_str())),
            '\n' => return None,
            '\\' => word.push(match characters.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            }),
            character => word.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, user: Option<&str>) -> Option<String> {
        find(text, "h.example", user).map(|account| format!("{}:{}", account.username, account.password))
    }

    /// As `curl --netrc-optional` finds it.
    #[test]
    fn entries_are_read_as_curl_reads_them() {
        for (text, told) in [
            ("machine h.example login a password b", "a:b"),
            ("machine h.example\n\tlogin a\r\n\tpassword\n  b\r\n", "a:b"),
            ("MACHINE H.example LOGIN a PASSWORD b", "a:b"),
            ("machine h.example password b login a", "a:b"),
            ("machine h.example account x login a password b", "a:b"),
            ("machine h.example login machine password login", "machine:login"),
            ("machine h.example login a password \"b c\"", "a:b c"),
            (r#"machine h.example login a password "b\"c\td\\""#, "a:b\"c\td\\"),
            ("machine h.example login a password b\"c", "a:b\"c"),
            ("machine h.example login a password b#c # x", "a:b#c"),
            ("machine h.example login a password \"#b\"", "a:#b"),
            ("# machine h.example login a password b\nmachine h.example login c password d", "c:d"),
            (
                "machine o login x password y # machine h.example login a password b\ndefault login c password d",
                "c:d",
            ),
            ("default login a password b\nmachine h.example login c password d", "a:b"),
            ("machine h.example login c password d\ndefault login a password b", "c:d"),
            ("machine h.example login a\nmachine h.example login c password d", "c:d"),
            ("machine h.example login a password b login c password d", "a:b"),
            ("junk machine h.example login a password b", "a:b"),
            ("machine h.example login macdef password b", "macdef:b"),
            ("macdef x\nmachine h.example login m password m\n\nmachine h.example login c password d", "c:d"),
            (
                "machine o login a password b macdef x\nmachine h.example login m\n\ndefault login c password d",
                "c:d",
            ),
        ] {
            assert_eq!(found(text, None).as_deref(), Some(told), "{text}");
        }
        for text in [
            "",
            "machine",
            "machine h.example",
            "machine h.example login a",
            "machine h.example password b",
            "machine h.example:8080 login a password b",
            "machine example login a password b",
            "machine h.example login a password \"b",
            "machine h.example login a password #b",
            "login a password b",
        ] {
            assert_eq!(found(text, None), None, "{text}");
        }
    }

    #[test]
    fn the_user_of_the_url_selects_the_entry() {
        let text = "machine h.example login a password b\nmachine h.example login c password d";
        assert_eq!(found(text, Some("c")).unwrap(), "c:d");
        assert_eq!(found(text, Some("x")), None);
        assert_eq!(found("machine h.example password b", Some("x")).unwrap(), "x:b");
        assert_eq!(
            found("machine h.example login a password b\ndefault password d", Some("x")).unwrap(),
            "x:d"
        );
    }

    #[test]
    fn the_variable_names_the_file_and_a_folder_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("own");
        let text = b"machine h.example login a password b\n";
        brv_base::fs::replace(&file, text, brv_base::fs::Durability::Later).unwrap();
        let url = gix::url::parse("https://h.example/x").unwrap();
        let of = |name: &str, path: &std::path::Path| {
            let environment = [(name, path.as_os_str())].into_iter().collect();
            account(&url, &environment).map(|account| account.username)
        };
        assert_eq!(of("NETRC", &file).as_deref(), Some("a"));
        assert_eq!(of("NETRC", folder.path()), None);
        assert_eq!(of("HOME", folder.path()), None);
        std::fs::rename(file, folder.path().join(".netrc")).unwrap();
        assert_eq!(of("HOME", folder.path()).as_deref(), Some("a"));
    }
}
