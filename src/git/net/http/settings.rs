//! git's settings and variables for http, for one URL.
//!
//! Makes no connection. Unsupported settings are errors if ignoring them would be less safe than the user asked for.

use crate::http;
use crate::net::network::Error;
use crate::net::timeouts::Limits;
use crate::settings::url_match::{UrlMatchRule, truth, values};
use brv_base::environment::Environment;
use bstr::{BString, ByteSlice as _};
use gix::url::Scheme;
use reqwest::header::{HeaderName, HeaderValue};
use std::path::PathBuf;
use std::time::Duration;

/// How to talk to one address.
#[derive(Debug)]
pub(super) struct Settings {
    /// `http.extraHeader`
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// `http.followRedirects`
    pub redirects: Redirects,
    /// `remote.<name>.proxy`, `http.proxy`, `https_proxy` and so on
    pub proxy: Proxy,
    /// `http.sslVerify`
    pub verification: Verification,
    /// `http.sslCAInfo` and `http.sslCAPath`: used instead of the machine's trusted certificates.
    pub authorities: Vec<PathBuf>,
    /// `http.sslCert`, and `http.sslKey` if it is another file.
    pub certificate: Option<(PathBuf, Option<PathBuf>)>,
    /// `http.sslVersion`
    pub oldest_tls: Option<reqwest::tls::Version>,
    /// `http.userAgent`
    pub user_agent: Option<String>,
    /// `http.lowSpeedLimit` and `http.lowSpeedTime`, if both are set.
    pub limits: Option<Limits>,
}

/// Whether redirects are followed: those of the first request of a conversation, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Redirects {
    Follow,
    Refuse,
}

/// Whether the server's certificate is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verification {
    Required,
    /// No: the user turned it off.
    Waived,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Proxy {
    Direct,
    Through {
        url: reqwest::Url,
        /// The hosts in `NO_PROXY`.
        except: Option<String>,
    },
}

impl Proxy {
    /// Whether connections to `host` use it. (No connection does if `NO_PROXY` has an address range, which is not
    /// parsed.)
    pub fn serves(&self, host: &str) -> bool {
        let Self::Through { except, .. } = self else { return false };
        let mut entries = except.as_deref().unwrap_or_default().split(',').map(str::trim);
        !entries.any(|entry| {
            let name = entry.trim_start_matches('.');
            let below = host.len().checked_sub(name.len()).and_then(|at| host.get(at..));
            entry == "*"
                || entry.contains('/')
                || (!name.is_empty()
                    && below.is_some_and(|end| end.eq_ignore_ascii_case(name))
                    && (host.len() == name.len() || host[..host.len() - name.len()].ends_with('.')))
        })
    }
}

impl Settings {
    /// The settings for `url`, reached as `remote`.
    pub fn read(
        repo: &gix::Repository,
        url: &gix::Url,
        remote: Option<&str>,
        environment: &Environment,
    ) -> Result<Self, Error> {
        let source = HttpSettingsSource { repo, url, environment };
        if source.text("pinnedPubkey", None).is_some() {
            return Err(refused("http.pinnedPubkey", "is not supported by brv"));
        }
        let waived = source.environment.get("GIT_SSL_NO_VERIFY").is_some()
            || source.truth("sslVerify")? == Some(false);
        Ok(Self {
            headers: source.headers()?,
            redirects: source.redirects()?,
            proxy: source.proxy(remote)?,
            verification: if waived { Verification::Waived } else { Verification::Required },
            authorities: [("sslCAInfo", "GIT_SSL_CAINFO"), ("sslCAPath", "GIT_SSL_CAPATH")]
                .into_iter()
                .filter_map(|(key, variable)| source.path(key, variable))
                .collect(),
            certificate: source
                .path("sslCert", "GIT_SSL_CERT")
                .map(|certificate| (certificate, source.path("sslKey", "GIT_SSL_KEY"))),
            oldest_tls: source.oldest_tls()?,
            user_agent: source.text("userAgent", Some("GIT_HTTP_USER_AGENT")),
            limits: source.limits()?,
        })
    }
}

fn refused(key: &'static str, reason: impl Into<String>) -> Error {
    Error::Setting { key, reason: reason.into() }
}

struct HttpSettingsSource<'a> {
    repo: &'a gix::Repository,
    url: &'a gix::Url,
    environment: &'a Environment,
}

