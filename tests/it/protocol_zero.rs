//! Protocol 0 as spoken by servers other than git, with a strict server in this process; and the effect of a panic in
//! the middle of an exchange.

use crate::env::Env;
use crate::hostile_server::{
    Bytes, Carrier, Fault, Liar, Object, Version, Wares, blob, commit, lines, pack, tree,
};
use crate::init::json;
use crate::network::{World, origin};
use crate::shallow::{TREE, ran};
use brv_base::progress::{Progress, Stage};
use brv_git::network::{self, Network};
#[cfg(unix)]
use brv_git::push::PushEvidence;
use brv_git::push::{self, Atomicity, Force};
use brv_git::{ObjectName, fetch};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const WAYS: [Carrier; 2] = [Carrier::Git, Carrier::Http];

/// Three commits in a row, of one file.
struct Story {
    file: Object,
    root: Object,
    commits: [Object; 3],
}

impl Story {
    fn new() -> Self {
        let file = blob(b"# One\n");
        let root = tree(&[("100644", "one.md", file.id)]);
        let first = commit(root.id, &[]);
        let second = commit(root.id, &[first.id]);
        let third = commit(root.id, &[second.id]);
        Self { file, root, commits: [first, second, third] }
    }

    /// A branch that ends in the last commit, and a pack of these.
    fn wares(&self, commits: &[Object]) -> Wares {
        let tip = self.commits[2].id.to_string();
        let refs = [b"HEAD".as_slice(), b"refs/heads/main"].map(|name| (name.to_vec(), tip.clone())).to_vec();
        let objects: Vec<_> = commits.iter().chain([&self.root, &self.file]).collect();
        Wares { refs, head: "refs/heads/main".into(), pack: pack(&objects) }
    }

    fn id(&self, number: usize) -> String {
        self.commits[number].id.to_string()
    }
}

fn start(carrier: Carrier, wares: Wares, fault: Fault) -> Liar {
    Liar::start(carrier, Version::Zero, wares, fault)
}

fn shallow(project: &Path) -> String {
    std::fs::read_to_string(project.join(TREE).join(".git/shallow")).unwrap_or_default()
}

/// A project with this many commits of its own.
fn project(env: &Env, commits: usize) -> std::path::PathBuf {
    let project = env.path("project");
    std::fs::create_dir(&project).unwrap();
    ran(env, &project, &["init", "-q"], 0);
    (0..commits).for_each(|_| drop(env.commit(&project.join(TREE), &[("ours.md", "# Ours\n")])));
    project
}

#[test]
fn a_repository_without_commits_that_names_its_head_is_cloned_fetched_synced_and_pushed_to() {
    for carrier in WAYS {
        let env = Env::new();
        let wares = Wares { refs: Vec::new(), head: "refs/heads/trunk".into(), pack: Vec::new() };
        let report = lines(&["unpack ok\n", "ok refs/heads/main\n", "0000"]);
        let liar = start(carrier, wares, Fault::Report(Bytes::Once(report)));
        let cloned = json(&ran(&env, env.root(), &["vc", "clone", "--json", &liar.url, "cloned"], 0).stdout);
        assert_eq!(cloned["ok"], true);
        let head = env.git(&env.path("cloned").join(TREE), &["symbolic-ref", "HEAD"]);
        assert_eq!(head, "refs/heads/trunk", "the server's answer is used");
        let project = project(&env, 1);
        ran(&env, &project, &["vc", "remote", "add", "origin", &liar.url], 0);
        ran(&env, &project, &["vc", "fetch"], 0);
        let pushed = json(&ran(&env, &project, &["vc", "push", "--json", "-u", "origin", "main"], 0).stdout);
        assert_eq!(pushed["ok"], true);
        ran(&env, &project, &["vc", "sync"], 0);
    }
}

#[test]
fn a_server_that_is_ready_and_waits_is_told_that_all_is_said() {
    let story = Story::new();
    for carrier in WAYS {
        let env = Env::new();
        // more than one round lists
        let project = project(&env, 60);
        let liar = start(carrier, story.wares(&story.commits), Fault::Ready);
        ran(&env, &project, &["vc", "remote", "add", "origin", &liar.url], 0);
        let begun = Instant::now();
        ran(&env, &project, &["vc", "fetch"], 0);
        assert!(begun.elapsed() < Duration::from_secs(10), "{carrier:?} {:?}", begun.elapsed());
        let asks = liar.asked()[0].contains("no-done");
        assert_eq!(asks, carrier == Carrier::Http, "as git: only where each request is answered at once");
        env.fsck(&project.join(TREE));
    }
}

