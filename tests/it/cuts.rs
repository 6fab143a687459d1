//! The connection breaks at every packet of a fetch and of a push: the command reports it, the repository is intact,
//! and the next attempt succeeds. A push that arrived although its answer was lost is recognised as done.

use crate::env::{Env, Ran};
use crate::lab::{assert_harmless, picture};
use crate::servers::{self, Http, Running, ServerMode};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    ToServer,
    ToClient,
}

/// Cut one direction of one connection after this many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cut {
    connection: usize,
    direction: Direction,
    bytes: usize,
}

/// The traffic of each connection, in both directions.
type Log = Arc<Mutex<Vec<[Vec<u8>; 2]>>>;

/// A proxy between a client and a server.
struct Proxy {
    port: u16,
    log: Log,
    open: Arc<AtomicUsize>,
}

impl Proxy {
    fn start(server: u16, cut: Option<Cut>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (log, open) = (Log::default(), Arc::new(AtomicUsize::new(0)));
        let proxy = Self { port, log: Arc::clone(&log), open: Arc::clone(&open) };
        std::thread::spawn(move || {
            for (connection, client) in listener.incoming().enumerate() {
                let (client, server) = (client.unwrap(), TcpStream::connect(("127.0.0.1", server)).unwrap());
                log.lock().unwrap().push(Default::default());
                open.fetch_add(2, Ordering::SeqCst);
                for direction in [Direction::ToServer, Direction::ToClient] {
                    let ends = (client.try_clone().unwrap(), server.try_clone().unwrap());
                    let (log, open) = (Arc::clone(&log), Arc::clone(&open));
                    let cut = cut.filter(|cut| cut.connection == connection);
                    std::thread::spawn(move || {
                        pump(&ends.0, &ends.1, direction, cut, &|bytes| {
                            log.lock().unwrap()[connection][direction as usize].extend_from_slice(bytes);
                        });
                        open.fetch_sub(1, Ordering::SeqCst);
                    });
                }
            }
        });
        proxy
    }

    /// Wait until the server has ended everything it began.
    fn settle(&self) {
        for _ in 0..2000 {
            if self.open.load(Ordering::SeqCst) == 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("a server does not end");
    }
}

fn pump(
    mut client: &TcpStream,
    mut server: &TcpStream,
    direction: Direction,
    cut: Option<Cut>,
    log: &dyn Fn(&[u8]),
) {
    let (mut passed, mut buffer) = (0, [0; 1 << 14]);
    let mut limit = cut.filter(|cut| cut.direction == direction).map(|cut| cut.bytes);
    loop {
        if limit.is_some_and(|limit| passed >= limit) {
            // the server may continue; its answer goes nowhere
            let _ = client.shutdown(Shutdown::Both);
            let _ = server.shutdown(Shutdown::Write);
            limit = None;
            if direction == Direction::ToServer {
                return;
            }
        }
        let read = match direction {
            Direction::ToServer => client.read(&mut buffer),
            Direction::ToClient => server.read(&mut buffer),
        };
        let read = read.unwrap_or(0);
        if read == 0 {
            let _ = match direction {
                Direction::ToServer => server.shutdown(Shutdown::Write),
                Direction::ToClient => client.shutdown(Shutdown::Write),
            };
            return;
        }
        let part = limit.map_or(read, |limit| read.min(limit - passed));
        log(&buffer[..part]);
        // the closed side gets nothing, and the other is read to its end
        let _ = match direction {
            Direction::ToServer => server.write_all(&buffer[..part]),
            Direction::ToClient => client.write_all(&buffer[..part]),
        };
        passed += part;
    }
}

/// The ends of packet lines, http headers and pieces of a pack.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let (mut at, mut ends) = (0, Vec::new());
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = rest.get(..4).and_then(|digits| {
            usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok().map(|length| length.max(4))
        });
        let is_head = [b"GET ".as_slice(), b"POST", b"HTTP"].iter().any(|word| rest.starts_with(word));
        let head = rest.windows(4).position(|four| four == b"\r\n\r\n").filter(|_| is_head);
        at += head.map(|head| head + 4).or(length).unwrap_or(60);
        at = at.min(bytes.len());
        ends.push(at);
    }
    ends
}

