//! Settings for certain URLs: `http.<url>.*` and `credential.<url>.*`, matched as git does.
//!
//! Does not know what the settings mean.

use bstr::{BStr, BString, ByteSlice as _};
use gix::Url;
use gix::url::Scheme;

/// Which of several matching values apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UrlMatchRule {
    /// Those that match better than all before them: git's rule for `http.*`.
    Best,
    /// All that match: git's rule for `credential.*`.
    All,
}

/// How well a setting's URL matches: by host, then path, then user. A setting without a URL ranks lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Fit {
    host: usize,
    path: usize,
    user: bool,
}

/// The values of `key` in sections `section` that apply to `url`, in file order: for a key with one value the last is
/// effective. A key without a value is `true`. Untrusted settings files are skipped.
pub(crate) fn values(
    repo: &gix::Repository,
    section: &str,
    key: &str,
    url: &Url,
    rule: UrlMatchRule,
) -> Vec<BString> {
    let config = repo.config_snapshot();
    let file = config.plumbing();
    let mut best = Fit::default();
    let mut found = Vec::new();
    let trusted = |meta: &gix::config::file::Metadata| meta.trust == gix::sec::Trust::Full;
    for section in file.sections_by_name_and_filter(section, trusted).into_iter().flatten() {
        let fit = match section.header().subsection_name() {
            None => Some(Fit::default()),
            Some(pattern) => fit(pattern, url),
        };
        let Some(fit) = fit else { continue };
        let here: Vec<BString> = section
            .body()
            .into_iter()
            .filter(|(name, _)| name.to_string().eq_ignore_ascii_case(key))
            .map(|(_, value)| value)
            .collect();
        if here.is_empty() || (rule == UrlMatchRule::Best && fit < best) {
            continue;
        }
        best = fit;
        found.extend(here);
    }
    found
}

/// How well `pattern`, the middle part of a setting's name, matches `url`. `None`: not at all.
fn fit(pattern: &BStr, url: &Url) -> Option<Fit> {
    let pattern = pattern.to_str().ok()?;
    let (scheme, rest) = match pattern.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, pattern),
    };
    if scheme.is_some_and(|scheme| !scheme.eq_ignore_ascii_case(url.scheme.as_str())) {
        return None;
    }
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let (user, place) = match authority.rsplit_once('@') {
        Some((user, place)) => (Some(user.split(':').next().unwrap_or_default()), place),
        None => (None, authority),
    };
    if user.is_some_and(|user| url.user() != Some(user)) {
        return None;
    }
    let (host, port) = host_and_port(place)?;
    let port = port.or_else(|| url.scheme.default_port());
    let host = host.to_lowercase();
    if port != url.port_or_default() || !host_fits(&host, &url.host()?.to_lowercase()) {
        return None;
    }
    let path = path.trim_end_matches('/');
    if !path_fits(path, url.path.as_bstr()) {
        return None;
    }
    let literal = host.chars().filter(|c| *c != '*').count();
    Some(Fit { host: literal, path: path.len() + 1, user: user.is_some() })
}

/// in `[::1]:80` colons are inside of brackets
fn host_and_port(place: &str) -> Option<(&str, Option<u16>)> {
    match place.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => {
            Some((host, if port.is_empty() { None } else { Some(port.parse().ok()?) }))
        }
        _ => Some((place, None)),
    }
}

/// Matches label by label; `*` matches one.
fn host_fits(pattern: &str, host: &str) -> bool {
    let (pattern, host) = (pattern.trim_matches(['[', ']']), host.trim_matches(['[', ']']));
    let (mut wanted, mut there) = (pattern.split('.'), host.split('.'));
    loop {
        match (wanted.next(), there.next()) {
            (None, None) => return true,
            (Some("*"), Some(label)) if !label.is_empty() => {}
            (Some(wanted), Some(label)) if wanted == label => {}
            _ => return false,
        }
    }
}