#[test]
fn depth_is_asked_for_in_the_order_and_with_the_words_of_protocol_0() {
    let story = Story::new();
    let ends = |texts: &[String]| lines(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let [_, second, third] = [0, 1, 2].map(|number| story.id(number));
    for carrier in WAYS {
        let env = Env::new();
        let answer = ends(&[format!("shallow {third}\n")]);
        let fault = Fault::Ends("shallow deepen-since deepen-not deepen-relative", answer);
        let liar = start(carrier, story.wares(&story.commits[2..]), fault.clone());
        ran(&env, env.root(), &["vc", "clone", "--depth", "1", &liar.url, "cloned"], 0);
        let project = env.path("cloned");
        assert_eq!(shallow(&project), format!("{third}\n"));
        let asked = liar.asked();
        assert!(asked[0].starts_with(&format!("want {third} ")), "{asked:?}");
        assert!(!asked[0].contains("deepen"), "{asked:?}");
        assert_eq!(asked[1..], ["deepen 1"]);

        let answer = ends(&[format!("shallow {second}\n"), format!("unshallow {third}\n")]);
        let fault = Fault::Ends("shallow deepen-relative", answer);
        let liar = start(carrier, story.wares(&story.commits[1..2]), fault);
        ran(&env, &project, &["vc", "remote", "set-url", "origin", &liar.url], 0);
        ran(&env, &project, &["vc", "fetch", "--deepen", "1"], 0);
        assert_eq!(shallow(&project), format!("{second}\n"));
        let asked = liar.asked();
        assert!(asked[0].contains(" deepen-relative"), "{asked:?}");
        assert_eq!(asked[1..], [format!("shallow {third}"), "deepen 1".into()]);
        env.fsck(&project.join(TREE));
    }
}

#[test]
fn where_the_history_ends_is_heard_in_all_rounds_of_a_negotiation() {
    let story = Story::new();
    let env = Env::new();
    let project = project(&env, 60);
    let answer = lines(&[&format!("shallow {}\n", story.id(2))]);
    let liar = start(Carrier::Git, story.wares(&story.commits[2..]), Fault::Ends("shallow", answer));
    ran(&env, &project, &["vc", "remote", "add", "origin", &liar.url], 0);
    ran(&env, &project, &["vc", "fetch", "--depth", "1"], 0);
    assert_eq!(shallow(&project), format!("{}\n", story.id(2)));
    env.fsck(&project.join(TREE));
}

#[test]
fn what_a_server_cannot_do_is_refused_as_git_refuses_it_before_anything_is_asked() {
    let story = Story::new();
    let refused = |env: &Env, folder: &Path, arguments: &[&str], what: &str| {
        let arguments = [&["vc"], arguments, &["--json"]].concat();
        let said = json(&ran(env, folder, &arguments, 9).stdout);
        let message = said["error"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("does not support {what}")), "{message}");
    };
    for carrier in WAYS {
        let env = Env::new();
        let without = start(carrier, story.wares(&story.commits), Fault::Ends("", Vec::new()));
        refused(&env, env.root(), &["clone", "--depth", "1", &without.url, "none"], "shallow repositories");
        assert!(!env.path("none").exists());
        assert_eq!(env.try_git(env.root(), &["clone", "-q", "--depth", "1", &without.url, "git"]).code, 128);
        let greeting = lines(&[&format!("{} refs/heads/main\0ofs-delta agent=plain\n", story.id(2)), "0000"]);
        let plain = start(carrier, story.wares(&[]), Fault::Greeting(Bytes::Once(greeting)));
        refused(&env, env.root(), &["clone", &plain.url, "none"], "`multi_ack_detailed`");
        let answer = lines(&[&format!("shallow {}\n", story.id(2))]);
        let partly = start(carrier, story.wares(&story.commits[2..]), Fault::Ends("shallow", answer));
        ran(&env, env.root(), &["vc", "clone", "--depth", "1", &partly.url, "cloned"], 0);
        let (project, asked) = (env.path("cloned"), partly.asked());
        refused(&env, &project, &["fetch", "--deepen", "1"], "`--deepen`");
        assert_eq!(partly.asked(), asked);
        ran(&env, &project, &["vc", "remote", "set-url", "origin", &without.url], 0);
        refused(&env, &project, &["fetch", "--depth", "2"], "shallow repositories");
        assert_eq!(shallow(&project), format!("{}\n", story.id(2)));
    }
}

