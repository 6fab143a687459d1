//! URLs of remote repositories: validated once, and printed only without secrets.
//!
//! Makes no connection.

use crate::error::{During, Error};
use bstr::{BStr, BString, ByteSlice as _};
use gix::url::{ArgumentSafety, Scheme};
use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// The URL of a repository. `Display` and `Debug` leave user names, passwords and queries out.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteUrl {
    text: BString,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct UrlError(String);

impl UrlError {
    /// It, its host or its path would be read as an option by the programs it is given to.
    fn option(text: &str) -> Self {
        Self(format!("`{}` has a leading dash that a program would read as an option", redacted(text.into())))
    }

    /// It names a program to run, or a helper that is not supported.
    fn transport(text: &str) -> Self {
        let text = redacted(text.into());
        Self(format!("`{text}` uses an unsupported transport; use https, ssh, git or a path"))
    }

    fn malformed(text: &str) -> Self {
        Self(format!("`{}` is not a repository URL", redacted(text.into())))
    }
}

impl RemoteUrl {
    /// A URL as a user types it: `host:path` or a path is accepted too; a path is relative to `base`.
    pub fn parse(text: &str, base: &Path) -> Result<Self, UrlError> {
        if text.trim().is_empty() {
            return Err(UrlError("the URL is empty".into()));
        }
        if text.starts_with('-') {
            return Err(UrlError::option(text));
        }
        let malformed = || UrlError::malformed(text);
        if text.chars().any(char::is_control) {
            return Err(malformed());
        }
        let url = gix::url::parse(text).map_err(|_| malformed())?;
        match url.scheme {
            Scheme::File if !text.contains("://") => {
                let path = absolute(Path::new(text), base);
                let path = gix::path::into_bstr(path).map_err(|_| malformed())?;
                return Ok(Self { text: path.into_owned() });
            }
            Scheme::File | Scheme::Git | Scheme::Ssh | Scheme::Http | Scheme::Https => {}
            _ => return Err(UrlError::transport(text)),
        }
        let dashed = matches!(url.host_as_argument(), ArgumentSafety::Dangerous(_))
            || matches!(url.user_as_argument(), ArgumentSafety::Dangerous(_))
            || url.path.trim_start_with(|c| c == '/').starts_with(b"-") && url.scheme == Scheme::Ssh;
        if dashed {
            return Err(UrlError::option(text));
        }
        Ok(Self { text: text.into() })
    }

    pub(crate) fn configured(text: impl Into<BString>) -> Self {
        Self { text: text.into() }
    }

    /// The URL with all its secrets: for connecting and for settings files, never for display.
    pub fn expose(&self) -> &BStr {
        self.text.as_bstr()
    }

    /// The URL without its password, for settings files: otherwise the secret would be on disk.
    pub fn without_password(&self) -> Self {
        let Ok(mut url) = gix::url::parse(self.text.as_bstr()) else { return self.clone() };
        if url.password().is_none() {
            return self.clone();
        }
        url.set_password(None);
        Self { text: url.to_bstring() }
    }

    pub(crate) fn to_gix(&self) -> Result<gix::Url, Error> {
        gix::url::parse(self.text.as_bstr()).during(format!("parse the URL `{self}`"))
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redacted(self.text.as_bstr()))
    }
}

impl fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// `url` as it may be printed: without password and query, and over http without user name, which may be a token.
pub fn redacted(url: &BStr) -> String {
    crate::printable(shown(&url.to_str_lossy()).as_bytes())
}

/// As [`redacted`], for a text with a URL in it; the text before it is kept. The text after the URL goes with its
/// query, since the end of a token is unknown.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    replacing_query(without_user_info(text), "?…")
}

/// As [`shown`], but with a trace of what is left out: an empty user over http, an empty password elsewhere, an empty
/// query. For git such a URL is the same, and [`bare`] removes the trace.
pub(super) fn hiding(text: &str) -> Cow<'_, str> {
    replacing_query(hiding_user_info(text), "?")
}

/// As [`shown`], without any query: a usable URL.
pub(crate) fn bare(text: &str) -> Cow<'_, str> {
    replacing_query(without_user_info(text), "")
}

/// As [`shown`], but with the query: for a text that is not a URL but may contain one.
pub(crate) fn without_user_info(text: &str) -> Cow<'_, str> {
    let Some((scheme, user_info, rest)) = parts(text) else { return text.into() };
    let user = user_info.split(':').next().unwrap_or_default();
    let kept = if is_http(scheme) { String::new() } else { format!("{user}@") };
    format!("{scheme}{kept}{rest}").into()
}

/// As [`hiding`], but with the query.
pub(super) fn hiding_user_info(text: &str) -> Cow<'_, str> {
    match parts(text) {
        Some((scheme, _, rest)) if is_http(scheme) => format!("{scheme}@{rest}").into(),
        Some((scheme, user_info, rest)) => match user_info.split_once(':') {
            Some((user, _)) => format!("{scheme}{user}:@{rest}").into(),
            None => text.into(),
        },
        None => text.into(),
    }
}

