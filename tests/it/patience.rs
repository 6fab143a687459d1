//! Servers that are silent, slow or endless, Ctrl-C in the middle of a transfer, and how each kind of ssh is called.

use crate::env::Env;
use crate::network::World;
#[cfg(unix)]
use crate::network::origin;
#[cfg(unix)]
use crate::servers::{self, Http, ServerMode};
use brv_git::{Limits, RemoteUrl, Target, network};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const LIMITS: Limits =
    Limits { silence: Duration::from_secs(1), slow_for: Duration::from_secs(2), slowest: 1000 };

/// A server that sends `first`, and then `again` ten times a second forever, whatever it receives.
fn dripping(first: &'static [u8], again: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || -> std::io::Result<()> {
                let _ = stream.read(&mut [0; 4096])?;
                stream.write_all(first)?;
                loop {
                    stream.write_all(again)?;
                    std::thread::sleep(Duration::from_millis(100));
                }
            });
        }
    });
    port
}

fn target(url: &str) -> Target {
    Target::Url(RemoteUrl::parse(url, Path::new("/")).unwrap())
}

/// The error with which an exchange with `url` fails, soon.
fn given_up(world: &World, url: &str) -> String {
    let begun = Instant::now();
    let error = world.cannot_talk_to(target(url));
    assert!(matches!(error, network::Error::Unreachable { .. }), "{url}: {error:?}");
    assert!(begun.elapsed() < Duration::from_secs(30), "{url}: {:?} {error}", begun.elapsed());
    error.to_string()
}

#[test]
fn servers_that_say_nothing_or_never_end_are_given_up() {
    let mut world = World::new(Env::new(), "nothing");
    world.limits = LIMITS;
    let silent = dripping(b"", b"");
    let header = dripping(b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n");
    let body = dripping(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n\r\n001e# service=git-upload-pack\n0000fff0",
        b"x",
    );
    let line = dripping(b"0032", b"x");
    for (url, word) in [
        (format!("http://127.0.0.1:{silent}/x.git"), "no data for 1 seconds"),
        (format!("https://127.0.0.1:{silent}/x.git"), "no data for 1 seconds"),
        (format!("http://127.0.0.1:{header}/x.git"), "no data for 1 seconds"),
        (format!("http://127.0.0.1:{body}/x.git"), "slower than 1000 bytes per second for 2 seconds"),
        (format!("git://127.0.0.1:{silent}/x.git"), "no data for 1 seconds"),
        (format!("git://127.0.0.1:{line}/x.git"), "slower than 1000 bytes per second for 2 seconds"),
    ] {
        let said = given_up(&world, &url);
        assert!(said.contains(word), "{url}: {said}");
    }
    // git's own limits override ours, for http
    world.limits = Limits::default();
    world.env.git(world.ours(), &["config", "http.lowSpeedLimit", "1000"]);
    world.env.git(world.ours(), &["config", "http.lowSpeedTime", "1"]);
    let said = given_up(&world, &format!("http://127.0.0.1:{silent}/x.git"));
    assert!(said.contains("no data for 1 seconds"), "{said}");
}

#[test]
fn the_program_gives_up_with_one_sentence_and_its_own_exit_code() {
    let env = Env::new().with("BRV_NETWORK_TIMEOUT", "1");
    let folder = env.path("project");
    std::fs::create_dir(&folder).unwrap();
    assert_eq!(env.brv_in(&folder, &["init"]).code, 0);
    for scheme in ["http", "git"] {
        let url = format!("{scheme}://127.0.0.1:{}/x.git", dripping(b"", b""));
        let ran = env.brv_in(&folder, &["vc", "fetch", &url]);
        let said = format!("error: cannot reach `{url}`: no data for 1 seconds\n");
        assert_eq!((ran.code, ran.stderr), (9, said));
    }
}

#[cfg(unix)]
#[test]
fn an_ssh_that_hangs_is_given_up_and_ended_with_all_it_started() {
    let mut world = World::new(Env::new(), "nothing");
    world.limits = LIMITS;
    let file = world.env.path("pid");
    let hanging = format!("sleep 60 & echo $! > '{}'; wait; true", file.display());
    world.env.git(world.ours(), &["config", "core.sshCommand", &hanging]);
    world.env.git(world.ours(), &["config", "ssh.variant", "ssh"]);
    let said = given_up(&world, "ssh://git@host.example/x.git");
    assert!(said.contains("no data for 1 seconds"), "{said}");
    assert!(has_ended(&file));
}

/// Whether the process with the number in `file` has ended, or ends soon.
fn has_ended(file: &Path) -> bool {
    let pid = std::fs::read_to_string(file).unwrap();
    (0..100).any(|_| {
        let status = std::process::Command::new("kill").args(["-0", pid.trim()]).output().unwrap().status;
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        let gone = !status.success() || stat.contains(") Z ");
        std::thread::sleep(Duration::from_millis(if gone { 0 } else { 20 }));
        gone
    })
}

/// A connection to a server that goes dead after this many bytes down, or up.
struct Line {
    port: u16,
    dead: Arc<AtomicBool>,
}

fn line(to: &str, down: usize, up: usize) -> Line {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (to, dead) = (to.to_owned(), Arc::new(AtomicBool::new(false)));
    let told = Arc::clone(&dead);
    let left = [down, up].map(|bytes| Arc::new(AtomicUsize::new(bytes)));
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let client = client.unwrap();
            let server = TcpStream::connect(&to).unwrap();
            let ways = [(server.try_clone().unwrap(), client.try_clone().unwrap()), (client, server)];
            for ((from, to), left) in ways.into_iter().zip(&left) {
                let (left, dead) = (Arc::clone(left), Arc::clone(&told));
                std::thread::spawn(move || forward(from, to, &left, &dead));
            }
        }
    });
    Line { port, dead }
}