/// Fails in the middle of an exchange, once.
struct Failing {
    at: Option<Stage>,
    done: AtomicBool,
}

impl Failing {
    const fn at(at: Option<Stage>) -> Self {
        Self { at, done: AtomicBool::new(false) }
    }

    fn fail(&self) {
        assert!(self.done.swap(true, Ordering::Relaxed), "on purpose");
    }
}

impl Progress for Failing {
    fn update(&self, stage: Stage, _done: u64, _total: Option<u64>) {
        if self.at == Some(stage) {
            self.fail();
        }
    }

    fn remote_message(&self, _line: &str) {
        if self.at.is_none() {
            self.fail();
        }
    }
}

/// A repository of ours with a commit, and a bare one without it.
fn world() -> World {
    let env = Env::new();
    let bare = env.bare("bare.git");
    #[cfg(unix)]
    crate::servers::hook(&bare, "post-receive", "echo taken\n");
    let world = World::new(env, bare.to_str().unwrap());
    world.env.commit(world.ours(), &[("a.md", "# A\n")]);
    world
}

fn push(world: &World, failing: &Failing) -> Result<push::Outcome, push::Error> {
    let network = Network { progress: failing, ..world.network() };
    let address = push::addresses(&world.scope, &origin())?.swap_remove(0);
    let mut connection = push::connect(&world.scope, &address, &network)?;
    let update = push::RefUpdate {
        source: Some(ObjectName::from_hex(&world.env.git(world.ours(), &["rev-parse", "HEAD"])).unwrap()),
        destination: "refs/heads/main".into(),
        force: Force::No,
    };
    let decided = connection.decide(&[update], Atomicity::EachRef)?;
    connection.finish(decided, brv_git::Mode::Write, &network)
}

#[test]
fn a_panic_in_an_exchange_is_a_fault_of_the_remote_and_changes_nothing() {
    let world = world();
    let pushed = push(&world, &Failing::at(Some(Stage::Count)));
    let Err(push::Error::Network(network::Error::Unusable { reason, .. })) = pushed else {
        panic!("{pushed:?}")
    };
    assert!(reason.contains("on purpose"), "{reason}");
    assert_eq!(world.env.git(&world.env.path("bare.git"), &["for-each-ref"]), "");
    world.push_one("HEAD", "refs/heads/main", Force::No);
    world.env.git(world.env.root(), &["clone", "-q", "bare.git", "mate"]);
    world.env.commit(&world.env.path("mate"), &[("b.md", "# B\n")]);
    world.env.git(&world.env.path("mate"), &["push", "-q"]);
    let failing = Failing::at(Some(Stage::Wait));
    let network = Network { progress: &failing, ..world.network() };
    let fetched = fetch::fetch(&world.scope, &fetch::Options::configured(origin()), &network);
    let Err(fetch::Error::Network(network::Error::Unusable { .. })) = fetched else { panic!("{fetched:?}") };
    let refs = world.env.git(world.ours(), &["for-each-ref", "--format=%(objectname)", "refs/remotes"]);
    assert_eq!(refs, world.env.git(world.ours(), &["rev-parse", "HEAD"]));
    let objects = world.ours().join(".git/objects");
    let left = std::fs::read_dir(objects).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().starts_with("tmp_")));
    fetch::fetch(&world.scope, &fetch::Options::configured(origin()), &network).unwrap();
}

#[cfg(unix)]
#[test]
fn a_panic_after_all_was_sent_is_an_answer_that_was_lost() {
    let world = world();
    let pushed = push(&world, &Failing::at(None)).unwrap();
    assert_eq!(pushed.evidence, PushEvidence::SeenAgain);
    assert!(pushed.refs.iter().all(|one| one.status == push::Status::Ok), "{pushed:?}");
}