/// The text before the user info of a URL, the user info, and the text after its `@`; `None` if it has none.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = text.split_at(text.find("://")? + 3);
    let authority_end = rest.find('/').unwrap_or(rest.len());
    let at = rest[..authority_end].rfind('@')?;
    Some((scheme, &rest[..at], &rest[at + 1..]))
}

fn is_http(scheme: &str) -> bool {
    ends_with_one_of(scheme, &["http://", "https://"])
}

fn ends_with_one_of(text: &str, ends: &[&str]) -> bool {
    let text = text.to_ascii_lowercase();
    ends.iter().any(|end| text.ends_with(end))
}

fn replacing_query<'a>(text: Cow<'a, str>, by: &str) -> Cow<'a, str> {
    let Some(scheme_end) = text.find("://").map(|at| at + 3) else { return text };
    // there a question mark is part of the path
    if ends_with_one_of(&text[..scheme_end], &["file://", "ssh://", "git://"]) {
        return text;
    }
    match text[scheme_end..].find('?') {
        Some(at) => format!("{}{by}", &text[..scheme_end + at]).into(),
        None => text,
    }
}

/// `path` relative to `base`, without `.` and `..`; symlinks are resolved if the form of the path stays the same.
fn absolute(path: &Path, base: &Path) -> std::path::PathBuf {
    // collecting the parts drops `.`
    let path: std::path::PathBuf = base.join(path).components().collect();
    if cfg!(unix)
        && let Ok(path) = path.canonicalize()
    {
        return path;
    }
    gix::path::normalize(Cow::Borrowed(path.as_path()), base).map_or_else(|| path.clone(), Cow::into_owned)
}

/// Whether a host is this machine: `localhost`, `127.0.0.0/8` or `::1`.
pub fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<RemoteUrl, UrlError> {
        RemoteUrl::parse(text, Path::new("/base"))
    }

    #[test]
    fn user_info_and_queries_are_never_printed() {
        for (url, printed) in [
            ("https://me:secret@host/a.git", "https://host/a.git"),
            ("https://token@host:8443/a.git", "https://host:8443/a.git"),
            ("https://a:p@ss@host/x@y", "https://host/x@y"),
            ("ssh://git:pw@host/a", "ssh://git@host/a"),
            ("git@host:a.git", "git@host:a.git"),
            ("/a/b", "/a/b"),
            ("https://host/\u{1b}[31ma", "https://host/a"),
            ("HTTPS://token@host/a", "HTTPS://host/a"),
            ("https://host/a.git?token=secret", "https://host/a.git?…"),
            ("https://me:p?s@host/a?access_token=a/b@c d", "https://host/a?…"),
            ("https://host?token=secret", "https://host?…"),
            ("ssh://git@host/a?b", "ssh://git@host/a?b"),
            ("file:///a?b", "file:///a?b"),
            ("/a?b", "/a?b"),
        ] {
            assert_eq!(redacted(url.into()), printed);
            assert_eq!(format!("{:?}", RemoteUrl::configured(url)), printed);
        }
    }

    #[test]
    fn of_what_is_hidden_a_trace_stays_that_can_be_taken_away() {
        for (text, hidden, left) in [
            ("https://me:s@h/a?t=s", "https://@h/a?", "https://h/a"),
            ("ssh://me:s@h/a", "ssh://me:@h/a", "ssh://me@h/a"),
            ("https://h/a?", "https://h/a?", "https://h/a"),
            ("https://h/a", "https://h/a", "https://h/a"),
            ("origin", "origin", "origin"),
        ] {
            assert_eq!((&*hiding(text), &*bare(text)), (hidden, left));
            assert_eq!((&*hiding(hidden), &*bare(hidden)), (hidden, left));
        }
    }

    #[test]
    fn addresses_that_run_programs_or_look_like_options_are_refused() {
        for text in ["-oProxyCommand=x", "ssh://-x/a", "ssh://host/-x", "ssh://-x@host/a", "-h:x"] {
            assert!(parse(text).unwrap_err().0.contains("leading dash"), "{text}");
        }
        for text in ["ext::sh -c true", "helper::x", "foo://bar"] {
            assert!(parse(text).unwrap_err().0.contains("unsupported transport"), "{text}");
        }
        assert!(parse("  ").unwrap_err().0.contains("is empty"));
        assert!(parse("https://a\nb/").unwrap_err().0.contains("not a repository URL"));
    }

    #[cfg(unix)]
    #[test]
    fn paths_become_absolute_and_urls_stay_as_written() {
        for (text, kept) in [
            ("../there.git", "/there.git"),
            ("/x/./y", "/x/y"),
            ("host:path/a.git", "host:path/a.git"),
            ("git@host:~/a.git", "git@host:~/a.git"),
            ("file:///x", "file:///x"),
            ("https://h/x", "https://h/x"),
        ] {
            assert_eq!(parse(text).unwrap().expose(), kept);
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.example.com", "128.0.0.1", "127.0.0.1.example.com", "::2", ""] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
