//! The answer to a server that asks who we are, and to which servers none is given.
//!
//! Does not talk to servers. User info of URLs is handled where the connection is made, under the same rules.

use super::network::{Credentials, Error, Prompt, Token};
use super::url::is_loopback;
use bstr::ByteSlice as _;
use gix::credentials::helper::{Action, Cascade, NextAction};
use gix::credentials::protocol::{Context, Outcome};
use gix::url::Scheme;
use std::collections::BTreeSet;

/// The setting that lets credentials go over plain http to other machines.
const ALLOW_INSECURE: &str = "http.allowInsecureCredentials";

/// Answers for one conversation.
pub(super) struct Keychain<'a> {
    repo: &'a gix::Repository,
    credentials: &'a Credentials,
    /// Where the user meant to go.
    asked: gix::Url,
    helpers: Option<(Cascade, gix::prompt::Options)>,
    /// Why no answer was given, if it was by rule.
    pub refusal: Option<Error>,
    /// Whether an answer was given.
    pub given: bool,
}

/// Whether a password may go to the server of `url`.
pub(super) fn may_send(repo: &gix::Repository, url: &gix::Url) -> Result<(), Error> {
    let host = url.host().unwrap_or_default();
    let allowed = url.scheme != Scheme::Http
        || is_loopback(host)
        || repo.config_snapshot().boolean(ALLOW_INSECURE) == Some(true);
    if allowed { Ok(()) } else { Err(Error::Insecure { host: host.into() }) }
}

impl<'a> Keychain<'a> {
    pub fn new(repo: &'a gix::Repository, credentials: &'a Credentials, asked: gix::Url) -> Self {
        Self { repo, credentials, asked, helpers: None, refusal: None, given: false }
    }

    /// gitoxide's question: get credentials, keep those that worked, forget those that did not.
    pub fn answer(&mut self, action: Action) -> gix::Result<Option<Outcome>> {
        match action {
            Action::Get(context) => {
                let outcome = self.get(context);
                self.given = matches!(outcome, Ok(Some(_)));
                outcome
            }
            // our own token is never stored: then no helper was asked, and none is told
            told => match &mut self.helpers {
                Some((helpers, prompt)) => helpers.invoke(told, prompt.clone()),
                None => Ok(None),
            },
        }
    }

    fn get(&mut self, context: Context) -> gix::Result<Option<Outcome>> {
        let url = gix::url::parse(context.url.clone().unwrap_or_default())?;
        if !matches!(url.scheme, Scheme::Http | Scheme::Https) {
            return Ok(None);
        }
        if let Err(refusal) = self.check(&url) {
            self.refusal = Some(refusal);
            return Ok(None);
        }
        if let Some(token) = self.token_for(&url) {
            let identity = gix::sec::identity::Account {
                username: token.user.clone(),
                password: token.secret.clone(),
                oauth_refresh_token: None,
            };
            return Ok(Some(Outcome { identity, next: NextAction::from(context) }));
        }
        let (mut helpers, action, mut prompt) = self.repo.config_snapshot().credential_helpers(url)?;
        if self.credentials.prompt == Prompt::Never {
            prompt.mode = gix::prompt::Mode::Disable;
        }
        let action = match action {
            Action::Get(mut prepared) => {
                prepared.www_authenticate = context.www_authenticate;
                Action::Get(prepared)
            }
            other => other,
        };
        let outcome = helpers.invoke(action, prompt.clone());
        self.helpers = Some((helpers, prompt));
        outcome
    }

    fn check(&self, url: &gix::Url) -> Result<(), Error> {
        let place = |url: &gix::Url| (url.host().map(str::to_lowercase), url.port_or_default());
        if place(url) != place(&self.asked)
            || (self.asked.scheme == Scheme::Https && url.scheme == Scheme::Http)
        {
            return Err(Error::Redirected {
                asked: host_and_port(&self.asked).unwrap_or_default(),
                redirected: host_and_port(url).unwrap_or_default(),
            });
        }
        may_send(self.repo, url)
    }

    fn token_for(&self, url: &gix::Url) -> Option<&'a Token> {
        let token = self.credentials.token.as_ref()?;
        if url.scheme != Scheme::Https {
            return None;
        }
        let place = host_and_port(url)?;
        let matches = match &token.host {
            Some(host) => {
                host.eq_ignore_ascii_case(&place) || host.eq_ignore_ascii_case(&format!("{place}:443"))
            }
            None => configured_hosts(self.repo) == BTreeSet::from([place]),
        };
        matches.then_some(token)
    }
}

