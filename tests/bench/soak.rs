//! Many clients on one tree for a long time, and a person's git beside them: nothing is lost, no memory grows.

use super::wire::{Era, Wire};
use crate::env::{Env, tree};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How many clients there are.
const CLIENTS: usize = 4;
/// How many facts go into an entry before the next one begins.
const FACTS: usize = 40;

/// What a client did.
#[derive(Debug, Default)]
pub struct Client {
    /// The facts that the server said were kept.
    pub kept: Vec<String>,
    /// Those of them that it did not say to be left uncommitted.
    pub committed: Vec<String>,
    /// How many calls were answered, and how many of them with an error.
    pub calls: usize,
    /// What the first failed calls answered.
    pub failures: Vec<String>,
    /// The slowest call.
    pub slowest: Duration,
    /// Resident bytes and open files of its server after a fifth of the time, and at the end.
    pub held: [(u64, usize); 2],
}

/// What all clients did.
#[derive(Debug)]
pub struct Report {
    /// One for each client.
    pub clients: Vec<Client>,
    /// How many commits the person made.
    pub commits: usize,
    /// Facts that were kept and stand in no file, or were committed and are on no branch.
    pub lost: Vec<String>,
}

impl Report {
    /// What went wrong.
    pub fn faults(&self) -> Vec<String> {
        let mut faults: Vec<String> = self.lost.iter().map(|fact| format!("lost: {fact}")).collect();
        for (number, client) in self.clients.iter().enumerate() {
            let [(early, files), (late, more)] = client.held;
            if late > early + early / 2 + (16 << 20) || more > files + 16 {
                faults.push(format!("client {number} grew: {:?}", client.held));
            }
            if client.kept.len() * 4 < client.calls {
                faults.push(format!("client {number} was refused: {:#?}", client.failures));
            }
        }
        faults
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} commits by hand", self.commits)?;
        for client in &self.clients {
            let megabytes = client.held.map(|(bytes, _)| bytes / 1_000_000);
            let (kept, slowest) = (client.kept.len(), client.slowest.as_millis());
            writeln!(
                f,
                "{} calls, {kept} facts kept, {} failed, slowest {slowest} ms, {megabytes:?} MB",
                client.calls,
                client.failures.len()
            )?;
            client.failures.iter().take(3).try_for_each(|failure| writeln!(f, "  {failure}"))?;
        }
        Ok(())
    }
}

/// Make a tree in the root of `env`, and run them for this long.
pub fn start(env: &Env, length: Duration) -> Report {
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    let first = r#"[{"type": "ADD", "path": "shared/notes", "title": "Start", "reason": "start", "markdown": "Text.\n"}]"#;
    assert_eq!(env.brv_reading(&["curate", "--ops", "-"], first.as_bytes()).code, 0);
    run(env, length)
}

fn run(env: &Env, length: Duration) -> Report {
    let over = AtomicBool::new(false);
    let (clients, person) = std::thread::scope(|scope| {
        let person = scope.spawn(|| person(env, &over));
        let clients: Vec<_> =
            (0..CLIENTS).map(|number| scope.spawn(move || client(env, number, length))).collect();
        let clients: Vec<Client> = clients.into_iter().map(|client| client.join().unwrap()).collect();
        over.store(true, Ordering::Relaxed);
        (clients, person.join().unwrap())
    });
    let files = facts(env, &[]);
    let branches = env.git(&tree(env), &["for-each-ref", "--format=%(refname)", "refs/heads"]);
    let committed = facts(env, &branches.lines().collect::<Vec<_>>());
    let kept = clients.iter().flat_map(|client| &client.kept).chain(&person);
    let without_file = kept.filter(|fact| !files.contains(*fact)).map(|fact| format!("{fact}: in no file"));
    let told = clients.iter().flat_map(|client| &client.committed).chain(&person);
    let without_commit =
        told.filter(|fact| !committed.contains(*fact)).map(|fact| format!("{fact}: on no branch"));
    let lost = without_file.chain(without_commit).collect();
    let commits = person.len();
    Report { clients, commits, lost }
}

/// What stands in these commits; in the files, if none is named. Committed text may be on any branch: while the
/// person begins a branch, a client may commit to the one that he is about to leave, as with two gits. What it writes
/// next to the same file is then beside a change of his, and is said not to be committed.
fn facts(env: &Env, commits: &[&str]) -> HashSet<String> {
    let mut command = vec!["grep", "-hoE", "(fact|line) [0-9]+x[0-9]+ holds"];
    command.extend(commits);
    command.push("--");
    env.git(&tree(env), &command).lines().map(str::to_owned).collect()
}

