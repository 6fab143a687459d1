//! Provides credentials when a server asks for them, and decides which servers get none.
//!
//! Does not talk to servers. User info in URLs is handled where the connection is made, under the same rules.

mod ask;
mod fault;
mod helpers;
mod netrc;

use super::network::{Error, HostToken, Network, TokenHost};
use crate::prompt::Prompt;
use crate::settings::url::is_loopback;
use ask::{CredentialPrompt, Secret};
use bstr::ByteSlice as _;
use gix::credentials::helper::{Action, NextAction};
use gix::credentials::protocol::{Context, Outcome};
use gix::sec::identity::Account;
use gix::url::Scheme;
use helpers::{HelperAction, HelperOutcome, Helpers};
use std::collections::BTreeSet;

/// The setting that allows credentials over plain http to other machines.
const ALLOW_INSECURE: &str = "http.allowInsecureCredentials";

pub(super) struct Keychain<'a> {
    repo: &'a gix::Repository,
    network: &'a Network<'a>,
    asked: gix::Url,
    given: Given,
    /// Pairs of user and password that the server rejected.
    refused: Vec<(Option<String>, Option<String>)>,
    /// The report of a helper that failed.
    fault: Option<String>,
    /// Why a rule denied credentials.
    pub refusal: Option<Error>,
}

/// The credentials that were sent with the first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    Nobody,
    OfUrl,
    /// The credentials of `.netrc`.
    OfNetrc,
}

enum Given {
    /// None were requested or found.
    Nothing,
    /// None: a helper answered `quit`.
    Stopped,
    /// `BRV_TOKEN`: helpers are not told about it.
    Token,
    /// From helpers or the user, with the helpers to notify of the result.
    Answer(Box<Context>, Helpers),
}

/// Whether a password may be sent to the server of `url`.
pub(super) fn may_send(repo: &gix::Repository, url: &gix::Url) -> Result<(), Error> {
    let host = url.host().unwrap_or_default();
    let allowed = url.scheme != Scheme::Http
        || is_loopback(host)
        || repo.config_snapshot().boolean(ALLOW_INSECURE) == Some(true);
    if allowed { Ok(()) } else { Err(Error::Insecure { host: host.into() }) }
}

/// User and password for `url` from helpers. Uses no token, and does not ask the user.
pub(super) fn of_helpers(
    repo: &gix::Repository,
    url: &gix::Url,
    network: &Network<'_>,
) -> Result<Option<Account>, Error> {
    let mut context = helpers::question(repo, url)?;
    Helpers::of(repo, url, network).get(&mut context, &helpers::patience(network))?;
    Ok(account(&context))
}

/// User and password for the first request to `url`, from `.netrc`. None where `BRV_TOKEN` is meant for the server, or where
/// no password may be sent: the server may need none.
pub(super) fn beforehand(repo: &gix::Repository, url: &gix::Url, network: &Network<'_>) -> Option<Account> {
    let has_token = Keychain::new(repo, network, url.clone()).token_for(url).is_some();
    if has_token || may_send(repo, url).is_err() {
        return None;
    }
    netrc::account(url, network.environment)
}

fn account(context: &Context) -> Option<Account> {
    Some(Account {
        username: context.username.clone()?,
        password: context.password.clone()?,
        oauth_refresh_token: None,
    })
}

impl<'a> Keychain<'a> {
    pub fn new(repo: &'a gix::Repository, network: &'a Network<'a>, asked: gix::Url) -> Self {
        let (given, refused) = (Given::Nothing, Vec::new());
        Self { repo, network, asked, given, refused, fault: None, refusal: None }
    }

    /// Handles gitoxide's requests: get credentials, store those that worked, erase those that did not.
    pub fn answer(&mut self, action: Action) -> gix::Result<Option<Outcome>> {
        let answered = match action {
            Action::Get(context) => self.get(context),
            Action::Store(_) => self.tell(HelperAction::Store),
            Action::Erase(_) => self.tell(HelperAction::Erase),
        };
        match answered {
            Ok(outcome) => Ok(outcome),
            Err(refusal) => {
                self.refusal = Some(refusal);
                Ok(None)
            }
        }
    }

    /// Whether another try makes sense: the rejected credentials came from a helper or the user.
    pub fn may_try_again(&self) -> bool {
        matches!(self.given, Given::Answer(..)) && self.refused.len() == 1
    }

    /// Why authentication failed, for the error message.
    pub fn why(&self) -> String {
        match (&self.given, &self.fault) {
            (Given::Nothing | Given::Stopped, Some(fault)) => format!("{}; {fault}", self.without_fault()),
            _ => self.without_fault(),
        }
    }

