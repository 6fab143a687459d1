//! Push, fetch and clone of the library with real servers.

use crate::env::{Env, settings_of_this_process};
use crate::servers::{self, Http, ServerMode};
use brv_base::progress::{Progress, Stage};
use brv_git::Mode;
use brv_git::fetch::{self, FetchUpdateKind, Prune, Tags};
use brv_git::network::{Credentials, HostToken, Network, Prompt};
use brv_git::push::{self, Atomicity, Force, RefUpdate, Status};
use brv_git::remotes::{self, RemoteName};
use brv_git::{Limits, ObjectName, RemoteUrl, Scope, Target, clone, init, network, open};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Collects the messages of servers.
#[derive(Default)]
pub struct Heard(pub Mutex<Vec<String>>);

impl Progress for Heard {
    fn update(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
    fn remote_message(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }
}

/// A test's folder, with our repository in it and its transport options.
pub struct World {
    pub env: Env,
    pub scope: Scope,
    pub heard: Heard,
    pub credentials: Credentials,
    pub interrupt: &'static AtomicBool,
    pub limits: Limits,
}

impl World {
    /// With the repository in `ours` and its remote `origin` at `url`.
    pub fn new(env: Env, url: &str) -> Self {
        let scope = init(&env.path("ours"), "main", &env.environment()).unwrap();
        let world = Self {
            env,
            scope,
            heard: Heard::default(),
            credentials: Credentials::default(),
            interrupt: Box::leak(Box::new(AtomicBool::new(false))),
            limits: Limits::default(),
        };
        world.add_remote("origin", url);
        world
    }

    pub fn add_remote(&self, name: &str, url: &str) {
        let url = RemoteUrl::parse(url, self.env.root()).unwrap();
        remotes::add(&self.scope, &RemoteName::parse(name).unwrap(), &url).unwrap();
    }

    /// Our work tree.
    pub fn ours(&self) -> &Path {
        self.scope.work_tree()
    }

    pub fn network(&self) -> Network<'_> {
        Network {
            credentials: self.credentials.clone(),
            progress: &self.heard,
            environment: self.scope.environment(),
            interrupt: self.interrupt,
            connect_timeout: Duration::from_secs(10),
            limits: self.limits,
        }
    }

    /// Push `source` (a revision, empty to delete) to the full name `destination`.
    pub fn push_one(&self, source: &str, destination: &str, force: Force) -> push::Outcome {
        self.push(&[(source, destination, force)], Atomicity::EachRef).unwrap()
    }

    pub fn push(
        &self,
        refs: &[(&str, &str, Force)],
        atomicity: Atomicity,
    ) -> Result<push::Outcome, push::Error> {
        let updates: Vec<_> = refs
            .iter()
            .map(|(source, destination, force)| RefUpdate {
                source: (!source.is_empty()).then(|| self.id(source)),
                destination: (*destination).into(),
                force: *force,
            })
            .collect();
        self.push_from(&self.scope, &updates, atomicity, Mode::Write)
    }

    /// Push to the first address of `origin`.
    fn push_from(
        &self,
        scope: &Scope,
        updates: &[RefUpdate],
        atomicity: Atomicity,
        mode: Mode,
    ) -> Result<push::Outcome, push::Error> {
        let address = push::addresses(scope, &origin())?.swap_remove(0);
        let mut connection = push::connect(scope, &address, &self.network())?;
        let decided = connection.decide(updates, atomicity)?;
        connection.finish(decided, mode, &self.network())
    }

    /// Push all branches and tags.
    pub fn push_all(&self) -> push::Outcome {
        let names =
            self.env.git(self.ours(), &["for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags"]);
        let refs: Vec<_> = names.lines().map(|name| (name, name, Force::No)).collect();
        self.push(&refs, Atomicity::EachRef).unwrap()
    }

    pub fn fetch(&self) -> fetch::Outcome {
        self.try_fetch(&[]).unwrap()
    }

    pub fn try_fetch(&self, refspecs: &[&str]) -> Result<fetch::Outcome, fetch::Error> {
        self.try_fetch_from(origin(), refspecs)
    }

    /// The error of an exchange with another remote.
    pub fn cannot_talk_to(&self, target: Target) -> network::Error {
        match self.try_fetch_from(target, &[]).unwrap_err() {
            fetch::Error::Network(error) => error,
            other => panic!("{other:?}"),
        }
    }

    fn try_fetch_from(&self, target: Target, refspecs: &[&str]) -> Result<fetch::Outcome, fetch::Error> {
        let options = fetch::Options {
            refspecs: refspecs.iter().map(|spec| (*spec).to_owned()).collect(),
            prune: Prune::Delete,
            tags: Tags::Following,
            ..fetch::Options::configured(target)
        };
        fetch::fetch(&self.scope, &options, &self.network())
    }

