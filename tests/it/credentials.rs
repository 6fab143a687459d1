//! Authentication: helpers, tokens, prompts on a terminal; and no credentials reach another host.

#[cfg(unix)]
use crate::env::program;
use crate::env::{Env, settings_of_this_process};
use crate::network::{World, origin};
use crate::servers::{Http, Request, ServerMode, answer};
use brv_git::network::{self, Credentials, HostToken, Prompt};
use brv_git::{Limits, RemoteUrl, Target};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// ada:secret
pub const ADA: &str = "YWRhOnNlY3JldA==";

/// A server that accepts Ada, and our project.
pub fn world() -> (World, Http) {
    let env = Env::new();
    env.bare("bare.git");
    let server = Http::start(env.root(), ServerMode::Basic(ADA));
    let world = World::new(env, &server.url("bare.git"));
    (world, server)
}

impl World {
    pub fn config(&self, arguments: &[&str]) {
        self.env.git(self.ours(), &[&["config"], arguments].concat());
    }

    fn helper(&self, script: &str) {
        self.config(&["--add", "credential.helper", script]);
    }

    /// A helper that logs its input to the file `log`, and answers.
    pub fn telling(&self, answer: &str) -> PathBuf {
        let log = self.env.path("log");
        let file = log.display();
        self.helper(&format!(
            "!f() {{ (echo \"[$1]\"; cat) >> '{file}'; test \"$1\" = get && printf '{answer}'; }}; f"
        ));
        log
    }

    pub fn refusal(&self) -> network::Error {
        self.cannot_talk_to(origin())
    }