    fn without_fault(&self) -> String {
        match (&self.given, &self.network.credentials.token) {
            (Given::Nothing, Some(_)) if self.refused.is_empty() && self.asked.scheme == Scheme::Http => {
                "no credentials are set: `BRV_TOKEN` is sent over https only".into()
            }
            (Given::Token, _) => "the server rejected the token in `BRV_TOKEN`".into(),
            (Given::Stopped, _) => "a credential helper ended the search (`quit`)".into(),
            (Given::Answer(..), _) => REFUSED.into(),
            (Given::Nothing, _) if !self.refused.is_empty() => REFUSED.into(),
            (Given::Nothing, Some(HostToken { host: TokenHost::Named(host), .. })) => {
                format!(
                    "no credentials are set (`BRV_TOKEN` is for `{}` over https)",
                    crate::printable(host.as_bytes())
                )
            }
            (Given::Nothing, Some(_)) => {
                "no credentials are set: `BRV_TOKEN` may not be meant for this host".into()
            }
            (Given::Nothing, None) => "no credentials are set".into(),
        }
    }

    /// As [`Self::why`], if these credentials were tried first.
    pub fn why_beside(&self, first: First) -> String {
        match (&self.given, first) {
            (Given::Nothing, First::OfUrl) => REFUSED.into(),
            (Given::Nothing, First::OfNetrc) => "the server rejected the credentials in `.netrc`".into(),
            _ => self.why(),
        }
    }

    fn tell(&mut self, verb: HelperAction) -> Result<Option<Outcome>, Error> {
        let patience = helpers::patience(self.network);
        if let Given::Answer(context, helpers) = &self.given {
            helpers.tell(verb, context, &patience)?;
            if verb == HelperAction::Erase {
                self.refused.push((context.username.clone(), context.password.clone()));
            }
        }
        Ok(None)
    }

    fn get(&mut self, context: Context) -> Result<Option<Outcome>, Error> {
        self.given = Given::Nothing;
        let parsed = gix::url::parse(context.url.clone().unwrap_or_default());
        let Ok(url) = parsed else { return Ok(None) };
        if !matches!(url.scheme, Scheme::Http | Scheme::Https) {
            return Ok(None);
        }
        self.check(&url)?;
        if let Some(token) = self.token_for(&url) {
            let identity = Account {
                username: token.user.clone(),
                password: token.secret.clone(),
                oauth_refresh_token: None,
            };
            self.given = Given::Token;
            return Ok(Some(Outcome { identity, next: NextAction::from(context) }));
        }
        let mut question = helpers::question(self.repo, &url)?;
        question.www_authenticate = context.www_authenticate;
        let mut helpers = Helpers::of(self.repo, &url, self.network);
        let patience = helpers::patience(self.network);
        let asked = helpers.get(&mut question, &patience)?;
        self.fault = helpers.fault.take();
        if asked == HelperOutcome::Quit && account(&question).is_none() {
            self.given = Given::Stopped;
            return Ok(None);
        }
        question.www_authenticate.clear();
        if self.was_refused(&question) {
            question.password = None;
        }
        self.ask(&mut question)?;
        let Some(identity) = account(&question).filter(|_| !self.was_refused(&question)) else {
            return Ok(None);
        };
        self.given = Given::Answer(Box::new(question), helpers);
        Ok(Some(Outcome { identity, next: NextAction::from(Context::default()) }))
    }

    fn was_refused(&self, context: &Context) -> bool {
        self.refused.iter().any(|(user, password)| *user == context.username && *password == context.password)
    }

    /// Asks the user at the terminal, if there is one, for what is missing.
    fn ask(&self, context: &mut Context) -> Result<(), Error> {
        if self.network.credentials.prompt == Prompt::Never {
            return Ok(());
        }
        let preface = (!self.refused.is_empty())
            .then(|| "The server rejected the user name or password; try again:".into());
        let mut person = CredentialPrompt::of(self.repo, preface, self.network);
        if context.username.is_none() {
            context.username = person.ask(Secret::User, context)?;
        }
        if context.username.is_some() && context.password.is_none() {
            context.password = person.ask(Secret::Password, context)?;
        }
        Ok(())
    }

    fn check(&self, url: &gix::Url) -> Result<(), Error> {
        let place = |url: &gix::Url| (url.host().map(str::to_lowercase), url.port_or_default());
        // the one safe change: from http to https on their default ports
        let upgraded = self.asked.host().map(str::to_lowercase) == url.host().map(str::to_lowercase)
            && (&self.asked.scheme, self.asked.port_or_default()) == (&Scheme::Http, Some(80))
            && (&url.scheme, url.port_or_default()) == (&Scheme::Https, Some(443));
        if (place(url) != place(&self.asked) && !upgraded)
            || (self.asked.scheme == Scheme::Https && url.scheme == Scheme::Http)
        {
            return Err(Error::Redirected {
                asked: host_and_port(&self.asked).unwrap_or_default(),
                redirected: host_and_port(url).unwrap_or_default(),
            });
        }
        may_send(self.repo, url)
    }