    pub fn clone_to(&self, url: &str, folder: &str) -> Result<clone::Outcome, clone::Error> {
        let options = clone::Options {
            url: RemoteUrl::parse(url, self.env.root()).unwrap(),
            work_tree: self.env.path(folder),
            remote: RemoteName::parse("origin").unwrap(),
            branch: None,
            depth: brv_git::Depth::Unchanged,
            branches: clone::Branches::All,
            tags: Tags::Configured,
        };
        let cloned = clone::clone(&options, &self.network())?;
        // the branch is created when its files are written, which is up to the command
        if let Some(commit) = cloned.commit {
            self.env.git(cloned.scope.work_tree(), &["update-ref", "HEAD", &commit.to_string()]);
        }
        Ok(cloned)
    }

    pub fn id(&self, revision: &str) -> ObjectName {
        ObjectName::from_hex(&self.env.git(self.ours(), &["rev-parse", revision])).unwrap()
    }

    fn statuses(&self, refs: &[(&str, &str, Force)], atomicity: Atomicity) -> Vec<Status> {
        let outcome = self.push(refs, atomicity).unwrap();
        outcome.refs.into_iter().map(|reference| reference.status).collect()
    }
}

pub fn origin() -> Target {
    Target::Named(RemoteName::parse("origin").unwrap())
}

/// A remote at a bare path, and our repository.
fn world() -> (World, PathBuf) {
    let env = Env::new();
    let bare = env.bare("bare.git");
    (World::new(env, "bare.git"), bare)
}

/// A few commits with a branch, a merge, a rename, an annotated and a lightweight tag.
fn history(world: &World) {
    let (env, ours) = (&world.env, world.ours());
    let text = "a line of some length that repeats\n".repeat(40);
    env.commit(ours, &[("a.md", &text), ("domain/topic/b.md", "b\n"), ("domain/c.md", "c\n")]);
    env.git(ours, &["checkout", "-q", "-b", "side"]);
    env.commit(ours, &[("side.md", "side\n")]);
    env.git(ours, &["checkout", "-q", "main"]);
    env.git(ours, &["mv", "domain", "moved"]);
    env.commit(ours, &[("a.md", &format!("{text}one more\n"))]);
    env.git(ours, &["merge", "-q", "--no-edit", "side"]);
    env.git(ours, &["tag", "-a", "v1", "-m", "first"]);
    env.git(ours, &["tag", "light", "HEAD~1"]);
}

/// What plain git clones from `url` equals our repository.
fn plain_clone_equals(world: &World, url: &str) {
    let there = world.env.path("plain");
    world.env.git(world.env.root(), &["clone", "-q", url, there.to_str().unwrap()]);
    let list =
        |folder: &Path, refs: &str| world.env.git(folder, &["for-each-ref", "--format=%(objectname)", refs]);
    assert_eq!(list(&there, "refs/tags"), list(world.ours(), "refs/tags"));
    for branch in ["main", "side"] {
        let remote = world.env.git(&there, &["rev-parse", &format!("origin/{branch}")]);
        assert_eq!(remote, world.env.git(world.ours(), &["rev-parse", branch]));
    }
    assert_eq!(world.env.git(&there, &["status", "--short"]), "");
    std::fs::remove_dir_all(there).unwrap();
}

/// Push everything, edit, push the edit, clone and fetch: the same for every transport.
fn round_trip(world: &World, bare: &Path, url: &str) {
    history(world);
    let first = world.push_all();
    assert!(first.refs.iter().all(|reference| reference.status == Status::Ok), "{first:?}");
    assert_eq!(first.objects, world.env.objects(world.ours()).len());
    world.env.fsck(bare);
    plain_clone_equals(world, bare.to_str().unwrap());
    assert_eq!(world.env.git(world.ours(), &["rev-parse", "origin/main"]), world.id("main").to_string());

    world.env.commit(world.ours(), &[("moved/topic/b.md", "b, edited\n")]);
    let second = world.push_one("main", "refs/heads/main", Force::No);
    assert_eq!(second.refs[0].status, Status::Ok);
    // a commit, three trees and a blob
    assert_eq!(second.objects, 5, "{second:?}");
    world.env.fsck(bare);
    let third = world.push_one("main", "refs/heads/main", Force::No);
    assert_eq!((third.refs[0].status.clone(), third.objects), (Status::UpToDate, 0));

    let cloned = world.clone_to(url, "cloned").unwrap();
    assert_eq!(cloned.branch, "refs/heads/main");
    assert_eq!(cloned.commit.map(Into::into), Some(world.id("main")));
    let theirs = cloned.scope.work_tree();
    world.env.fsck(theirs);
    assert_eq!(world.env.objects(theirs), reached_from_main_and_tags(world));
    let upstream = remotes::upstream(&cloned.scope, "main").unwrap().unwrap();
    assert_eq!((upstream.remote.as_str(), upstream.merge), ("origin", "refs/heads/main".into()));
    assert_eq!(upstream.tracking, Some("refs/remotes/origin/main".into()));
    world.env.git(theirs, &["reset", "-q", "--hard"]);
    assert_eq!(world.env.git(theirs, &["status", "--short", "--branch"]), "## main...origin/main");

    world.env.commit(theirs, &[("new.md", "new\n")]);
    world.env.git(theirs, &["push", "-q", bare.to_str().unwrap(), "main"]);
    let fetched = world.fetch();
    assert_eq!(fetched.objects, 3);
    let main = fetched.updates.iter().find(|update| update.remote == "refs/heads/main").unwrap();
    assert_eq!((main.kind, main.before), (FetchUpdateKind::FastForward, Some(world.id("main"))));
    assert_eq!(
        world.fetch().updates.iter().filter(|update| update.kind != FetchUpdateKind::Unchanged).count(),
        0
    );
    world.env.fsck(world.ours());
    assert_eq!(world.env.git(world.ours(), &["status", "--short"]), "");
}