    pub fn reason(&self) -> String {
        match self.refusal() {
            network::Error::Authentication { reason, .. } => reason,
            other => panic!("{other:?}"),
        }
    }
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// The credentials that were tried.
pub fn tried(server: &Http) -> Vec<String> {
    let mut tried: Vec<_> = server.seen().into_iter().filter_map(|request| request.authorization).collect();
    tried.dedup();
    tried
}

#[test]
fn a_helper_is_asked_as_git_asks_and_told_that_it_was_right() {
    let (world, server) = world();
    let log = world.telling("username=ada\\npassword=secret\\n");
    world.fetch();
    let said = read(&log);
    let place = server.address();
    let (asked, stored) = said.split_once("[store]\n").unwrap();
    assert!(asked.starts_with(&format!("[get]\nprotocol=http\nhost={place}\n")), "{said}");
    assert!(asked.contains("wwwauth[]=Basic realm=\"test\"\n") && !asked.contains("path="), "{said}");
    for line in ["protocol=http", &format!("host={place}"), "username=ada", "password=secret"] {
        assert!(stored.lines().any(|one| one == line), "{said}");
    }
    world.config(&["credential.useHttpPath", "true"]);
    std::fs::remove_file(&log).unwrap();
    world.fetch();
    assert!(read(&log).contains("\npath=bare.git\n"), "{}", read(&log));
}

#[test]
fn a_conversation_needs_one_connection() {
    let (world, server) = world();
    world.config(&["credential.username", "ada"]);
    let log = world.telling("password=secret\\n");
    world.env.commit(world.ours(), &[("a.md", "a\n")]);
    world.push_all();
    let requests = server.seen();
    let connections: Vec<_> = requests.iter().map(|request| request.connection).collect();
    assert!(requests.len() >= 3 && connections.iter().all(|one| *one == 0), "{connections:?}");
    assert!(read(&log).starts_with("[get]\nprotocol=http\nhost=") && read(&log).contains("\nusername=ada\n"));
}

#[test]
fn helpers_are_asked_in_order_and_useless_answers_are_passed_over() {
    let (mut world, server) = world();
    world.limits = Limits { silence: Duration::from_secs(2), ..Limits::default() };
    for useless in [
        "!f() { exit 3; }; f",
        "!f() { echo nonsense; }; f",
        "!f() { printf 'password=\\377\\n'; }; f",
        "!f() { test \"$1\" = get && printf 'username=ada\\npassword=old\\npassword_expiry_utc=1000\\n'; }; f",
        "!f() { test \"$1\" = get && yes; }; f",
        "absent-here",
        "/nowhere/at/all",
        "!f() { test \"$1\" = get && echo username=ada; }; f",
        "!f() { test \"$1\" = get && sleep 60; }; f",
    ] {
        world.helper(useless);
    }
    let log = world.telling("password=secret\\n");
    let begun = Instant::now();
    world.fetch();
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(read(&log).contains("username=ada\n"), "{}", read(&log));
    assert_eq!(tried(&server), [format!("Basic {ADA}")]);
}

#[test]
fn a_helper_that_does_not_help_is_named_with_its_last_word() {
    let (world, _server) = world();
    let script = world.env.path("broken");
    for (body, told) in [
        (None, "failed with exit code 127: "),
        (
            Some("echo one >&2; printf '\\033[31mno\\007 keyring\\033[0m\\n' >&2; exit 3"),
            "failed with exit code 3: no keyring",
        ),
        (Some("exit 1"), "failed with exit code 1"),
        (Some("echo 'not logged in' >&2"), "said: not logged in"),
        (Some("yes x | head -c 100000 | tr -d '\\n' >&2; exit 1"), "failed with exit code 1: xxx"),
    ] {
        if let Some(body) = body {
            std::fs::write(&script, format!("#!/bin/sh\n{body}\n")).unwrap();
            #[cfg(unix)]
            std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        world.config(&["credential.helper", &format!("{} --token s3krit", script.display())]);
        let reason = world.reason();
        let name = format!("no credentials are set; the credential helper `{}` ", script.display());
        assert!(reason.starts_with(&format!("{name}{told}")) && reason.len() < name.len() + 300, "{reason}");
        assert!(!reason.chars().any(char::is_control) && !reason.contains("s3krit"), "{reason}");
    }
    world.config(&["credential.helper", "!f() { exit 7; }; f"]);
    let told = "no credentials are set; a credential helper (a shell command) failed with exit code 7";
    assert_eq!(world.reason(), told);
}

#[test]
fn an_empty_helper_takes_back_those_before_and_an_address_has_helpers_of_its_own() {
    let (world, server) = world();
    world.helper("!f() { echo username=eve; echo password=wrong; }; f");
    world.helper("");
    assert!(world.reason().contains("no credentials are set"));
    let right = "!f() { test \"$1\" = get && printf 'username=ada\\npassword=secret\\n'; }; f";
    world.config(&["credential.http://other.example.helper", right]);
    assert!(world.reason().contains("no credentials are set"));
    world.config(&[&format!("credential.http://{}.helper", server.address()), right]);
    world.fetch();
    assert_eq!(tried(&server), [format!("Basic {ADA}")]);
}

#[test]
fn a_helper_that_says_quit_is_the_last_that_is_asked() {
    let (world, server) = world();
    world.helper("!echo quit=1; :");
    let log = world.telling("username=ada\\npassword=secret\\n");
    assert!(world.reason().contains("a credential helper ended the search"), "{}", world.reason());
    assert_eq!((tried(&server), read(&log).as_str()), (vec![], ""));
}

#[test]
fn a_wrong_password_that_was_kept_is_erased_and_the_next_helper_is_asked_once() {
    let (world, server) = world();
    let kept = world.env.path("kept");
    std::fs::write(&kept, format!("http://ada:stale@{}\n", server.address().replace(':', "%3a"))).unwrap();
    world.helper(&format!("store --file {}", kept.display()));
    let reason = world.reason();
    assert_eq!(reason, "the server rejected the credentials");
    assert_eq!(read(&kept).trim(), "");
    assert_eq!(tried(&server).len(), 1);

    std::fs::write(&kept, format!("http://ada:stale@{}\n", server.address().replace(':', "%3a"))).unwrap();
    world.telling("username=ada\\npassword=secret\\n");
    world.fetch();
    assert_eq!(read(&kept).trim(), format!("http://ada:secret@{}", server.address().replace(':', "%3a")));

    // a helper that repeats a rejected password is not used again
    let (world, server) = self::world();
    world.telling("username=ada\\npassword=wrong\\n");
    assert_eq!(world.reason(), "the server rejected the credentials");
    assert_eq!(server.seen().iter().filter(|request| request.authorization.is_some()).count(), 2);
}

#[cfg(unix)]
#[test]
fn gits_cache_keeps_what_worked() {
    let (world, _server) = world();
    let folder = world.env.git(world.ours(), &["--exec-path"]);
    if !Path::new(&folder).join("git-credential-cache").is_file() {
        println!("skipped: no git credential-cache here");
        return;
    }
    let folder = world.env.path("cache");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let cache = format!("cache --socket {}/socket", folder.display());
    world.helper(&cache);
    world.telling("username=ada\\npassword=secret\\n");
    world.fetch();
    world.config(&["--unset-all", "credential.helper"]);
    assert!(world.reason().contains("no credentials are set"));
    world.helper(&cache);
    world.fetch();
    let socket = format!("--socket={}/socket", folder.display());
    world.env.git(world.ours(), &["credential-cache", &socket, "exit"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_helper_that_hangs() {
    let (world, _server) = world();
    let file = world.env.path("pid");
    world.helper(&format!("!f() {{ sleep 60 & echo $! > '{}'; wait; }}; f", file.display()));
    let interrupt = world.interrupt;
    let waiting = file.clone();
    let killer = std::thread::spawn(move || {
        while read(&waiting).trim().is_empty() {
            std::thread::sleep(Duration::from_millis(10));
        }
        interrupt.store(true, Ordering::Relaxed);
    });
    let begun = Instant::now();
    assert!(matches!(world.refusal(), network::Error::Interrupted));
    assert!(begun.elapsed() < Duration::from_secs(10));
    killer.join().unwrap();
    assert!(is_gone(read(&file).trim()), "the helper still runs");
}

/// Whether a process has ended. (A zombie whose parent is elsewhere has.)
fn is_gone(pid: &str) -> bool {
    (0..100).any(|_| {
        let stat = read(Path::new(&format!("/proc/{pid}/stat")));
        let gone = !Path::new("/proc/self").exists() || stat.is_empty() || stat.contains(") Z ");
        std::thread::sleep(Duration::from_millis(if gone { 0 } else { 20 }));
        gone
    })
}

fn token(host: Option<&str>) -> Credentials {
    let token =
        HostToken { user: "ada".into(), secret: "secret".into(), host: host.map(str::to_owned).into() };
    Credentials { token: Some(token), prompt: Prompt::Never }
}

#[test]
fn a_clone_gives_the_token_to_a_host_only_if_it_is_named() {
    alone!();
    let env = Env::new();
    env.bare("bare.git");
    let Some((server, authority)) = Http::start_tls(&env, env.root(), ServerMode::Basic(ADA)) else { return };
    let settings = format!("[http]\n\tsslCAInfo = {}\n", authority.display());
    settings_of_this_process(&settings);
    let mut world = World::new(env, "https://git.example.com/other.git");
    let url = server.url("bare.git");
    world.credentials = token(None);
    let error = world.clone_to(&url, "copy").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains(": no credentials are set"), "{error}");
    assert!(error.contains("`BRV_TOKEN` may not be meant for this host"), "{error}");
    assert!(!server.seen().is_empty() && tried(&server).is_empty());
    world.credentials = token(Some(server.address()));
    world.clone_to(&url, "copy").unwrap();
    // from now on it is the host of the settings
    world.credentials = token(None);
    world.scope = brv_git::open(&world.env.path("copy"), "", crate::env::environment()).unwrap();
    world.fetch();
}

#[test]
fn a_token_follows_no_redirect_to_another_port_and_a_wrong_one_is_called_so() {
    let env = Env::new();
    env.bare("bare.git");
    let Some((end, authority)) = Http::start_tls(&env, env.root(), ServerMode::Basic(ADA)) else { return };
    std::fs::copy(&authority, env.path("end.pem")).unwrap();
    let to = format!("https://{}", end.address());
    let (start, authority) = Http::start_tls(&env, env.root(), ServerMode::Redirect(to)).unwrap();
    std::fs::create_dir(env.path("authorities")).unwrap();
    std::fs::copy(&authority, env.path("authorities/start.pem")).unwrap();
    std::fs::copy(env.path("end.pem"), env.path("authorities/end.crt")).unwrap();
    std::fs::write(env.path("authorities/README"), "no certificate").unwrap();
    let folder = env.path("authorities");
    let mut world = World::new(env, &start.url("bare.git"));
    // a folder of certificate authorities, for this address only
    let key = format!("http.https://{}.sslCAPath", start.address());
    world.config(&[&key, folder.to_str().unwrap()]);
    world.credentials = token(Some(end.address()));
    assert!(matches!(world.refusal(), network::Error::Redirected { .. }), "{:?}", world.refusal());
    world.credentials = token(Some(start.address()));
    assert!(matches!(world.refusal(), network::Error::Redirected { .. }));
    assert!(!end.seen().is_empty() && tried(&end).is_empty() && tried(&start).is_empty());

    world.add_remote("end", &end.url("bare.git"));
    world.config(&[&format!("http.https://{}.sslVerify", end.address()), "false"]);
    let mut wrong = token(Some(end.address()));
    wrong.token.as_mut().unwrap().secret = "wrong".into();
    world.credentials = wrong;
    let error =
        world.cannot_talk_to(Target::Url(RemoteUrl::parse(&end.url("bare.git"), Path::new("/")).unwrap()));
    assert!(error.to_string().ends_with(": the server rejected the token in `BRV_TOKEN`"), "{error}");
    assert!(!error.to_string().contains("wrong"), "{error}");
}

/// A server that redirects every request to `to`, until it comes from there.
fn redirecting(env: &Env, to: impl Fn(&Request) -> Option<String> + Send + Sync + 'static) -> Http {
    let rule = move |request: &Request| {
        let to = to(request)?;
        Some(answer("302 Found", &format!("Location: {to}\r\n"), b""))
    };
    Http::start(env.root(), ServerMode::by(rule))
}

fn has(request: &Request, header: &str) -> bool {
    request.headers.iter().any(|line| line.eq_ignore_ascii_case(header))
}

#[test]
fn a_relative_redirect_is_followed_and_other_hosts_get_no_header_of_the_settings() {
    let env = Env::new();
    env.bare("bare.git");
    let end = Http::start(env.root(), ServerMode::Open);
    let there = format!("http://{}", end.address());
    let start = redirecting(&env, move |request| {
        let tail = request.target.split_once("/info/refs").map(|(_, query)| format!("/info/refs{query}"))?;
        match request.target.as_str() {
            target if target.starts_with("/old.git/") => Some(format!("../../bare.git{tail}")),
            target if target.starts_with("/far.git/") => Some(format!("{there}/bare.git{tail}")),
            _ => None,
        }
    });
    let world = World::new(env, &start.url("old.git"));
    world.config(&["http.extraHeader", "X-Everywhere: 1"]);
    world.config(&["--add", &format!("http.http://{}/.extraHeader", start.address()), "X-Here: 2"]);
    world.env.commit(world.ours(), &[("a.md", "a\n")]);
    world.push_all();
    world.fetch();
    assert!(start.seen().iter().all(|request| has(request, "X-Here: 2") && has(request, "X-Everywhere: 1")));
    assert!(start.seen().iter().any(|request| request.method == "POST"));

    let far = RemoteUrl::parse(&start.url("far.git"), Path::new("/")).unwrap();
    world.config(&["remote.origin.url", far.expose().to_string().as_str()]);
    world.fetch();
    assert!(!end.seen().is_empty());
    for request in end.seen() {
        assert!(!has(&request, "X-Here: 2") && !has(&request, "X-Everywhere: 1"), "{request:?}");
    }
}

#[test]
fn a_header_of_the_settings_may_say_who_we_are_and_stays_at_home() {
    let (world, server) = world();
    let key = format!("http.http://{}/.extraHeader", server.address());
    world.config(&[&key, &format!("AUTHORIZATION: basic {ADA}")]);
    assert_eq!(world.reason(), "no credentials are set", "the scheme is compared as it is written, here");
    world.config(&[&key, &format!("AUTHORIZATION: Basic {ADA}")]);
    world.fetch();
    let start = Http::start(world.env.root(), ServerMode::Redirect(format!("http://{}", server.address())));
    let before = tried(&server);
    world.config(&["remote.origin.url", &start.url("bare.git")]);
    world.config(&["http.extraHeader", &format!("Authorization: Basic {ADA}")]);
    assert!(matches!(world.refusal(), network::Error::Redirected { .. }));
    assert_eq!(tried(&server), before);
    assert_eq!(tried(&start), [format!("Basic {ADA}")]);
}

/// A SOCKS5 proxy that connects every request to `to`, and returns the requested addresses.
fn socks(to: &str) -> (String, std::sync::Arc<std::sync::Mutex<Vec<String>>>) {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let (to, noted) = (to.to_owned(), asked.clone());
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (mut client, mut server) = (client.unwrap(), std::net::TcpStream::connect(&to).unwrap());
            let take = |count: usize| {
                let mut bytes = vec![0; count];
                (&client).read_exact(&mut bytes).unwrap();
                bytes
            };
            let methods = take(2)[1];
            take(methods.into());
            (&client).write_all(&[5, 0]).unwrap();
            let length = take(5)[4];
            let name = take(length.into());
            take(2);
            noted.lock().unwrap().push(String::from_utf8(name).unwrap());
            client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
            let (mut back, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut back, &mut to));
            std::thread::spawn(move || std::io::copy(&mut client, &mut server));
        }
    });
    (address, asked)
}