fn forward(mut from: TcpStream, mut to: TcpStream, left: &AtomicUsize, dead: &AtomicBool) {
    let mut buffer = [0; 2048];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if left.fetch_sub(read.min(left.load(Ordering::SeqCst)), Ordering::SeqCst) <= read {
            dead.store(true, Ordering::SeqCst);
            // neither closed nor read
            std::thread::sleep(Duration::from_secs(60));
            return;
        }
        if to.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}

/// A text that does not compress.
fn noise(length: usize) -> String {
    let mut state = length as u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'!' + (state >> 57) as u8 % 90)
    };
    (0..length).map(|at| if at % 80 == 79 { '\n' } else { next() }).collect()
}

/// A project, with a big commit to fetch (in `bare.git`) and one to push.
fn project(env: &Env) -> PathBuf {
    let bare = env.bare("bare.git");
    env.git(env.root(), &["clone", "-q", bare.to_str().unwrap(), "theirs"]);
    env.commit(&env.path("theirs"), &[("theirs.md", &noise(400_000))]);
    env.git(&env.path("theirs"), &["push", "-q", "origin", "HEAD:main"]);
    let folder = env.path("project");
    std::fs::create_dir(&folder).unwrap();
    assert_eq!(env.brv_in(&folder, &["init"]).code, 0);
    for at in 0..6 {
        let text = format!("{at}\n{}", noise(700_000 + at));
        std::fs::write(folder.join(format!(".brv/context-tree/ours{at}.md")), text).unwrap();
    }
    for arguments in [&["vc", "add", "."][..], &["vc", "commit", "-m", "ours"]] {
        let ran = env.brv_in(&folder, arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    folder
}

/// Run the program until `dead` is signalled, interrupt it, and check that it ends at once and cleanly.
fn interrupted(env: &Env, folder: &Path, arguments: &[&str], dead: &dyn Fn() -> bool) {
    let before = state(folder);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.current_dir(folder).args(arguments).stderr(std::process::Stdio::piped());
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !dead() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{arguments:?} did not get that far");
        assert!(child.try_wait().unwrap().is_none(), "{arguments:?} ended: {:?}", child.wait_with_output());
        std::thread::sleep(Duration::from_millis(10));
    }
    // by now it is waiting in vain
    std::thread::sleep(Duration::from_millis(200));
    // both have the same effect
    let signal = if arguments.contains(&"push") { "-TERM" } else { "-INT" };
    let begun = Instant::now();
    let kill = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{arguments:?}: {said}");
    assert!(begun.elapsed() < Duration::from_secs(4), "{arguments:?}: {:?}", begun.elapsed());
    assert!(said.contains("interrupted"), "{arguments:?}: {said}");
    assert_eq!(state(folder), before, "{arguments:?}");
    env.fsck(&folder.join(".brv/context-tree"));
}

/// Refs, index and the files of the object folder.
fn state(folder: &Path) -> Vec<String> {
    let tree = folder.join(".brv/context-tree/.git");
    let mut found = Vec::new();
    let mut left = vec![tree];
    while let Some(path) = left.pop() {
        for entry in std::fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else if !path.ends_with("config") {
                found.push(path.display().to_string());
            }
        }
    }
    found.sort();
    found
}