impl HttpSettingsSource<'_> {
    fn all(&self, key: &str) -> Vec<BString> {
        values(self.repo, "http", key, self.url, UrlMatchRule::Best)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.environment.get_filled(name).map(str::to_owned)
    }

    /// The variable overrides the setting. An empty value counts as none.
    fn text(&self, key: &str, variable: Option<&str>) -> Option<String> {
        let set = || self.all(key).pop().map(|value| value.to_str_lossy().into_owned());
        variable.and_then(|name| self.variable(name)).or_else(set).filter(|text| !text.is_empty())
    }

    fn truth(&self, key: &'static str) -> Result<Option<bool>, Error> {
        let Some(value) = self.all(key).pop() else { return Ok(None) };
        let full = match key {
            "sslVerify" => "http.sslVerify",
            other => other,
        };
        truth(value.as_bstr()).map(Some).ok_or_else(|| refused(full, "must be true or false"))
    }

    fn path(&self, key: &str, variable: &str) -> Option<PathBuf> {
        let text = self.text(key, Some(variable))?;
        let home = || text.strip_prefix("~/").and_then(|rest| Some(gix::path::env::home_dir()?.join(rest)));
        Some(home().unwrap_or_else(|| PathBuf::from(&text)))
    }

    fn headers(&self) -> Result<Vec<(HeaderName, HeaderValue)>, Error> {
        let mut headers = Vec::new();
        for line in self.all("extraHeader") {
            if line.is_empty() {
                headers.clear();
                continue;
            }
            // the value may be a secret: do not print it
            let malformed = || refused("http.extraHeader", "must have the form `name: value`");
            let (name, value) = line.split_once_str(":").ok_or_else(malformed)?;
            let name = HeaderName::from_bytes(name.trim()).map_err(|_| malformed())?;
            let mut value = HeaderValue::from_bytes(value.trim()).map_err(|_| malformed())?;
            value.set_sensitive(true);
            headers.push((name, value));
        }
        Ok(headers)
    }

    fn redirects(&self) -> Result<Redirects, Error> {
        let Some(value) = self.all("followRedirects").pop() else { return Ok(Redirects::Follow) };
        match truth(value.as_bstr()) {
            Some(false) => Ok(Redirects::Refuse),
            Some(true) => Ok(Redirects::Follow),
            None if value.eq_ignore_ascii_case(b"initial") => Ok(Redirects::Follow),
            None => Err(refused("http.followRedirects", "must be `initial`, true or false")),
        }
    }

    fn proxy(&self, remote: Option<&str>) -> Result<Proxy, Error> {
        let scheme = if self.url.scheme == Scheme::Https { http::Scheme::Https } else { http::Scheme::Http };
        let of_remote = remote
            .and_then(|name| self.repo.config_snapshot().string(format!("remote.{name}.proxy").as_str()));
        let set =
            of_remote.or_else(|| self.all("proxy").pop()).map(|value| value.to_str_lossy().into_owned());
        let of_environment = || http::proxy(scheme, self.environment).map(str::to_owned);
        let Some(text) = set.or_else(of_environment).filter(|text| !text.trim().is_empty()) else {
            return Ok(Proxy::Direct);
        };
        let url = http::proxy_url(&text).map_err(|reason| refused("http.proxy", reason))?;
        if !url.username().is_empty() {
            self.check_proxy_method()?;
        }
        let except = http::no_proxy(self.environment).map(str::to_owned);
        Ok(Proxy::Through { url, except })
    }

    fn check_proxy_method(&self) -> Result<(), Error> {
        match self.text("proxyAuthMethod", Some("GIT_HTTP_PROXY_AUTHMETHOD")).as_deref() {
            None | Some("anyauth" | "basic") => Ok(()),
            Some(_) => {
                Err(refused("http.proxyAuthMethod", "names an unsupported method: brv supports `basic`"))
            }
        }
    }

    fn oldest_tls(&self) -> Result<Option<reqwest::tls::Version>, Error> {
        match self.text("sslVersion", Some("GIT_SSL_VERSION")).as_deref() {
            None | Some("tlsv1" | "tlsv1.0" | "tlsv1.1" | "tlsv1.2") => Ok(None),
            Some("tlsv1.3") => Ok(Some(reqwest::tls::Version::TLS_1_3)),
            Some(_) => Err(refused("http.sslVersion", "must be `tlsv1.2` or `tlsv1.3`")),
        }
    }

    fn limits(&self) -> Result<Option<Limits>, Error> {
        let number = |key: &'static str, variable| match self.text(key, Some(variable)) {
            None => Ok(0),
            Some(text) => text.trim().parse::<u32>().map_err(|_| refused(key, "is not a number")),
        };
        let slowest = number("lowSpeedLimit", "GIT_HTTP_LOW_SPEED_LIMIT")?;
        let seconds = number("lowSpeedTime", "GIT_HTTP_LOW_SPEED_TIME")?;
        let time = Duration::from_secs(seconds.into());
        Ok((slowest > 0 && seconds > 0).then_some(Limits { silence: time, slow_for: time, slowest }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{self, Key};

    fn scope(set: &[(&str, &str)]) -> (tempfile::TempDir, crate::Scope) {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        for (key, value) in set {
            settings::set(&scope, &Key::parse(key).unwrap(), value).unwrap();
        }
        let scope = crate::open(folder.path(), "", &brv_base::environment::Environment::default()).unwrap();
        (folder, scope)
    }

    fn read(set: &[(&str, &str)], variables: &[(&str, &str)], url: &str) -> Result<Settings, Error> {
        let (_folder, scope) = scope(set);
        let environment = variables.iter().copied().collect();
        Settings::read(&scope.repo, &gix::url::parse(url).unwrap(), Some("origin"), &environment)
    }

    fn proxy(set: &[(&str, &str)], variables: &[(&str, &str)], url: &str) -> Option<String> {
        match read(set, variables, url).unwrap().proxy {
            Proxy::Direct => None,
            Proxy::Through { url, .. } => Some(url.to_string()),
        }
    }

    const SITE: &str = "https://h.example/a";

    #[test]
    fn the_remotes_proxy_wins_over_that_of_http_and_that_over_the_environment() {
        let variables = [("HTTPS_PROXY", "env:1"), ("ALL_PROXY", "all:1")];
        let set = [("http.proxy", "http://conf:1"), ("remote.origin.proxy", "own:1")];
        assert_eq!(proxy(&set, &variables, SITE).unwrap(), "http://own:1/");
        assert_eq!(proxy(&set[..1], &variables, SITE).unwrap(), "http://conf:1/");
        assert_eq!(proxy(&[], &variables, SITE).unwrap(), "http://env:1/");
        assert_eq!(proxy(&[], &variables, "http://h.example/a").unwrap(), "http://all:1/");
        assert_eq!(proxy(&[], &[("HTTP_PROXY", "web:1")], "http://h.example/a"), None);
        assert_eq!(proxy(&[("remote.origin.proxy", "")], &variables, SITE), None);
        assert_eq!(proxy(&[("http.https://h.example.proxy", "")], &variables, SITE), None);
    }

    #[test]
    fn what_is_excepted_is_not_behind_the_proxy() {
        let url = reqwest::Url::parse("http://p:1").unwrap();
        let proxy = |except: &str| Proxy::Through { url: url.clone(), except: Some(except.into()) };
        for (except, host, served) in [
            ("", "h.example", true),
            ("other.example, .Example", "h.example", false),
            ("h.example", "h.example", false),
            ("h.example", "oh.example", true),
            ("*", "h.example", false),
            ("10.0.0.0/8", "10.1.1.1", false),
        ] {
            assert_eq!(proxy(except).serves(host), served, "{except} {host}");
        }
        assert!(!Proxy::Direct.serves("h.example"));
    }

    #[test]
    fn a_setting_that_cannot_be_obeyed_is_refused_by_its_name() {
        for (key, value) in [
            ("http.pinnedPubkey", "sha256//x"),
            ("http.proxyAuthMethod", "ntlm"),
            ("http.proxy", "gopher://ada@h"),
            ("http.sslVersion", "sslv3"),
            ("http.extraHeader", "nonsense"),
            ("http.followRedirects", "often"),
            ("http.sslVerify", "perhaps"),
        ] {
            let error = read(&[("http.proxy", "http://ada@h:1"), (key, value)], &[], SITE).unwrap_err();
            assert!(error.to_string().contains(&format!("`{key}`")), "{error}");
            assert!(!error.to_string().contains("nonsense"), "{error}");
        }
    }

    #[test]
    fn settings_for_an_address_hold_there_only() {
        let set = [
            ("http.https://h.example.sslVerify", "false"),
            ("http.lowSpeedLimit", "5"),
            ("http.lowSpeedTime", "7"),
        ];
        let here = read(&set, &[], SITE).unwrap();
        assert_eq!(here.verification, Verification::Waived);
        assert_eq!(here.limits.unwrap().silence, Duration::from_secs(7));
        let there = read(&set, &[("GIT_SSL_CAINFO", "/x.pem")], "https://other.example/").unwrap();
        assert_eq!(there.verification, Verification::Required);
        assert_eq!(there.authorities, [PathBuf::from("/x.pem")]);
    }
}