#[test]
fn a_socks_proxy_resolves_names_for_us() {
    let env = Env::new();
    env.bare("bare.git");
    let server = Http::start(env.root(), ServerMode::Open);
    let (proxy, asked) = socks(server.address());
    let world = World::new(env, "http://git.invalid/bare.git");
    world.config(&["http.proxy", &format!("socks5h://{proxy}")]);
    world.fetch();
    assert_eq!(asked.lock().unwrap().first().map(String::as_str), Some("git.invalid"));
}

#[test]
fn redirects_in_circles_or_out_of_http_are_refused_with_a_word() {
    for (to, word) in [
        ("/bare.git/info/refs?service=git-upload-pack", "too many redirects"),
        ("file:///etc/passwd/info/refs?service=git-upload-pack", "neither http nor https"),
        ("ext::sh%20-c%20true", "neither http nor https"),
        ("ftp://127.0.0.1/info/refs?service=git-upload-pack", "neither http nor https"),
        ("/login?user=me:secret", "not a repository URL"),
        ("http://[", "not a valid URL"),
    ] {
        let env = Env::new();
        let start = redirecting(&env, move |_| Some(to.to_owned()));
        let world = World::new(env, &start.url("bare.git"));
        let error = world.refusal();
        assert!(matches!(error, network::Error::Unreachable { .. }), "{to}: {error:?}");
        assert!(error.to_string().contains(word), "{to}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
        assert!(start.seen().len() <= 21);
    }
    let env = Env::new();
    let start = redirecting(&env, |_| Some("/x/info/refs?service=git-upload-pack".into()));
    let world = World::new(env, &start.url("bare.git"));
    world.config(&["http.followRedirects", "false"]);
    assert!(world.refusal().to_string().contains("forbids it"), "{}", world.refusal());
    assert_eq!(start.seen().len(), 1);
}

#[test]
fn a_redirect_from_https_to_http_is_refused() {
    let env = Env::new();
    env.bare("bare.git");
    let end = Http::start(env.root(), ServerMode::Open);
    let to = ServerMode::Redirect(format!("http://{}", end.address()));
    let Some((start, authority)) = Http::start_tls(&env, env.root(), to) else { return };
    let world = World::new(env, &start.url("bare.git"));
    world.config(&["http.sslCAInfo", authority.to_str().unwrap()]);
    assert!(world.refusal().to_string().contains("no longer encrypted"), "{}", world.refusal());
    assert_eq!(end.seen(), []);
}

#[test]
fn a_server_that_asks_only_when_data_is_sent_or_forbids_is_a_matter_of_credentials() {
    let env = Env::new();
    env.bare("bare.git");
    let late = Http::start(env.root(), ServerMode::FailPosts("401 Unauthorized", "who?"));
    let world = World::new(env, &late.url("bare.git"));
    world.env.commit(world.ours(), &[("a.md", "a\n")]);
    let error = world
        .push(&[("main", "refs/heads/main", brv_git::push::Force::No)], brv_git::push::Atomicity::EachRef);
    assert!(
        matches!(error, Err(brv_git::push::Error::Network(network::Error::Authentication { .. }))),
        "{error:?}"
    );
    let closed = Http::start(world.env.root(), ServerMode::by(|_| Some(answer("403 Forbidden", "", b"no"))));
    world.config(&["remote.origin.url", &closed.url("bare.git")]);
    assert_eq!(world.reason(), "the server answered 403 Forbidden");
}

#[test]
fn a_proxy_gets_its_own_credentials_and_says_when_it_wants_them() {
    let env = Env::new();
    env.bare("bare.git");
    let rule = |request: &Request| {
        let known = has(request, &format!("Proxy-Authorization: Basic {ADA}"));
        (!known).then(|| answer("407 Proxy Authentication Required", "Proxy-Authenticate: Basic\r\n", b""))
    };
    let proxy = Http::start(env.root(), ServerMode::by(rule));
    let world = World::new(env, "http://git.invalid/bare.git");
    world.config(&["remote.origin.proxy", &format!("http://{}", proxy.address())]);
    assert!(world.reason().contains(&format!("the proxy `{}` requires credentials", proxy.address())));
    world.config(&["remote.origin.proxy", &format!("http://ada:secret@{}", proxy.address())]);
    world.fetch();
    // with the user name only: the helpers know the password
    world.config(&["remote.origin.proxy", &format!("ada@{}", proxy.address())]);
    let log = world.telling("password=secret\\n");
    world.fetch();
    assert!(
        read(&log).contains("username=ada\n") && read(&log).contains("protocol=http\n"),
        "{}",
        read(&log)
    );
    world.config(&["http.proxyAuthMethod", "ntlm"]);
    let error = world.refusal();
    assert!(matches!(error, network::Error::Setting { key: "http.proxyAuthMethod", .. }), "{error:?}");
    world.config(&["--unset", "http.proxyAuthMethod"]);
    world.config(&["remote.origin.proxy", &format!("http://ada:wrong@{}", proxy.address())]);
    let error = world.refusal().to_string();
    assert!(error.contains("the proxy") && !error.contains("wrong@") && !error.contains("ada"), "{error}");
}

/// A proxy that connects through, and counts connections.
fn tunnel() -> (String, std::sync::Arc<std::sync::atomic::AtomicUsize>) {
    use std::io::{BufRead as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = count.clone();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (mut client, counted) = (client.unwrap(), counted.clone());
            std::thread::spawn(move || {
                let mut reader = std::io::BufReader::new(client.try_clone().unwrap());
                let (mut first, mut line) = (String::new(), String::new());
                reader.read_line(&mut first).unwrap();
                while line != "\r\n" {
                    line.clear();
                    reader.read_line(&mut line).unwrap();
                }
                let place = first.strip_prefix("CONNECT ").unwrap().split(' ').next().unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                let mut server = std::net::TcpStream::connect(place).unwrap();
                client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").unwrap();
                let (mut back, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut back, &mut to));
                let _ = std::io::copy(&mut client, &mut server);
            });
        }
    });
    (address, count)
}