#[cfg(unix)]
#[test]
fn ctrl_c_in_the_midst_of_a_transfer_leaves_all_as_it_was() {
    let env = Env::new();
    let folder = project(&env);
    let tree = folder.join(".brv/context-tree");
    let at = |line: &Line, scheme: &str| format!("{scheme}://127.0.0.1:{}/bare.git", line.port);
    let set = |url: &str| {
        env.try_git(&tree, &["remote", "remove", "origin"]);
        env.git(&tree, &["remote", "add", "origin", url]);
    };
    let http = Http::start(env.root(), ServerMode::Open);
    let far = usize::MAX / 2;
    for arguments in [&["vc", "fetch"][..], &["vc", "pull", "origin", "main"]] {
        let line = line(http.address(), 100_000, far);
        set(&at(&line, "http"));
        interrupted(&env, &folder, arguments, &|| line.dead.load(Ordering::SeqCst));
    }
    let up = line(http.address(), far, 300_000);
    set(&at(&up, "http"));
    interrupted(&env, &folder, &["vc", "push", "origin", "main:new"], &|| up.dead.load(Ordering::SeqCst));
    if let Some(daemon) = servers::daemon(&env, env.root()) {
        let address = format!("127.0.0.1:{}", daemon.port);
        let down = line(&address, 100_000, far);
        set(&at(&down, "git"));
        interrupted(&env, &folder, &["vc", "fetch"], &|| down.dead.load(Ordering::SeqCst));
        let up = line(&address, far, 300_000);
        set(&at(&up, "git"));
        interrupted(&env, &folder, &["vc", "push", "origin", "main:new"], &|| up.dead.load(Ordering::SeqCst));
    }
    assert_eq!(env.git(&env.path("bare.git"), &["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
    let line = line(http.address(), 100_000, far);
    let (url, dead) = (at(&line, "http"), Arc::clone(&line.dead));
    let clone = &["vc", "clone", url.as_str(), "new/tree"];
    interrupted(&env, &folder, clone, &|| dead.load(Ordering::SeqCst));
    assert!(!folder.join("new").exists());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_ssh_and_what_it_started() {
    let env = Env::new();
    let folder = project(&env);
    let tree = folder.join(".brv/context-tree");
    let (script, pid) = (env.path("ssh"), env.path("pid"));
    // a part of the answer arrives, and then nothing more
    let text = format!(
        "#!/bin/sh\nfor last; do :; done\neval \"$last\" | (dd bs=1 count=100000 2>/dev/null; sleep 60 & echo $! > '{}'; wait)\n",
        pid.display()
    );
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    env.git(&tree, &["config", "core.sshCommand", script.to_str().unwrap()]);
    env.git(&tree, &["config", "ssh.variant", "ssh"]);
    let url = format!("ssh://git@host.example{}", env.path("bare.git").display());
    env.git(&tree, &["remote", "add", "origin", &url]);
    interrupted(&env, &folder, &["vc", "fetch"], &|| pid.exists());
    assert!(has_ended(&pid));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_git_that_serves_a_path_and_its_hooks() {
    let env = Env::new();
    let folder = project(&env);
    let bare = env.path("bare.git");
    let tree = folder.join(".brv/context-tree");
    env.git(&tree, &["remote", "add", "origin", bare.to_str().unwrap()]);
    let (hook, pid) = (env.path("hook"), env.path("pid"));
    let text = format!("#!/bin/sh\nsleep 60 & echo $! > '{}'; wait\n", pid.display());
    std::fs::write(&hook, &text).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let settings = format!("[uploadpack]\n\tpackObjectsHook = {}\n", hook.display());
    std::fs::write(env.path("home/.gitconfig"), settings).unwrap();
    interrupted(&env, &folder, &["vc", "fetch"], &|| pid.exists());
    assert!(has_ended(&pid));
    std::fs::remove_file(&pid).unwrap();
    servers::hook(&bare, "pre-receive", text.trim_start_matches("#!/bin/sh\n"));
    interrupted(&env, &folder, &["vc", "push", "origin", "main:new"], &|| pid.exists());
    assert!(has_ended(&pid));
    assert_eq!(env.git(&bare, &["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
}

/// An environment whose ssh logs its arguments into `said`, and ends.
#[cfg(unix)]
fn noting(env: Env) -> (World, PathBuf, PathBuf) {
    let world = World::new(env, "ssh://ada@host.example:2222/x.git");
    let (script, said) = (world.env.path("myssh"), world.env.path("said"));
    let text = format!("#!/bin/sh\nfor one; do echo \"$one\"; done >> '{}'\n", said.display());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    (world, script, said)
}

#[cfg(unix)]
#[test]
fn each_kind_of_ssh_is_called_in_its_way() {
    let (world, script, said) = noting(Env::new());
    let called = |variant: &str, command: &str| {
        world.env.git(world.ours(), &["config", "core.sshCommand", command]);
        world.env.git(world.ours(), &["config", "ssh.variant", variant]);
        let _ = std::fs::remove_file(&said);
        let error = world.cannot_talk_to(origin());
        (std::fs::read_to_string(&said).unwrap_or_default(), error.to_string())
    };
    let script = script.to_str().unwrap();
    let (ssh, _) = called("ssh", script);
    assert!(ssh.contains("BatchMode=yes\n") && ssh.contains("-p\n2222\nada@host.example\n"), "{ssh}");
    assert!(ssh.ends_with("git-upload-pack '/x.git'\n"), "{ssh}");
    let (plink, _) = called("plink", &format!("{script} -extra"));
    assert!(plink.starts_with("-extra\n") && plink.contains("-P\n2222\n"), "{plink}");
    let (simple, error) = called("simple", script);
    assert!(simple.is_empty() && error.contains("ssh"), "{simple} {error}");
    for url in ["ssh://-oProxyCommand=touch/x", "ssh://ada@-host/x", "-host:x"] {
        world.env.git(world.ours(), &["config", "remote.origin.url", url]);
        let (called, error) = called("ssh", script);
        assert!(called.is_empty(), "{url}: {called} {error}");
    }
}

#[cfg(unix)]
#[test]
fn the_environments_ssh_wins_over_that_of_the_settings() {
    let (world, script, said) = noting(Env::new());
    world.env.git(world.ours(), &["config", "core.sshCommand", "false"]);
    let World { env, scope, .. } = world;
    let tree = scope.work_tree().to_path_buf();
    let folder = env.path("project");
    std::fs::create_dir(&folder).unwrap();
    drop((scope, tree));
    let env =
        env.with("GIT_SSH_COMMAND", format!("{} --mine", script.display())).with("GIT_SSH_VARIANT", "ssh");
    assert_eq!(env.brv_in(&folder, &["init"]).code, 0);
    let tree = folder.join(".brv/context-tree");
    env.git(&tree, &["config", "core.sshCommand", "false"]);
    let ran = env.brv_in(&folder, &["vc", "fetch", "ssh://host.example/x.git"]);
    assert_eq!(ran.code, 9, "{}", ran.stderr);
    assert!(std::fs::read_to_string(&said).unwrap().starts_with("--mine\n"));
    // and without a command, the program
    let env = Env::new().with("GIT_SSH", &script);
    std::fs::remove_file(&said).unwrap();
    env.git(&tree, &["config", "--unset", "core.sshCommand"]);
    let ran = env.brv_in(&folder, &["vc", "fetch", "ssh://host.example/x.git"]);
    assert_eq!(ran.code, 9, "{}", ran.stderr);
    assert!(said.is_file());
}