fn reached_from_main_and_tags(world: &World) -> Vec<String> {
    let listed = world.env.git(world.ours(), &["rev-list", "--objects", "main", "--tags"]);
    let mut ids: Vec<String> = listed.lines().map(|line| line[..40].to_owned()).collect();
    ids.sort();
    ids.dedup();
    ids
}

#[test]
fn a_path_is_pushed_to_cloned_and_fetched_through_git() {
    let (world, bare) = world();
    round_trip(&world, &bare, bare.to_str().unwrap());
}

#[test]
fn a_file_url_is_served_in_process_without_git() {
    alone!(without git);
    let env = Env::new();
    let bare = env.bare("bare.git");
    let url = format!("file://{}", bare.display());
    let world = World::new(env, &url);
    round_trip(&world, &bare, &url);
}

#[test]
fn http_works_without_git_on_the_path() {
    alone!(without git);
    let env = Env::new();
    let bare = env.bare("bare.git");
    let server = Http::start(env.root(), ServerMode::Open);
    let world = World::new(env, &server.url("bare.git"));
    round_trip(&world, &bare, &server.url("bare.git"));
}

#[test]
fn http_asks_for_a_password_and_gets_that_of_the_url_first() {
    let env = Env::new();
    let bare = env.bare("bare.git");
    // ada:secret
    let server = Http::start(env.root(), ServerMode::Basic("YWRhOnNlY3JldA=="));
    let url = format!("http://ada:secret@{}/bare.git", server.address());
    let world = World::new(env, &url);
    round_trip(&world, &bare, &url);
    let posts = server.seen().into_iter().filter(|request| request.method == "POST");
    assert!(posts.clone().count() > 3 && posts.clone().all(|request| request.authorization.is_some()));
}

#[test]
fn http_gets_the_password_of_a_credential_helper() {
    let env = Env::new();
    let bare = env.bare("bare.git");
    let server = Http::start(env.root(), ServerMode::Basic("YWRhOnNlY3JldA=="));
    let world = World::new(env, &server.url("bare.git"));
    history(&world);
    let helper = "!f() { test \"$1\" = get && echo username=ada && echo password=secret; }; f";
    world.env.git(world.ours(), &["config", "credential.helper", helper]);
    assert!(world.push_all().refs.iter().all(|reference| reference.status == Status::Ok));
    world.env.fsck(&bare);
}

#[test]
fn wrong_or_missing_credentials_are_an_error_of_authentication() {
    let env = Env::new();
    env.bare("bare.git");
    let server = Http::start(env.root(), ServerMode::Basic("YWRhOnNlY3JldA=="));
    let mut world = World::new(env, &server.url("bare.git"));
    // a token is for https only
    world.credentials = Credentials {
        token: Some(HostToken {
            user: "u".into(),
            secret: "secret".into(),
            host: Some(server.address().into()).into(),
        }),
        prompt: Prompt::Never,
    };
    let error = world.try_fetch(&[]).unwrap_err();
    assert!(matches!(error, fetch::Error::Network(network::Error::Authentication { .. })), "{error:?}");
    assert!(
        error.to_string().ends_with("no credentials are set: `BRV_TOKEN` is sent over https only"),
        "{error}"
    );
    assert!(server.seen().iter().all(|request| request.authorization.is_none()));
    world.add_remote("wrong", &format!("http://ada:wrong@{}/bare.git", server.address()));
    let target = Target::Named(RemoteName::parse("wrong").unwrap());
    let error = world.cannot_talk_to(target);
    assert!(matches!(error, network::Error::Authentication { .. }), "{error:?}");
    let shown = format!(
        "authentication failed for `{}`: the server rejected the credentials",
        server.url("bare.git")
    );
    assert_eq!(error.to_string(), shown);
}

#[test]
fn no_password_goes_over_plain_http_to_another_machine_or_behind_a_redirect() {
    let env = Env::new();
    env.bare("bare.git");
    let end = Http::start(env.root(), ServerMode::Basic("YWRhOnNlY3JldA=="));
    let start = Http::start(env.root(), ServerMode::Redirect(format!("http://{}", end.address())));
    let world = World::new(env, &format!("http://ada:secret@{}/bare.git", start.address()));
    let helper = "!f() { test \"$1\" = get && echo username=ada && echo password=secret; }; f";
    world.env.git(world.ours(), &["config", "credential.helper", helper]);
    let error = world.try_fetch(&[]).unwrap_err();
    assert!(matches!(error, fetch::Error::Network(network::Error::Redirected { .. })), "{error:?}");
    assert!(!end.seen().is_empty());
    assert!(end.seen().iter().all(|request| request.authorization.is_none()), "{:?}", end.seen());

    let far = RemoteUrl::parse("http://ada:secret@192.0.2.1/bare.git", Path::new("/")).unwrap();
    let error = world.cannot_talk_to(Target::Url(far));
    assert!(matches!(error, network::Error::Insecure { .. }), "{error:?}");
}