#[test]
fn the_proxy_and_the_authority_of_the_environment_count_and_exceptions_too() {
    let env = Env::new();
    env.bare("bare.git");
    let Some((server, authority)) = Http::start_tls(&env, env.root(), ServerMode::Open) else { return };
    let folder = project(&env, &server.url("bare.git"));
    let (proxy, count) = tunnel();
    assert_eq!(env.brv_in(&folder, &["vc", "fetch"]).code, 9);
    let env = env.with("GIT_SSL_CAINFO", &authority).with("HTTPS_PROXY", &proxy);
    let fetch = |env: &Env| {
        let ran = env.brv_in(&folder, &["vc", "fetch"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        count.swap(0, Ordering::SeqCst)
    };
    assert!(fetch(&env) > 0);
    let env = env.with("NO_PROXY", "example.org,127.0.0.1");
    assert_eq!(fetch(&env), 0);
    let env =
        env.with("GIT_SSL_CAINFO", "").with("GIT_SSL_NO_VERIFY", "1").with("GIT_HTTP_USER_AGENT", "mine/1");
    assert_eq!(fetch(&env), 0);
    assert!(
        server
            .seen()
            .last()
            .unwrap()
            .headers
            .iter()
            .any(|line| line.eq_ignore_ascii_case("user-agent: mine/1"))
    );
}

#[test]
fn a_server_that_wants_a_certificate_is_shown_it() {
    let env = Env::new();
    env.bare("bare.git");
    let Some((certificate, key)) = crate::servers::certificate(&env, "client") else { return };
    let started = Http::start_tls_for(&env, env.root(), ServerMode::Open, Some(&certificate));
    let (server, authority) = started.unwrap();
    let world = World::new(env, &server.url("bare.git"));
    world.config(&["http.sslCAInfo", authority.to_str().unwrap()]);
    assert!(matches!(world.refusal(), network::Error::Unreachable { .. }));
    world.config(&["http.sslCert", certificate.to_str().unwrap()]);
    world.config(&["http.sslKey", key.to_str().unwrap()]);
    world.fetch();
    world.config(&["http.sslKey", "/nowhere.key"]);
    assert!(
        world.refusal().to_string().contains("/nowhere.key")
            || matches!(world.refusal(), network::Error::Git(_))
    );
}

#[test]
fn addresses_are_rewritten_by_the_longest_match_and_their_secrets_not_shown() {
    let (world, server) = world();
    let base = format!("http://{}/", server.address());
    world.config(&[&format!("url.http://ada:wrong@{}/.insteadOf", server.address()), "hub:"]);
    world.config(&[&format!("url.http://ada:secret@{}/.insteadOf", server.address()), "hub:team/"]);
    world.config(&["remote.origin.url", "hub:team/bare.git"]);
    world.fetch();
    world.config(&["remote.origin.url", "hub:bare.git"]);
    let error = world.refusal().to_string();
    assert!(error.contains(&format!("`{base}bare.git`")) && !error.contains("wrong"), "{error}");
    // for pushes only
    world.config(&["remote.origin.url", "out:bare.git"]);
    world.config(&[&format!("url.http://ada:secret@{}/.pushInsteadOf", server.address()), "out:"]);
    world.env.commit(world.ours(), &[("a.md", "a\n")]);
    world.push_all();
    assert!(world.try_fetch(&[]).is_err());
}

/// Run the program on a terminal: wait for each of the texts, then type the answer. Returns its exit code and all
/// terminal output.
#[cfg(unix)]
fn at_a_terminal(env: &Env, folder: &Path, line: &str, talk: &[(&str, &str)]) -> Option<(i32, String)> {
    use std::io::{Read as _, Write as _};
    let Some(script) = program("script") else {
        println!("skipped: no script(1) here");
        return None;
    };
    let mut command = std::process::Command::new(script);
    env.prepare(&mut command);
    let line =
        format!("trap : INT; PATH=\"$PATH\" '{}' {line}; echo \"<$?>\"; stty -a", env!("CARGO_BIN_EXE_brv"));
    command.args(["-q", "-c", &line, "/dev/null"]).current_dir(folder).env("TERM", "dumb");
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut shown, mut talk) = (Vec::new(), talk.iter());
    let mut next = talk.next();
    let mut buffer = [0; 1024];
    loop {
        let read = stdout.read(&mut buffer).unwrap();
        if read == 0 {
            break;
        }
        shown.extend_from_slice(&buffer[..read]);
        if let Some((question, typed)) = next
            && String::from_utf8_lossy(&shown).contains(question)
        {
            // the terminal's echo is switched off after the question
            std::thread::sleep(Duration::from_millis(300));
            stdin.write_all(typed.as_bytes()).unwrap();
            stdin.flush().unwrap();
            next = talk.next();
        }
    }
    child.wait().unwrap();
    let shown = String::from_utf8_lossy(&shown).into_owned();
    let code = shown.split_once('<').and_then(|(_, rest)| rest.split_once('>')).unwrap_or_default().0;
    assert!(!shown.contains("-echo "), "the terminal stays silent\n{shown}");
    Some((code.parse().unwrap_or_else(|_| panic!("{shown}")), shown))
}

/// A project whose remote is `url`.
fn project(env: &Env, url: &str) -> PathBuf {
    let folder = env.path("project");
    std::fs::create_dir(&folder).unwrap();
    assert_eq!(env.brv_in(&folder, &["init"]).code, 0);
    assert_eq!(env.brv_in(&folder, &["vc", "remote", "add", "origin", url]).code, 0);
    folder
}

#[cfg(unix)]
#[test]
fn a_person_at_a_terminal_is_asked_and_the_password_is_not_shown() {
    let env = Env::new().with("GIT_TERMINAL_PROMPT", "1");
    env.bare("bare.git");
    let server = Http::start(env.root(), ServerMode::Basic(ADA));
    let folder = project(&env, &server.url("bare.git"));
    let user = format!("Username for 'http://{}': ", server.address());
    let password = format!("Password for 'http://ada@{}': ", server.address());
    let talk = [(user.as_str(), "ada\n"), (password.as_str(), "secret\n")];
    let Some((code, shown)) = at_a_terminal(&env, &folder, "vc fetch", &talk) else { return };
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains("secret") && shown.contains(&password), "{shown}");
    // wrong: it asks once more, then fails
    let again = [
        (user.as_str(), "ada\n"),
        (password.as_str(), "wrong\n"),
        ("rejected the user name or password; try again:", "ada\n"),
        ("\n", "wrong\n"),
    ];
    let (code, shown) = at_a_terminal(&env, &folder, "vc fetch", &again).unwrap();
    let (before, after) =
        shown.split_once("The server rejected the user name or password; try again:").unwrap();
    assert!(before.contains(&password) && after.contains(&user), "{shown}");
    assert_eq!(code, 4, "{shown}");
    // Ctrl-C at the prompt
    let leave = [(user.as_str(), "ada\n"), (password.as_str(), "\u{3}")];
    let (code, shown) = at_a_terminal(&env, &folder, "vc fetch", &leave).unwrap();
    assert_eq!(code, 130, "{shown}");
}