/// One client: it curates, and reads the result.
fn client(env: &Env, number: usize, length: Duration) -> Client {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.arg("mcp");
    let era = if number.is_multiple_of(2) { Era::Initialize } else { Era::Stateless };
    let mut wire = Wire::start(command, era);
    let (mut done, start) = (Client::default(), Instant::now());
    for turn in 0.. {
        if start.elapsed() >= length {
            break;
        }
        if done.held[0].0 == 0 && start.elapsed() * 5 >= length {
            done.held[0] = held(wire.process());
        }
        let fact = format!("fact {number}x{turn} holds");
        // every other entry is one that all clients write
        let title = format!("Notes {}", turn / FACTS);
        let path = if turn % 2 == 0 { "shared/notes".to_owned() } else { format!("own/c{number}") };
        let facts = json!([{"subject": format!("subject {number} {turn}"), "statement": fact}]);
        let operation = json!({"type": "UPSERT", "path": path, "title": title, "reason": "soak", "content": {"facts": facts}});
        if let Some(said) = done.call(&mut wire, "brv-curate", &json!({"operations": [operation]})) {
            done.committed.extend((!said.contains("not committed")).then(|| fact.clone()));
            done.kept.push(fact);
        }
        let (tool, arguments) = reading(turn, &path);
        done.call(&mut wire, tool, &arguments);
    }
    done.held[1] = held(wire.process());
    wire.hang_up();
    wire.gone_after();
    done
}

fn reading(turn: usize, path: &str) -> (&'static str, Value) {
    match turn % 6 {
        0 => ("brv-search", json!({"text": "fact holds"})),
        1 => ("brv-query", json!({"question": format!("which fact holds for subject {turn}?")})),
        2 => ("brv-read", json!({"path": path})),
        3 => ("brv-brain", json!({})),
        4 => ("brv-diff", json!({"range": "HEAD~1..HEAD"})),
        _ => ("brv-undo", json!({"dry_run": true})),
    }
}

impl Client {
    /// Call a tool; returns what it says if it did what it was asked for.
    fn call(&mut self, wire: &mut Wire, tool: &str, arguments: &Value) -> Option<String> {
        let start = Instant::now();
        let result = wire.tool(tool, arguments);
        self.slowest = self.slowest.max(start.elapsed());
        self.calls += 1;
        let said = result["content"][0]["text"].as_str().unwrap_or("?").to_owned();
        if result["isError"] != true {
            return Some(said);
        }
        if self.failures.len() < 100 {
            self.failures.push(format!("{tool}: {said}"));
        }
        None
    }
}

/// A person with plain git: edits a file of his own, commits, looks at the log, and now and then begins a branch. Returns
/// the lines that he committed. He neither merges nor goes back: a merge of git's that fails puts back all files that it
/// finds changed, whoever writes them.
fn person(env: &Env, over: &AtomicBool) -> Vec<String> {
    let tree = tree(env);
    // a lock of somebody else's is waited for, as a person would
    let insist = |arguments: &[&str]| {
        let done = (0..200).any(|_| env.try_git(&tree, arguments).code == 0 || pause());
        assert!(done, "{arguments:?}: {:?}", env.try_git(&tree, arguments));
    };
    let mut kept = Vec::new();
    let file = tree.join("person/notes/diary.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "# Diary\n").unwrap();
    for turn in 0.. {
        if over.load(Ordering::Relaxed) {
            return kept;
        }
        if turn % 10 == 9 {
            insist(&["switch", "-q", "-c", &format!("side-{turn}")]);
        }
        let line = format!("line 9x{turn} holds");
        std::fs::write(&file, std::fs::read_to_string(&file).unwrap() + "\n" + &line + "\n").unwrap();
        insist(&["add", "person"]);
        insist(&["commit", "-q", "-m", "by hand", "--", "person"]);
        kept.push(line);
        insist(&["log", "--oneline", "-5"]);
        std::thread::sleep(Duration::from_millis(200));
    }
    unreachable!("it ends when the clients do")
}

/// Wait a little; it is never enough.
fn pause() -> bool {
    std::thread::sleep(Duration::from_millis(20));
    false
}

/// Resident bytes and open files of a process; nothing where the system does not tell.
fn held(process: u32) -> (u64, usize) {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").trim().parse().unwrap_or_default();
    (kilobytes * 1024, std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count))
}