#[test]
fn a_token_goes_over_https_to_a_server_of_an_authority_that_the_settings_name() {
    alone!(without git);
    let env = Env::new();
    let bare = env.bare("bare.git");
    // x-access-token:secret
    let manner = ServerMode::Basic("eC1hY2Nlc3MtdG9rZW46c2VjcmV0");
    let Some((server, authority)) = Http::start_tls(&env, env.root(), manner) else { return };
    let url = server.url("bare.git");
    let mut world = World::new(env, &url);
    let error = world.try_fetch(&[]).unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
    let settings = format!("[http]\n\tsslCAInfo = {}\n", authority.display());
    settings_of_this_process(&settings);
    let token = |host: Option<String>| HostToken {
        user: "x-access-token".into(),
        secret: "secret".into(),
        host: host.into(),
    };
    world.credentials.token = Some(token(Some("git.example.com".into())));
    let error = world.try_fetch(&[]).unwrap_err();
    assert!(matches!(error, fetch::Error::Network(network::Error::Authentication { .. })), "{error:?}");
    world.credentials.token = Some(token(Some(server.address().into())));
    round_trip(&world, &bare, &url);
    // without a name it is for the host of the only https remote
    world.credentials.token = Some(token(None));
    world.fetch();
    assert!(server.seen().iter().any(|request| request.method == "POST"));
}

#[test]
fn http_goes_through_the_proxy_of_the_settings() {
    let env = Env::new();
    let bare = env.bare("bare.git");
    let proxy = Http::start(env.root(), ServerMode::Open);
    let world = World::new(env, "http://git.invalid/bare.git");
    world.env.git(world.ours(), &["config", "http.proxy", proxy.address()]);
    world.env.commit(world.ours(), &[("a.md", "a\n")]);
    assert_eq!(world.push_all().refs[0].status, Status::Ok);
    assert!(proxy.seen().iter().all(|request| request.target.starts_with("http://git.invalid/")));
    world.env.fsck(&bare);
}