/// `host`, or `host:port` where the port is not the scheme's own.
fn host_and_port(url: &gix::Url) -> Option<String> {
    let host = url.host()?.to_lowercase();
    Some(match url.port.filter(|port| Some(*port) != url.scheme.default_port()) {
        Some(port) => format!("{host}:{port}"),
        None => host,
    })
}

/// The hosts of all https remotes of the settings.
fn configured_hosts(repo: &gix::Repository) -> BTreeSet<String> {
    repo.remote_names()
        .iter()
        .filter_map(|name| repo.find_remote(name.to_str().ok()?).ok())
        .flat_map(|remote| {
            [gix::remote::Direction::Fetch, gix::remote::Direction::Push]
                .map(|direction| remote.url(direction).cloned())
        })
        .flatten()
        .filter(|url| url.scheme == Scheme::Https)
        .filter_map(|url| host_and_port(&url))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::remotes::{self, RemoteName};
    use crate::git::settings::{self, Key};
    use crate::git::{RemoteUrl, Scope, init};
    use std::path::Path;

    fn scope(remotes: &[(&str, &str)]) -> (tempfile::TempDir, Scope) {
        let folder = tempfile::tempdir().unwrap();
        let scope = init(folder.path(), "main").unwrap();
        for (name, url) in remotes {
            let url = RemoteUrl::parse(url, Path::new("/")).unwrap();
            remotes::add(&scope, &RemoteName::parse(name).unwrap(), &url).unwrap();
        }
        // no helper of this machine is asked
        settings::set(&scope, &Key::parse("credential.helper").unwrap(), "").unwrap();
        let scope = crate::git::open(folder.path(), "").unwrap();
        (folder, scope)
    }

    /// The password for a server at `asks`, when the user went to `asked`.
    fn password(scope: &Scope, host: Option<&str>, asked: &str, asks: &str) -> Result<Option<String>, Error> {
        let credentials = Credentials {
            token: Some(Token { user: "u".into(), secret: "secret".into(), host: host.map(str::to_owned) }),
            prompt: Prompt::Never,
        };
        let mut keychain = Keychain::new(&scope.repo, &credentials, gix::url::parse(asked).unwrap());
        let outcome = keychain.answer(Action::get_for_url(asks));
        match keychain.refusal {
            Some(refusal) => Err(refusal),
            None => Ok(outcome.ok().flatten().map(|outcome| outcome.identity.password)),
        }
    }

    #[test]
    fn the_token_goes_to_its_host_over_https_only() {
        let (_folder, scope) = scope(&[]);
        let to = |host, url| password(&scope, Some(host), url, url).unwrap_or(None).is_some();
        assert!(to("git.example.com", "https://git.example.com/a"));
        assert!(to("GIT.example.com:443", "https://git.example.com/a"));
        assert!(to("git.example.com:8443", "https://git.example.com:8443/a"));
        assert!(!to("git.example.com", "https://git.example.com:8443/a"));
        assert!(!to("git.example.com", "https://git.example.com.evil.org/a"));
        assert!(!to("git.example.com", "https://example.com/a"));
        assert!(!to("localhost", "http://localhost/a"));
        assert!(!to("git.example.com", "http://git.example.com/a"));
    }

    #[test]
    fn without_a_named_host_the_token_goes_to_the_one_configured_host() {
        let (_folder, one) = scope(&[("origin", "https://a.example/x"), ("b", "git@c.example:x")]);
        let (_folder2, two) = scope(&[("origin", "https://a.example/x"), ("b", "https://b.example/x")]);
        let to = |scope, url| password(scope, None, url, url).unwrap().is_some();
        assert!(to(&one, "https://a.example/y"));
        assert!(!to(&one, "https://c.example/y"));
        assert!(!to(&two, "https://a.example/y"));
    }

    #[test]
    fn no_credentials_go_where_a_redirect_leads_or_over_plain_http() {
        let (_folder, scope) = scope(&[]);
        for (asked, asks) in [
            ("https://a.example/x", "https://b.example/x"),
            ("https://a.example/x", "https://a.example:444/x"),
            ("http://localhost/x", "http://127.0.0.1/x"),
        ] {
            let error = password(&scope, Some("b.example"), asked, asks).unwrap_err();
            assert!(matches!(error, Error::Redirected { .. }), "{asked} {asks}: {error}");
        }
        let plain = "http://a.example/x";
        assert!(matches!(password(&scope, None, plain, plain), Err(Error::Insecure { .. })));
        settings::set(&scope, &Key::parse(ALLOW_INSECURE).unwrap(), "true").unwrap();
        let scope = crate::git::open(scope.work_tree(), "").unwrap();
        assert!(password(&scope, None, plain, plain).is_ok());
    }
}