/// Whether `pattern`, without a slash at its end, is `path` or a folder above it.
fn path_fits(pattern: &str, path: &BStr) -> bool {
    path.strip_prefix(pattern.as_bytes())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || pattern.is_empty())
}

/// A boolean as git parses it. `None`: invalid.
pub(crate) fn truth(value: &BStr) -> Option<bool> {
    gix::config::Boolean::try_from(value).ok().map(|value| value.0)
}

/// Whether settings by URL apply to this kind of URL.
pub(crate) const fn is_http(url: &Url) -> bool {
    matches!(url.scheme, Scheme::Http | Scheme::Https)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, url: &str) -> Option<Fit> {
        fit(pattern.into(), &gix::url::parse(url).unwrap())
    }

    #[test]
    fn an_address_fits_what_is_below_it_on_the_same_host_and_port() {
        for (pattern, url) in [
            ("https://h.example", "https://h.example/a/b.git"),
            ("https://h.example/", "https://h.example/a"),
            ("HTTPS://H.Example:443/a", "https://h.example/a/b"),
            ("https://h.example/a/", "https://h.example/a"),
            ("https://*.example", "https://h.example/x"),
            ("https://ada@h.example", "https://ada@h.example/x"),
            ("https://h.example", "https://ada@h.example/x"),
            ("http://127.0.0.1:81", "http://127.0.0.1:81/x"),
            ("http://[::1]:81", "http://[::1]:81/x"),
            ("h.example", "https://h.example/x"),
        ] {
            assert!(fits(pattern, url).is_some(), "{pattern} {url}");
        }
    }

    #[test]
    fn other_hosts_ports_schemes_users_and_neighbours_do_not_fit() {
        for (pattern, url) in [
            ("https://h.example", "http://h.example/a"),
            ("https://h.example", "https://h.example:444/a"),
            ("https://h.example", "https://h.example.evil/a"),
            ("https://example", "https://h.example/a"),
            ("https://*.example", "https://a.b.example/a"),
            ("https://*.example", "https://example/a"),
            ("https://h.example/a", "https://h.example/ab"),
            ("https://ada@h.example", "https://bob@h.example/x"),
            ("https://ada@h.example", "https://h.example/x"),
        ] {
            assert_eq!(fits(pattern, url), None, "{pattern} {url}");
        }
    }

    #[test]
    fn the_longer_host_wins_then_the_longer_path_then_the_user() {
        let url = "https://ada@h.example/a/b";
        let order = [
            "https://*.example/a/b",
            "https://h.example",
            "https://ada@h.example",
            "https://h.example/a",
            "https://h.example/a/b",
        ];
        for pair in order.windows(2) {
            assert!(fits(pair[0], url) < fits(pair[1], url), "{pair:?}");
        }
    }

    fn repo(settings: &str) -> (tempfile::TempDir, gix::Repository) {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let path = scope.common_dir().join("config");
        let text = std::fs::read_to_string(&path).unwrap() + settings;
        #[expect(clippy::disallowed_methods, reason = "a test's own file")]
        std::fs::write(path, text).unwrap();
        let scope = crate::open(folder.path(), "", &brv_base::environment::Environment::default()).unwrap();
        let repo = scope.repo.clone();
        (folder, repo)
    }

    #[test]
    fn a_setting_without_an_address_yields_to_one_with_a_fitting_address_wherever_it_stands() {
        let settings = "[http \"https://h.example\"]\n\tproxy = one\n[http]\n\tproxy = two\n\
                        [http \"https://other.example\"]\n\tproxy = three\n";
        let (_folder, repo) = repo(settings);
        let of = |url: &str, rule| values(&repo, "http", "proxy", &gix::url::parse(url).unwrap(), rule);
        assert_eq!(of("https://h.example/x", UrlMatchRule::Best), ["one"]);
        assert_eq!(of("https://h.example/x", UrlMatchRule::All), ["one", "two"]);
        assert_eq!(of("https://nobody.example/x", UrlMatchRule::Best), ["two"]);
    }
}