    fn token_for(&self, url: &gix::Url) -> Option<&'a HostToken> {
        let token = self.network.credentials.token.as_ref()?;
        if url.scheme != Scheme::Https || self.asked.scheme != Scheme::Https {
            return None;
        }
        let place = host_and_port(url)?;
        let matches = match &token.host {
            TokenHost::Named(host) => {
                let host = host.to_lowercase();
                let host = host.strip_suffix(":443").unwrap_or(&host);
                without_dot(host) == place
            }
            TokenHost::Configured => configured_hosts(self.repo) == BTreeSet::from([place]),
            TokenHost::Nobody => false,
        };
        matches.then_some(token)
    }
}

const REFUSED: &str = "the server rejected the credentials";

/// Removes the trailing dot of a fully qualified name, as in `host.example.`.
fn without_dot(place: &str) -> String {
    match place.split_once(':') {
        Some((host, port)) => format!("{}:{port}", host.trim_end_matches('.')),
        None => place.trim_end_matches('.').to_owned(),
    }
}

/// `host`, or `host:port` where the port is not the scheme's own.
fn host_and_port(url: &gix::Url) -> Option<String> {
    let host = url.host()?.to_lowercase();
    let host = host.strip_suffix('.').map_or(host.clone(), str::to_owned);
    Some(match url.port.filter(|port| Some(*port) != url.scheme.default_port()) {
        Some(port) => format!("{host}:{port}"),
        None => host,
    })
}

/// The hosts of all https remotes in the settings.
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
    use crate::init;
    use crate::net::network::Credentials;
    use crate::settings::remotes::{self, RemoteName};
    use crate::settings::{self, Key};
    use crate::{Limits, RemoteUrl, Scope};
    use brv_base::progress::Silent;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn scope(remotes: &[(&str, &str)]) -> (tempfile::TempDir, Scope) {
        let folder = tempfile::tempdir().unwrap();
        let scope = init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        for (name, url) in remotes {
            let url = RemoteUrl::parse(url, Path::new("/")).unwrap();
            remotes::add(&scope, &RemoteName::parse(name).unwrap(), &url).unwrap();
        }
        // use no helper of this machine
        settings::set(&scope, &Key::parse("credential.helper").unwrap(), "").unwrap();
        let scope = crate::open(folder.path(), "", &brv_base::environment::Environment::default()).unwrap();
        (folder, scope)
    }

    /// The password for a server at `asks`, when the user went to `asked`.
    fn password(scope: &Scope, host: Option<&str>, asked: &str, asks: &str) -> Result<Option<String>, Error> {
        let credentials = Credentials {
            token: Some(HostToken {
                user: "u".into(),
                secret: "secret".into(),
                host: host.map(str::to_owned).into(),
            }),
            prompt: Prompt::Never,
        };
        let asked = gix::url::parse(asked).unwrap();
        let network = Network {
            credentials,
            progress: &Silent,
            environment: scope.environment(),
            interrupt: &NEVER,
            connect_timeout: Duration::from_secs(1),
            limits: Limits::default(),
        };
        let mut keychain = Keychain::new(&scope.repo, &network, asked);
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
        assert!(to("git.example.com.", "https://git.example.com/a"));
        assert!(to("git.example.com", "https://git.example.com./a"));
        assert!(!to("git.example.com", "https://git.example.com:8443/a"));
        assert!(!to("git.example.com:8443", "https://git.example.com/a"));
        assert!(!to("example.com", "https://git.example.com/a"));
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
            ("https://b.example/x", "http://b.example/x"),
            ("http://b.example:8080/x", "https://b.example/x"),
        ] {
            let error = password(&scope, Some("b.example"), asked, asks).unwrap_err();
            assert!(matches!(error, Error::Redirected { .. }), "{asked} {asks}: {error}");
        }
        let plain = "http://a.example/x";
        assert!(matches!(password(&scope, None, plain, plain), Err(Error::Insecure { .. })));
        settings::set(&scope, &Key::parse(ALLOW_INSECURE).unwrap(), "true").unwrap();
        let scope = crate::open(scope.work_tree(), "", scope.environment()).unwrap();
        assert!(password(&scope, None, plain, plain).is_ok());
    }
}