/// Every position between two packets, and the middle of some.
fn cuts(log: &Log) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for (connection, directions) in log.lock().unwrap().iter().enumerate() {
        for direction in [Direction::ToServer, Direction::ToClient] {
            let mut before = 0;
            cuts.push(Cut { connection, direction, bytes: 0 });
            for (number, end) in ends(&directions[direction as usize]).into_iter().enumerate() {
                if number % 5 == 1 {
                    cuts.push(Cut { connection, direction, bytes: (before + end) / 2 });
                }
                cuts.push(Cut { connection, direction, bytes: end });
                before = end;
            }
        }
    }
    cuts.dedup();
    cuts
}

/// The servers, with the scheme and port of each.
struct Servers {
    daemon: Option<Running>,
    http: Http,
}

impl Servers {
    fn start(env: &Env) -> Self {
        Self { daemon: servers::daemon(env, env.root()), http: Http::start(env.root(), ServerMode::Open) }
    }

    fn all(&self) -> Vec<(&'static str, u16)> {
        let http = self.http.address().rsplit(':').next().unwrap().parse().unwrap();
        let daemon = self.daemon.iter().map(|daemon| ("git", daemon.port));
        daemon.chain([("http", http)]).collect()
    }
}

/// A bare repository, and a project that was cloned from it.
struct Scene {
    env: Env,
    bare: PathBuf,
    project: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let env = Env::new();
        let bare = env.bare("bare.git");
        env.git(&bare, &["symbolic-ref", "HEAD", "refs/heads/main"]);
        let theirs = env.path("theirs");
        env.git(env.root(), &["clone", "-q", "bare.git", "theirs"]);
        env.commit(&theirs, &[("bread/old.md", "# Old\n"), ("bread/more.md", "# More\n")]);
        env.git(&theirs, &["push", "-q", "origin", "HEAD:main"]);
        let ran = env.brv(&["vc", "clone", "bare.git", "project"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let project = env.path("project");
        Self { env, bare, project }
    }

    /// Commits, a branch and a tag that the project does not have.
    fn move_on(&self) {
        let theirs = self.env.path("theirs");
        self.env.commit(&theirs, &[("bread/new.md", &"# New\n\nlines and lines\n".repeat(90))]);
        self.env.git(&theirs, &["tag", "-a", "v1", "-m", "first"]);
        self.env.git(&theirs, &["push", "-q", "origin", "HEAD:main", "HEAD~1:refs/heads/side", "v1"]);
    }

    /// A copy of a folder of the scene.
    fn copy(&self, folder: &Path, name: &str) -> PathBuf {
        let target = self.env.path(name);
        for (path, bytes) in picture(folder, &|path| path.contains("hooks/")) {
            let path = target.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        for empty in ["refs/heads", "objects/info"] {
            if target.join("HEAD").exists() {
                std::fs::create_dir_all(target.join(empty)).unwrap();
            }
        }
        target
    }

    fn brv(&self, project: &Path, scheme: &str, port: u16, bare: &str, arguments: &[&str]) -> Ran {
        let tree = project.join(".brv/context-tree");
        let url = format!("{scheme}://127.0.0.1:{port}/{bare}");
        self.env.git(&tree, &["config", "remote.origin.url", &url]);
        let ran = self.env.brv_in(project, arguments);
        assert_harmless(&ran);
        ran
    }
}

/// Paths that the scene itself changes or does not copy.
fn is_left_out(path: &str) -> bool {
    path.ends_with(".git/config") || path.contains("hooks/")
}

/// Run `one` once without a fault, then with a connection that breaks at each of its packets.
fn at_each_packet(port: u16, one: impl Fn(&str, &Proxy) + Sync) {
    let honest = Proxy::start(port, None);
    one("whole", &honest);
    honest.settle();
    let cuts = cuts(&honest.log);
    assert!(cuts.len() > 15, "{cuts:?}");
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(cut) = cuts.get(number) else { break };
            let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                one(&format!("cut-{port}-{number}"), &Proxy::start(port, Some(*cut)));
            }));
            if let Err(panic) = tried {
                let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                failed.lock().unwrap().push(format!("{cut:?}: {text}"));
            }
        }
    };
    std::thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), cuts.len(), failed.join("\n"));
}