#[test]
fn an_unreachable_server_and_a_missing_repository_are_network_errors() {
    let env = Env::new();
    let server = Http::start(env.root(), ServerMode::Open);
    let world = World::new(env, &server.url("nothing.git"));
    let urls =
        ["http://127.0.0.1:1/x.git", "git://127.0.0.1:1/x.git", "does/not/exist", "ssh://127.0.0.1:1/x"];
    for url in urls.into_iter().chain([server.url("nothing.git").as_str()]) {
        let target = Target::Url(RemoteUrl::parse(url, world.env.root()).unwrap());
        let error = world.cannot_talk_to(target);
        assert!(matches!(error, network::Error::Unreachable { .. }), "{url}: {error:?}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

#[test]
fn what_answers_or_does_not_is_told_in_one_sentence() {
    let env = Env::new();
    env.bare("bare.git");
    let by = |status: &'static str, headers: &'static str| {
        let manner = ServerMode::by(move |_| Some(servers::answer(status, headers, b"<html>log in</html>")));
        Http::start(env.root(), manner)
    };
    let page = by("200 OK", "Content-Type: text/html\r\n");
    let nameless = by("200 OK", "");
    let odd = by("401 Unauthorized", "WWW-Authenticate: Basic realm=\"\u{1b}[31m\"\r\n");
    let open = Http::start(env.root(), ServerMode::Open);
    let plain = format!("https://{}/bare.git", open.address());
    let far = "http://git.invalid/x.git";
    let refused = "connection refused";
    let tls = Http::start_tls(&env, env.root(), ServerMode::Open);
    let (page, nameless, odd) = (page.url("x.git"), nameless.url("x.git"), odd.url("x.git"));
    let world = World::new(env, &page);
    let proxied = format!("through the proxy `127.0.0.1:1`: {refused}");
    let mut table = vec![
        ("http://127.0.0.1:1/x.git", "", refused),
        ("git://127.0.0.1:1/x.git", "", refused),
        (far, "", "cannot resolve the host "),
        (&page, "", "not a git server (it sent `text/html`)"),
        (&nameless, "", "not a git server (it sent no content type)"),
        (&odd, "", "the server does not speak valid http"),
        (&plain, "", "connection closed unexpectedly"),
        (far, "http://ada:s3krit@127.0.0.1:1", &proxied),
    ];
    let (encrypted, _) = tls.map_or_else(Default::default, |(server, file)| (server.url("bare.git"), file));
    if !encrypted.is_empty() {
        let unknown = "its certificate is from an unknown issuer (`http.sslCAInfo` ";
        table.push((&encrypted, "", unknown));
    }
    for (url, proxy, told) in table {
        world.env.git(world.ours(), &["config", "http.proxy", proxy]);
        let target = Target::Url(RemoteUrl::parse(url, world.env.root()).unwrap());
        let error = world.cannot_talk_to(target);
        assert!(matches!(error, network::Error::Unreachable { .. }), "{url}: {error:?}");
        let whole = format!("cannot reach `{url}`: {told}");
        let rest = error.to_string().strip_prefix(&whole).map(str::len);
        assert!(rest.is_some_and(|rest| rest == 0 || told.ends_with(' ')), "{error}");
    }
}

#[test]
fn git_daemon_serves_all() {
    let env = Env::new();
    let bare = env.bare("bare.git");
    let Some(server) = servers::daemon(&env, env.root()) else { return };
    let url = format!("git://127.0.0.1:{}/bare.git", server.port);
    let world = World::new(env, &url);
    round_trip(&world, &bare, &url);
}

#[cfg(unix)]
#[test]
fn sshd_serves_all() {
    alone!();
    let env = Env::new();
    let bare = env.bare("bare.git");
    let Some(server) = servers::sshd(&env) else { return };
    let url = server.url(&bare);
    let mut config = format!("[core]\n\tsshCommand = {}\n", server.command);
    config.push_str("[protocol]\n\tversion = 2\n");
    settings_of_this_process(&config);
    let world = World::new(env, &url);
    round_trip(&world, &bare, &url);

    let absent = RemoteUrl::parse(&server.url(Path::new("/does/not/exist")), Path::new("/")).unwrap();
    let error = world.cannot_talk_to(Target::Url(absent));
    assert!(error.to_string().contains("does not appear to be a git repository"), "{error}");
    let stranger = server.url(&bare).replace(&format!("{}@", server.user), "nobody-here@");
    let stranger = RemoteUrl::parse(&stranger, Path::new("/")).unwrap();
    let error = world.cannot_talk_to(Target::Url(stranger));
    assert!(matches!(error, network::Error::Authentication { .. }), "{error:?}");
}

/// The rejections of `git push`, in one repository.
fn refusals(world: &World, bare: &Path) {
    history(world);
    world.push_all();
    let before = world.env.git(bare, &["rev-parse", "main"]);
    world.env.git(world.ours(), &["checkout", "-q", "-b", "other", "main~1"]);
    world.env.commit(world.ours(), &[("other.md", "other\n")]);
    let main = "refs/heads/main";
    assert_eq!(world.push_one("other", main, Force::No).refs[0].status, Status::NonFastForward);
    assert_eq!(world.push_one("other", "refs/tags/v1", Force::No).refs[0].status, Status::TagExists);
    assert_eq!(world.push_one("other", main, Force::WithLease(None)).refs[0].status, Status::StaleLease);
    let refs = [("other", main, Force::No), ("other", "refs/heads/new", Force::No)];
    assert_eq!(world.statuses(&refs, Atomicity::AllOrNothing), [Status::NonFastForward, Status::NotAsked]);
    assert_eq!(world.env.git(bare, &["rev-parse", "main"]), before);
    assert_eq!(world.statuses(&refs, Atomicity::EachRef), [Status::NonFastForward, Status::Ok]);
    let lease = Force::WithLease(Some(world.id("main")));
    assert_eq!(world.push_one("other", main, lease).refs[0].status, Status::Ok);
    assert_eq!(world.push_one("main", main, Force::Yes).refs[0].status, Status::Ok);
    assert_eq!(world.push_one("", "refs/heads/new", Force::No).refs[0].status, Status::Ok);
    assert!(world.env.try_git(bare, &["rev-parse", "--verify", "-q", "new"]).code != 0);
    assert!(world.env.try_git(world.ours(), &["rev-parse", "--verify", "-q", "origin/new"]).code != 0);
    assert!(matches!(world.push_one("", "refs/heads/new", Force::No).refs[0].status, Status::Rejected(_)));
    // another user pushes
    let theirs = world.env.path("theirs");
    world.env.git(world.env.root(), &["clone", "-q", bare.to_str().unwrap(), "theirs"]);
    world.env.commit(&theirs, &[("theirs.md", "x\n")]);
    world.env.git(&theirs, &["push", "-q"]);
    assert_eq!(world.push_one("main~1", main, Force::No).refs[0].status, Status::FetchFirst);
    world.env.fsck(bare);
}

#[test]
fn what_git_refuses_is_refused_by_name() {
    let (world, bare) = world();
    refusals(&world, &bare);
}

#[test]
fn the_same_is_refused_without_git() {
    alone!(without git);
    let (world, bare) = world();
    refusals(&world, &bare);
}

#[test]
fn this_machines_own_refs_are_never_sent() {
    let (world, bare) = world();
    world.env.commit(world.ours(), &[("a.md", "a\n")]);
    for name in ["refs/brv/ops/1", "refs/brv/pending"] {
        let error = world.push(&[("main", name, Force::Yes)], Atomicity::EachRef).unwrap_err();
        assert!(matches!(error, push::Error::Own(_)), "{error:?}");
    }
    for name in ["main", "refs/heads/a..b", "HEAD"] {
        let error = world.push(&[("main", name, Force::No)], Atomicity::EachRef).unwrap_err();
        assert!(matches!(error, push::Error::RefName(_)), "{error:?}");
    }
    world.env.git(world.ours(), &["update-ref", "refs/brv/ops/1", "HEAD"]);
    world.push_all();
    assert_eq!(world.env.git(&bare, &["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
}

#[cfg(unix)]
#[test]
fn a_hook_that_declines_is_heard_without_its_escape_sequences() {
    let (world, bare) = world();
    world.env.commit(world.ours(), &[("a.md", "a\n")]);
    servers::hook(&bare, "pre-receive", "printf '\\033[31mno\\033[0m \\007way\\n' >&2; exit 1\n");
    let outcome = world.push_one("main", "refs/heads/main", Force::No);
    assert_eq!(outcome.refs[0].status, Status::Rejected("pre-receive hook declined".into()));
    assert_eq!(outcome.messages, ["no way"]);
    assert_eq!(*world.heard.0.lock().unwrap(), ["no way"]);
    assert!(world.env.try_git(world.ours(), &["rev-parse", "--verify", "-q", "origin/main"]).code != 0);

    servers::hook(&bare, "pre-receive", "exit 0\n");
    servers::hook(&bare, "update", "test \"$1\" != refs/heads/bad\n");
    servers::hook(&bare, "post-receive", "echo thanks\n");
    let refs = [("main", "refs/heads/bad", Force::No), ("main", "refs/heads/good", Force::No)];
    let outcome = world.push(&refs, Atomicity::EachRef).unwrap();
    assert_eq!(outcome.refs[0].status, Status::Rejected("hook declined".into()));
    assert_eq!(outcome.refs[1].status, Status::Ok);
    assert!(outcome.messages.iter().any(|line| line == "thanks"), "{outcome:?}");
    let refused = world.statuses(&refs[..1], Atomicity::AllOrNothing);
    assert_eq!(refused, [Status::Rejected("hook declined".into())]);
}

#[cfg(unix)]
#[test]
fn a_server_that_goes_away_leaves_its_words_in_the_error() {
    let (world, bare) = world();
    world.env.commit(world.ours(), &[("a.md", "a\n")]);
    // the connection ends in the middle of the exchange
    servers::hook(&bare, "pre-receive", "echo out of order >&2; sleep 0.2; kill -9 $PPID\n");
    let error = world.push(&[("main", "refs/heads/main", Force::No)], Atomicity::EachRef).unwrap_err();
    assert!(matches!(error, push::Error::Network(network::Error::Unreachable { .. })), "{error:?}");
    assert!(error.to_string().contains("out of order"), "{error}");
    assert!(world.env.try_git(world.ours(), &["rev-parse", "--verify", "-q", "origin/main"]).code != 0);
}

#[test]
fn a_post_that_fails_names_the_status() {
    let env = Env::new();
    env.bare("bare.git");
    let server = Http::start(env.root(), ServerMode::FailPosts("413 Payload Too Large", "too big"));
    let world = World::new(env, &server.url("bare.git"));
    world.env.commit(world.ours(), &[("a.md", "a\n")]);
    let error = world.push(&[("main", "refs/heads/main", Force::No)], Atomicity::EachRef).unwrap_err();
    assert!(matches!(error, push::Error::Network(network::Error::Unreachable { .. })), "{error:?}");
    assert!(error.to_string().ends_with(": the server answered 413 Payload Too Large"), "{error}");
}

#[test]
fn small_packs_go_with_their_length_and_large_ones_in_chunks() {
    let env = Env::new();
    let bare = env.bare("bare.git");
    let server = Http::start(env.root(), ServerMode::Open);
    let world = World::new(env, &server.url("bare.git"));
    world.env.commit(world.ours(), &[("a.md", "a\n")]);
    world.push_all();
    // noise does not compress
    let mut state = 1u64;
    let noise: String = (0..3 << 20)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'!' + (state >> 57) as u8 % 90)
        })
        .collect();
    world.env.commit(world.ours(), &[("big.md", &noise)]);
    let outcome = world.push_all();
    assert!(outcome.bytes > 1 << 20, "{outcome:?}");
    let posts: Vec<_> = server.seen().into_iter().filter(|request| request.method == "POST").collect();
    assert!(!posts[0].chunked && posts[0].length > 0, "{posts:?}");
    assert!(posts.last().unwrap().chunked, "{posts:?}");
    world.env.fsck(&bare);
}

#[test]
fn an_edit_is_sent_as_its_difference_unless_the_server_says_no() {
    let (world, bare) = world();
    let text: String =
        (0..4000).map(|line| format!("line {} of a long note\n", line * 7919 % 4001)).collect();
    world.env.commit(world.ours(), &[("long.md", &text)]);
    world.push_all();
    world.env.commit(world.ours(), &[("long.md", &format!("{text}one more line\n"))]);
    let outcome = world.push_all();
    assert_eq!(outcome.objects, 3);
    assert!(outcome.bytes < 1000, "{}", outcome.bytes);
    world.env.fsck(&bare);
}

#[test]
fn an_empty_repository_is_cloned_and_pushed_to() {
    let env = Env::new();
    let bare = env.bare("bare.git");
    env.git(&bare, &["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    let world = World::new(env, "bare.git");
    assert_eq!(world.fetch().updates, []);
    let cloned = world.clone_to("bare.git", "cloned").unwrap();
    assert_eq!((cloned.branch.to_string().as_str(), cloned.commit), ("refs/heads/trunk", None));
    world.env.commit(cloned.scope.work_tree(), &[("a.md", "a\n")]);
    let update = RefUpdate {
        source: cloned.scope.head().unwrap().commit().map(Into::into),
        destination: cloned.branch,
        force: Force::No,
    };
    let push = |mode| {
        world.push_from(&cloned.scope, std::slice::from_ref(&update), Atomicity::EachRef, mode).unwrap()
    };
    let dry = push(Mode::DryRun);
    assert_eq!((dry.refs[0].status.clone(), dry.objects), (Status::Ok, 0));
    assert_eq!(world.env.git(&bare, &["for-each-ref"]), "");
    push(Mode::Write);
    world.env.fsck(&bare);
    assert!(world.env.git(&bare, &["log", "--oneline", "trunk"]).contains("edit"));
}

#[test]
fn a_failed_clone_leaves_nothing() {
    let (world, _bare) = world();
    world.env.commit(world.ours(), &[("a.md", "a\n")]);
    world.push_all();
    assert!(world.clone_to("nothing.git", "x/y/cloned").is_err());
    assert!(!world.env.path("x").exists());
    std::fs::create_dir(world.env.path("empty-folder")).unwrap();
    assert!(world.clone_to("nothing.git", "empty-folder").is_err());
    assert_eq!(std::fs::read_dir(world.env.path("empty-folder")).unwrap().count(), 0);
    let options = |branch: &str| clone::Options {
        url: RemoteUrl::parse("bare.git", world.env.root()).unwrap(),
        work_tree: world.env.path("z"),
        remote: RemoteName::parse("hub").unwrap(),
        branch: Some(branch.into()),
        depth: brv_git::Depth::Unchanged,
        branches: clone::Branches::All,
        tags: Tags::Configured,
    };
    let Err(error) = clone::clone(&options("absent"), &world.network()) else { panic!("it is absent") };
    assert!(matches!(error, clone::Error::NoBranch(_)), "{error:?}");
    assert!(!world.env.path("z").exists());
    clone::clone(&options("main"), &world.network()).unwrap();
    let Err(error) = world.clone_to("bare.git", "z") else { panic!("it is full") };
    assert!(matches!(error, clone::Error::NotEmpty(_)), "{error:?}");
}

/// Forced updates, deletions and clobbered refs of the remote.
fn forced(world: &World, bare: &Path) {
    history(world);
    world.push_all();
    let theirs = world.env.path("theirs");
    world.env.git(world.env.root(), &["clone", "-q", bare.to_str().unwrap(), "theirs"]);
    world.env.git(&theirs, &["reset", "-q", "--hard", "HEAD~1"]);
    world.env.commit(&theirs, &[("rewritten.md", "x\n")]);
    world.env.git(&theirs, &["tag", "-f", "light"]);
    world.env.git(&theirs, &["tag", "-a", "v2", "-m", "second"]);
    world.env.git(&theirs, &["push", "-q", "--force", "--tags", "origin", "main", ":side"]);
    let outcome = world.fetch();
    let kind = |name: &str| {
        let found =
            outcome.updates.iter().find(|update| update.local.as_ref().is_some_and(|local| local == name));
        found.unwrap_or_else(|| panic!("{name} in {outcome:?}")).kind
    };
    assert_eq!(kind("refs/remotes/origin/main"), FetchUpdateKind::Forced);
    assert_eq!(kind("refs/remotes/origin/side"), FetchUpdateKind::Deleted);
    assert_eq!(kind("refs/tags/v2"), FetchUpdateKind::New);
    assert!(world.env.try_git(world.ours(), &["rev-parse", "--verify", "-q", "origin/side"]).code != 0);
    let tip = world.env.git(&theirs, &["rev-parse", "HEAD"]);
    assert_eq!(world.env.git(world.ours(), &["rev-parse", "origin/main"]), tip);
    assert_eq!(world.env.git(world.ours(), &["rev-parse", "v2^{commit}"]), tip);
    // an existing tag stays
    assert_ne!(world.env.git(world.ours(), &["rev-parse", "light"]), tip);
    world.env.fsck(world.ours());
    // a tag on an object that is already here is fetched, too
    world.env.git(&theirs, &["tag", "-a", "v3", "-m", "third"]);
    world.env.git(&theirs, &["push", "-q", "origin", "v3"]);
    let outcome = world.fetch();
    assert!(
        outcome
            .updates
            .iter()
            .any(|update| update.remote == "refs/tags/v3" && update.kind == FetchUpdateKind::New)
    );
}

#[test]
fn rewritten_deleted_and_tagged_refs_are_recognised() {
    let (world, bare) = world();
    forced(&world, &bare);
}

#[test]
fn the_same_refs_are_recognised_without_git() {
    alone!(without git);
    let (world, bare) = world();
    forced(&world, &bare);
}

#[test]
fn a_single_branch_is_fetched_and_remembered() {
    let (world, bare) = world();
    history(&world);
    world.push_all();
    let theirs = world.env.path("theirs");
    world.env.git(world.env.root(), &["clone", "-q", bare.to_str().unwrap(), "theirs"]);
    let tip = world.env.commit(&theirs, &[("new.md", "x\n")]);
    world.env.git(&theirs, &["push", "-q"]);
    let outcome = world.try_fetch(&["main"]).unwrap();
    assert_eq!(outcome.updates[0].after.unwrap().to_string(), tip);
    assert_eq!(outcome.updates[0].kind, FetchUpdateKind::Unnamed);
    assert_eq!(world.env.git(world.ours(), &["rev-parse", "origin/main"]), tip);
    assert_eq!(outcome.default_branch, Some("refs/heads/main".into()));
    let checked_out = world.try_fetch(&["+main:refs/heads/main"]).unwrap();
    assert!(matches!(checked_out.updates[0].kind, FetchUpdateKind::Refused(fetch::FetchRefusal::CheckedOut)));
    assert!(matches!(world.try_fetch(&["absent"]), Err(fetch::Error::NoSuchRef(_))));
    assert!(matches!(world.try_fetch(&["a:b:c"]), Err(fetch::Error::Refspec(_))));
}

/// A push into a non-bare repository.
fn checked_out(world: &World) {
    let theirs = world.env.path("theirs");
    world.env.git(world.env.root(), &["init", "-q", "theirs"]);
    world.env.commit(&theirs, &[("a.md", "a\n")]);
    let url = RemoteUrl::parse("theirs", world.env.root()).unwrap();
    let moves = remotes::setting_url(&world.scope, &RemoteName::parse("origin").unwrap(), &url).unwrap();
    brv_git::settings_moves::bring(&world.scope, &moves).unwrap();
    world.fetch();
    world.env.git(world.ours(), &["reset", "-q", "--hard", "origin/main"]);
    world.env.commit(world.ours(), &[("b.md", "b\n")]);
    let outcome = world.push_one("main", "refs/heads/main", Force::No);
    let Status::Rejected(reason) = &outcome.refs[0].status else { panic!("{outcome:?}") };
    assert_eq!(reason, "branch is currently checked out");
    assert_eq!(world.push_one("main", "refs/heads/other", Force::No).refs[0].status, Status::Ok);
    world.env.fsck(&theirs);
}

#[test]
fn a_branch_that_is_checked_out_over_there_is_not_moved() {
    checked_out(&world().0);
}

#[test]
fn nor_is_it_without_git() {
    alone!(without git);
    checked_out(&world().0);
}

#[test]
fn formats_that_cannot_be_read_are_named() {
    let (world, _) = world();
    let git = |arguments: &[&str]| world.env.try_git(world.env.root(), arguments).code == 0;
    if git(&["init", "-q", "--bare", "--object-format=sha256", "sha256.git"]) {
        let Err(error) = world.clone_to("sha256.git", "a") else { panic!("it cannot be read") };
        assert!(error.to_string().contains("SHA-256"), "{error}");
        assert!(!world.env.path("a").exists());
    }
    if git(&["init", "-q", "--ref-format=reftable", "reftable"]) {
        let Err(error) = open(&world.env.path("reftable"), "", world.scope.environment()) else {
            panic!("it cannot be read")
        };
        assert!(error.to_string().contains("reftable"), "{error}");
    }
}

#[test]
fn an_interrupted_fetch_moves_nothing() {
    let (world, bare) = world();
    let theirs = world.env.path("theirs");
    world.env.git(world.env.root(), &["clone", "-q", bare.to_str().unwrap(), "theirs"]);
    world.env.commit(&theirs, &[("a.md", "a\n")]);
    world.env.git(&theirs, &["push", "-q", "origin", "HEAD:main"]);
    world.interrupt.store(true, Ordering::Relaxed);
    let error = world.try_fetch(&[]).unwrap_err();
    assert!(matches!(error, fetch::Error::Network(network::Error::Interrupted)), "{error:?}");
    assert_eq!(world.env.git(world.ours(), &["for-each-ref"]), "");
}

#[test]
fn a_server_that_hangs_up_or_speaks_no_git_has_a_message() {
    use std::io::{Read as _, Write as _};
    let world = World::new(Env::new(), "unused");
    let closed = "connection closed unexpectedly";
    for (sent, told) in [
        (&b""[..], closed),
        (b"00", closed),
        (b"0040abc", closed),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "the server does not speak git's protocol"),
    ] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("git://{}/x.git", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]);
            stream.write_all(sent).unwrap();
        });
        let target = Target::Url(RemoteUrl::parse(&url, world.env.root()).unwrap());
        let error = world.cannot_talk_to(target).to_string();
        assert_eq!(error, format!("cannot reach `{url}`: {told}"));
        server.join().unwrap();
    }
}
