//! Pushes without an answer: brv checks what happened and reports it correctly.

use crate::env::{Env, Ran};
#[cfg(unix)]
use crate::servers;
use crate::servers::{Http, ServerMode};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Passes everything on.
const PASS: u8 = 0;
/// Holds back the answer to the next POST, and passes on later exchanges.
const LOSE_ONE: u8 = 1;
/// Holds back the answer to the next POST, then refuses connections.
const LOSE_AND_CLOSE: u8 = 2;
/// Refuses connections.
const CLOSED: u8 = 3;

/// A proxy between brv and a server that drops answers as configured.
struct Lossy {
    address: String,
    mood: Arc<AtomicU8>,
}

impl Lossy {
    fn before(upstream: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let mood = Arc::new(AtomicU8::new(PASS));
        let (upstream, own) = (upstream.to_owned(), Arc::clone(&mood));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, upstream, mood) = (client.unwrap(), upstream.clone(), Arc::clone(&own));
                if mood.load(Ordering::SeqCst) != CLOSED {
                    std::thread::spawn(move || drop(pass_on(client, &upstream, &mood)));
                }
            }
        });
        Self { address, mood }
    }
}

fn pass_on(mut client: TcpStream, upstream: &str, mood: &AtomicU8) -> std::io::Result<()> {
    let mut server = TcpStream::connect(upstream)?;
    let (mut from_server, mut to_client) = (server.try_clone()?, client.try_clone()?);
    let posted = Arc::new(AtomicU8::new(0));
    let asked = Arc::clone(&posted);
    let answers = std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = from_server.read(&mut bytes) {
            if asked.load(Ordering::SeqCst) == 1 {
                // the server has finished its work: it answers
                return true;
            }
            if to_client.write_all(&bytes[..length]).is_err() {
                return false;
            }
        }
        false
    });
    let mut other = client.try_clone()?;
    let closer = std::thread::spawn(move || {
        let lost = answers.join().unwrap_or(false);
        let _ = other.shutdown(std::net::Shutdown::Both);
        let _ = other.flush();
        lost
    });
    let mut bytes = [0; 4096];
    while let Ok(length @ 1..) = client.read(&mut bytes) {
        let is_post = bytes[..length].starts_with(b"POST ");
        if is_post {
            let next = match mood.load(Ordering::SeqCst) {
                LOSE_ONE => Some(PASS),
                LOSE_AND_CLOSE => Some(CLOSED),
                _ => None,
            };
            if let Some(next) = next {
                posted.store(1, Ordering::SeqCst);
                mood.store(next, Ordering::SeqCst);
            }
        }
        server.write_all(&bytes[..length])?;
    }
    let _ = server.shutdown(std::net::Shutdown::Both);
    let _ = closer.join();
    Ok(())
}

struct World {
    env: Env,
    remote: PathBuf,
    project: PathBuf,
    tree: PathBuf,
}

impl World {
    fn new() -> Self {
        let env = Env::new();
        let (remote, project) = (env.bare("remote.git"), env.path("project"));
        std::fs::create_dir(&project).unwrap();
        let tree = project.join(".brv/context-tree");
        let world = Self { env, remote, project, tree };
        assert_eq!(world.brv(&["init", "-q"]).code, 0);
        world.env.commit(&world.tree, &[("a.md", "# A\n")]);
        world
    }

    fn set_url(&self, url: &str) {
        self.env.git(&self.tree, &["remote", "add", "origin", url]);
    }

    fn brv(&self, arguments: &[&str]) -> Ran {
        self.env.brv_in(&self.project, arguments)
    }

    fn there(&self, name: &str) -> String {
        self.env.try_git(&self.remote, &["rev-parse", "-q", "--verify", name]).stdout.trim().to_owned()
    }

    fn here(&self, name: &str) -> String {
        self.env.try_git(&self.tree, &["rev-parse", "-q", "--verify", name]).stdout.trim().to_owned()
    }

    fn upstream(&self) -> String {
        self.env.try_git(&self.tree, &["config", "branch.main.merge"]).stdout.trim().to_owned()
    }

    /// brv reports the push as done.
    fn assert_done(&self, ran: &Ran) {
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(self.there("main"), self.here("HEAD"));
        assert_eq!(self.here("refs/remotes/origin/main"), self.here("HEAD"));
        assert_eq!(self.upstream(), "refs/heads/main");
    }
}

#[test]
fn a_push_whose_answer_was_lost_is_looked_at_again_and_done() {
    let world = World::new();
    let server = Http::start(world.env.root(), ServerMode::Open);
    let lossy = Lossy::before(server.address());
    world.set_url(&format!("http://{}/remote.git", lossy.address));
    lossy.mood.store(LOSE_ONE, Ordering::SeqCst);
    let ran = world.brv(&["vc", "push", "-u", "origin", "main"]);
    world.assert_done(&ran);
    assert!(ran.stderr.contains("warning: ") && ran.stderr.contains("checked it again"), "{}", ran.stderr);
    assert!(ran.stdout.contains("[new branch] main"), "{}", ran.stdout);
    // a deletion, too; a rejected push stays rejected
    world.env.git(&world.remote, &["branch", "old", "main"]);
    world.env.git(&world.tree, &["fetch", "-q", "origin"]);
    lossy.mood.store(LOSE_ONE, Ordering::SeqCst);
    let ran = world.brv(&["vc", "push", "origin", ":old"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!((world.there("old"), world.here("refs/remotes/origin/old")), (String::new(), String::new()));
    world.env.fsck(&world.remote);
}

#[test]
fn when_the_remote_cannot_be_looked_at_again_nothing_is_claimed_and_the_next_push_finds_it_done() {
    let world = World::new();
    let server = Http::start(world.env.root(), ServerMode::Open);
    let lossy = Lossy::before(server.address());
    world.set_url(&format!("http://{}/remote.git", lossy.address));
    lossy.mood.store(LOSE_AND_CLOSE, Ordering::SeqCst);
    let ran = world.brv(&["vc", "push", "-u", "origin", "main"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (9, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("the result is unknown"), "{}", ran.stderr);
    assert_eq!(world.there("main"), world.here("HEAD"), "it did");
    assert_eq!((world.here("refs/remotes/origin/main"), world.upstream()), (String::new(), String::new()));
    lossy.mood.store(PASS, Ordering::SeqCst);
    let ran = world.brv(&["vc", "push", "-u", "origin", "main"]);
    world.assert_done(&ran);
    assert!(ran.stdout.starts_with("Everything is up to date.\n"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn a_server_that_dies_between_moving_and_answering_is_believed_by_what_it_has() {
    let world = World::new();
    world.set_url(world.remote.to_str().unwrap());
    servers::hook(&world.remote, "reference-transaction", "test \"$1\" != committed || kill -9 $PPID\n");
    let ran = world.brv(&["vc", "push", "-u", "origin", "main"]);
    world.assert_done(&ran);
    // a connection that ends earlier has moved nothing
    world.env.commit(&world.tree, &[("b.md", "# B\n")]);
    servers::hook(&world.remote, "reference-transaction", "test \"$1\" != prepared || kill -9 $PPID\n");
    let before = world.there("main");
    let ran = world.brv(&["vc", "push"]);
    assert_eq!(ran.code, 9, "{}{}", ran.stdout, ran.stderr);
    assert_eq!((world.there("main"), world.here("refs/remotes/origin/main")), (before.clone(), before));
}