#[test]
fn a_fetch_that_breaks_anywhere_leaves_a_whole_repository_and_the_next_is_right() {
    let scene = Scene::new();
    scene.move_on();
    let servers = Servers::start(&scene.env);
    let there = ["main", "side", "v1"].map(|name| (name, scene.env.git(&scene.bare, &["rev-parse", name])));
    let before = picture(&scene.project, &is_left_out);
    for (scheme, port) in servers.all() {
        at_each_packet(port, |name, proxy| {
            let project = scene.copy(&scene.project, name);
            let tree = project.join(".brv/context-tree");
            let ran = scene.brv(&project, scheme, proxy.port, "bare.git", &["vc", "pull"]);
            proxy.settle();
            if name == "whole" {
                assert_eq!(ran.code, 0, "{ran:?}");
            }
            match ran.code {
                0 => {}
                9 => {
                    assert!(ran.stderr.starts_with("error: "), "{ran:?}");
                    let after = picture(&project, &is_left_out);
                    let differ: Vec<_> = after
                        .keys()
                        .chain(before.keys())
                        .filter(|path| before.get(*path) != after.get(*path))
                        .collect();
                    assert!(before == after, "{differ:?}");
                }
                _ => panic!("{ran:?}"),
            }
            let ran = scene.brv(&project, scheme, port, "bare.git", &["vc", "pull"]);
            assert_eq!(ran.code, 0, "{ran:?}");
            assert_eq!(scene.env.git(&tree, &["status", "--porcelain"]), "");
            let format = "--format=%(objectname) %(refname:lstrip=-1)";
            let refs = scene
                .env
                .git(&tree, &["for-each-ref", format, "refs/tags", "refs/heads/main", "refs/remotes"]);
            let line = |name: &str| refs.lines().filter(|line| line.ends_with(name)).count();
            for (name, id) in &there {
                assert!(refs.contains(&format!("{id} {name}")), "{refs}");
            }
            assert_eq!((line(" main"), line(" side"), line(" v1")), (2, 1, 1), "{refs}");
            scene.env.fsck(&tree);
            std::fs::remove_dir_all(project).unwrap();
        });
    }
}

#[test]
fn a_push_that_breaks_anywhere_is_done_or_not_and_the_next_is_right() {
    let scene = Scene::new();
    let servers = Servers::start(&scene.env);
    let tree = scene.project.join(".brv/context-tree");
    let old = scene.env.git(&scene.bare, &["rev-parse", "main"]);
    let new = scene.env.commit(&tree, &[("bread/ours.md", &"# Ours\n\nlines and lines\n".repeat(90))]);
    scene.env.git(&tree, &["config", "--unset", "branch.main.merge"]);
    for (scheme, port) in servers.all() {
        at_each_packet(port, |name, proxy| {
            let project = scene.copy(&scene.project, name);
            let bare = scene.copy(&scene.bare, &format!("{name}.git"));
            let tree = project.join(".brv/context-tree");
            let there = || scene.env.git(&bare, &["rev-parse", "main"]);
            let known = || scene.env.git(&tree, &["rev-parse", "origin/main"]);
            let follows = || scene.env.try_git(&tree, &["config", "branch.main.merge"]).stdout;
            let push = ["vc", "push", "-u", "origin", "main"];
            let ran = scene.brv(&project, scheme, proxy.port, &format!("{name}.git"), &push);
            proxy.settle();
            let arrived = there() == new;
            match ran.code {
                0 => assert_eq!((known(), there()), (new.clone(), new.clone()), "{ran:?}"),
                9 => {
                    assert_eq!((known(), follows()), (old.clone(), String::new()), "{ran:?}");
                    assert!(arrived || there() == old, "{ran:?}");
                    assert!(ran.stderr.contains("error: "), "{ran:?}");
                }
                _ => panic!("{ran:?}"),
            }
            let again = scene.brv(&project, scheme, port, &format!("{name}.git"), &push);
            assert_eq!(again.code, 0, "{again:?}");
            let is_up_to_date = again.stdout.contains("up to date");
            assert_eq!(is_up_to_date, arrived, "{ran:?} {again:?}");
            assert_eq!((known(), there()), (new.clone(), new.clone()));
            assert_eq!(follows(), "refs/heads/main\n");
            scene.env.fsck(&bare);
            std::fs::remove_dir_all(project).unwrap();
            std::fs::remove_dir_all(bare).unwrap();
        });
    }
}