#[cfg(unix)]
#[test]
fn without_a_terminal_or_where_it_is_forbidden_nobody_is_asked() {
    let env = Env::new().with("GIT_ASKPASS", "/nowhere/askpass");
    env.bare("bare.git");
    let server = Http::start(env.root(), ServerMode::Basic(ADA));
    let folder = project(&env, &server.url("bare.git"));
    let ran = env.brv_in(&folder, &["vc", "fetch"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (4, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains(server.address()), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("or use https with BRV_TOKEN\n"), "{}", ran.stderr);
    let env = env.with("BRV_TOKEN", "s3krit");
    let ran = env.brv_in(&folder, &["vc", "fetch"]);
    assert!(
        ran.stderr.contains("no credentials are set: `BRV_TOKEN` is sent over https only\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stderr.matches("BRV_TOKEN").count(), 2, "{}", ran.stderr);
    let env = env.with("GIT_TERMINAL_PROMPT", "0");
    let Some((code, shown)) = at_a_terminal(&env, &folder, "vc fetch", &[]) else { return };
    assert_eq!(code, 4, "{shown}");
    assert!(!shown.contains("Username"), "{shown}");

    // an askpass program is used on a terminal, and not without one
    let script = env.path("askpass");
    let text = format!(
        "#!/bin/sh\necho \"$1\" >> {}\ncase \"$1\" in User*) echo ada;; *) echo secret;; esac\n",
        env.path("asked").display()
    );
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let env = env.with("GIT_ASKPASS", &script);
    assert_eq!(env.brv_in(&folder, &["vc", "fetch"]).code, 4);
    let (code, shown) = at_a_terminal(&env, &folder, "vc fetch", &[]).unwrap();
    assert_eq!(code, 0, "{shown}");
    assert_eq!(read(&env.path("asked")).lines().count(), 2);
}

#[test]
fn no_secret_is_printed_kept_or_given_as_an_argument() {
    let env = Env::new();
    env.bare("bare.git");
    let server = Http::start(env.root(), ServerMode::Basic("bm9ib2R5OmF0YWxs"));
    let url = format!("http://ada:s3krit@{}/bare.git", server.address());
    let folder = project(&env, "placeholder.git");
    let mut said = String::new();
    for arguments in [
        &["vc", "fetch", &url][..],
        &["vc", "fetch", &url, "--json"],
        &["vc", "pull", &url, "main"],
        &["vc", "push", &url, "main"],
        &["vc", "remote", "add", "x", &url, "--json"],
        &["vc", "clone", &url, "elsewhere"],
    ] {
        let ran = env.brv_in(&folder, arguments);
        said += &format!("{}{}", ran.stdout, ran.stderr);
    }
    assert!(said.contains("the server rejected the credentials"), "{said}");
    assert!(!said.contains("s3krit"), "{said}");
    let mut left = vec![folder];
    while let Some(path) = left.pop() {
        for entry in std::fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => left.push(path),
                false => {
                    let bytes = std::fs::read(&path).unwrap();
                    assert!(!bytes.windows(6).any(|window| window == b"s3krit"), "{}", path.display());
                }
            }
        }
    }
}

#[test]
fn protocols_that_the_settings_or_the_environment_forbid_are_not_spoken() {
    let (world, server) = world();
    world.config(&["protocol.allow", "never"]);
    assert!(matches!(world.refusal(), network::Error::Protocol { .. }));
    world.config(&["protocol.http.allow", "user"]);
    assert!(matches!(world.refusal(), network::Error::Authentication { .. }));
    world.config(&["protocol.http.allow", "sometimes"]);
    assert!(matches!(world.refusal(), network::Error::Protocol { .. }));
    let env = Env::new().with("GIT_ALLOW_PROTOCOL", "https:ssh");
    let folder = project(&env, &server.url("bare.git"));
    let ran = env.brv_in(&folder, &["vc", "fetch"]);
    assert!(ran.stderr.contains("protocol") && ran.code == 6, "{} {}", ran.code, ran.stderr);
}
