//! `brv vc blame` compared with git's, and by fact.

use crate::env::Env;
use crate::init::{commit, json, project, write};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

type Files = BTreeMap<String, Vec<String>>;

/// Pseudo-random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }

    /// Lines that are often equal, as in markdown.
    fn line(&mut self) -> String {
        match self.below(8) {
            0 => String::new(),
            1 => "---".into(),
            2 => format!("## Part {}", self.below(3)),
            3 => format!("  - item {}", self.below(4)),
            _ => format!("line {}", self.below(1000)),
        }
    }

    fn edit(&mut self, files: &mut Files) {
        let names: Vec<String> = files.keys().cloned().collect();
        let name = names[self.below(names.len())].clone();
        match self.below(12) {
            0 => {
                let lines = files.remove(&name).unwrap();
                files.insert(format!("renamed{}.md", self.below(100)), lines);
            }
            1 => {
                files.insert(format!("new{}.md", self.below(100)), (0..4).map(|_| self.line()).collect());
            }
            _ => {}
        }
        let names: Vec<String> = files.keys().cloned().collect();
        for _ in 0..=self.below(3) {
            let name = &names[self.below(names.len())];
            let lines = files.get_mut(name).unwrap();
            let at = self.below(lines.len() + 1);
            match self.below(4) {
                0 if lines.len() > 6 => {
                    lines.drain(at.min(lines.len() - 3)..(at + 2).min(lines.len()));
                }
                1 if at < lines.len() => lines[at] = self.line(),
                _ => {
                    let new: Vec<String> = (0..=self.below(4)).map(|_| self.line()).collect();
                    lines.splice(at..at, new);
                }
            }
        }
    }

    /// A merge of two versions: the first, with files of the other one, or parts of them.
    fn join(&mut self, ours: &Files, theirs: &Files) -> Files {
        let mut joined = ours.clone();
        for (name, lines) in theirs {
            match (self.below(3), joined.get_mut(name)) {
                (0, _) => _ = joined.insert(name.clone(), lines.clone()),
                (1, Some(own)) => {
                    let (cut, from) = (self.below(own.len() + 1), self.below(lines.len() + 1));
                    own.truncate(cut);
                    own.extend_from_slice(&lines[from..]);
                }
                _ => {}
            }
        }
        joined
    }
}

/// `main` with a random history.
fn import(env: &Env, tree: &Path, commits: usize, random: &mut Random) -> Files {
    let mut states: Vec<Files> = Vec::new();
    let mut stream = String::new();
    for number in 0..commits {
        let mut files = match number {
            0 => Files::from([("a.md".into(), (0..12).map(|_| random.line()).collect())]),
            _ => Files::new(),
        };
        let parents = match number {
            0 => vec![],
            _ if number > 2 && random.below(4) == 0 => {
                vec![number - 1, number - 2 - random.below(number.min(5) - 1)]
            }
            _ => vec![number - 1 - random.below(number.min(3))],
        };
        match parents[..] {
            [parent] => files = states[parent].clone(),
            [ours, theirs] => files = random.join(&states[ours], &states[theirs]),
            _ => {}
        }
        random.edit(&mut files);
        writeln!(stream, "commit refs/heads/c{number}\nmark :{}", number + 1).unwrap();
        let who = ["Ada <ada@example.com>", "Björn B <b@example.com>"][number % 2];
        writeln!(stream, "committer {who} {} +0100\ndata 1\nx", 1_600_000_000 + 60 * number).unwrap();
        for (place, parent) in parents.iter().enumerate() {
            writeln!(stream, "{} :{}", if place == 0 { "from" } else { "merge" }, parent + 1).unwrap();
        }
        writeln!(stream, "deleteall").unwrap();
        for (name, lines) in &files {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            writeln!(stream, "M 100644 inline {name}\ndata {}\n{text}", text.len()).unwrap();
        }
        states.push(files);
    }
    writeln!(stream, "reset refs/heads/main\nfrom :{commits}").unwrap();
    let mut command = env.git_command(tree);
    let mut child =
        command.args(["fast-import", "--quiet", "--force"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    env.git(tree, &["reset", "-q", "--hard", "main"]);
    states.pop().unwrap()
}

/// Both report the same commit, file and line for every line.
fn same(env: &Env, tree: &Path, arguments: &[&str]) {
    let theirs = env.git(tree, &[&["blame"], arguments].concat());
    let ours = env.brv(&[&["vc", "blame"], arguments].concat());
    assert_eq!(ours.code, 0, "{arguments:?}: {}", ours.stderr);
    // the current time, which is different for git
    let timeless = |text: &str| {
        let lines = text.lines().map(|line| match line.find("Not Committed Yet") {
            Some(at) => format!("{}{}", &line[..at], &line[line.find(") ").unwrap()..]),
            None => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(timeless(&ours.stdout), timeless(&theirs), "{arguments:?}");
}

#[test]
fn every_line_is_blamed_as_git_blames_it() {
    let env = project(&[]);
    let tree = env.path(".brv/context-tree");
    for seed in 0..10 {
        let mut random = Random(seed);
        let files = import(&env, &tree, 60, &mut random);
        for name in files.keys().take(4) {
            same(&env, &tree, &[name]);
        }
    }
}

#[test]
fn parts_revisions_and_what_is_not_committed_are_as_in_git() {
    let env = project(&[]);
    let tree = env.path(".brv/context-tree");
    let mut files = import(&env, &tree, 40, &mut Random(99));
    let (name, lines) = files.pop_first().unwrap();
    let middle = (lines.len() / 2).to_string();
    same(&env, &tree, &["-L", "2,+3", &name]);
    same(&env, &tree, &["-L", &middle, "-L", "1,2", &name]);
    write(&env, &[(&name, &format!("new\n{}\nmore\n", lines.join("\n")))]);
    same(&env, &tree, &[&name]);
    same(&env, &tree, &["HEAD", "--", &name]);
    // moved and not committed yet
    env.git(&tree, &["mv", &name, "moved.md"]);
    same(&env, &tree, &["moved.md"]);
    write(&env, &[("fresh.md", "a\n")]);
    assert_eq!(env.brv(&["vc", "blame", "fresh.md"]).code, 2);
    env.git(&tree, &["add", "fresh.md"]);
    same(&env, &tree, &["fresh.md"]);
    for wrong in [
        &["-L", "0,3", "fresh.md"][..],
        &["nothing.md"],
        &["HEAD", "--", "fresh.md"],
        &["-L", "7", "fresh.md"],
    ] {
        assert_eq!(env.brv(&[&["vc", "blame"], wrong].concat()).code, 2, "{wrong:?}");
    }
}

fn fact(text: &str) -> String {
    format!("# Token\n\nIntro.\n\n## Facts\n\n- **owner**: The team [team]\n{text}")
}

#[test]
fn a_fact_is_traced_to_who_stated_it_and_to_what_it_was_before() {
    let env = project(&[("auth/token.md", &fact("- **ttl**: Tokens live 24 hours [project]\n"))]);
    commit(&env, "auth: tokens");
    let env = env.with("BRV_ACTOR", "claude").with("BRV_SESSION", "s-7");
    write(&env, &[("auth/token.md", &fact("- **ttl**: Tokens live 12 hours [project]\n"))]);
    commit(
        &env,
        "auth: tokens live shorter\n\nBrv-Reason: the audit asked for it\nBrv-Source-Commit: 1234abc",
    );
    let tree = env.path(".brv/context-tree");
    std::fs::create_dir_all(tree.join("ops")).unwrap();
    env.git(&tree, &["mv", "auth/token.md", "ops/token.md"]);
    env.git(&tree, &["commit", "-q", "-m", "moved"]);
    write(
        &env,
        &[(
            "ops/token.md",
            &format!(
                "{}\n## More\n\nText.\n",
                fact("- **TTL:** Tokens live 12 hours [project]\n- **ttl**: Forever\n")
            ),
        )],
    );
    let blame = json(&env.brv(&["vc", "blame", "--fact", "ttl", "ops/token.md", "--json"]).stdout);
    let (stated, earlier) = (&blame["data"]["fact"]["current"], &blame["data"]["fact"]["earlier"]);
    assert_eq!(stated[0]["statement"], "Tokens live 12 hours [project]");
    assert_eq!(stated[0]["replaced"][0], "Tokens live 24 hours [project]");
    assert_eq!((&stated[0]["line"], &stated[0]["path"]), (&8.into(), &"auth/token.md".into()));
    assert_eq!(
        (&stated[1]["statement"], &stated[1]["commit"]),
        (&"Forever".into(), &serde_json::Value::Null)
    );
    assert_eq!(earlier.as_array().unwrap().len(), 1);
    assert_eq!(earlier[0]["statement"], "Tokens live 24 hours [project]");
    let origin = blame["data"]["commits"]
        .as_array()
        .unwrap()
        .iter()
        .find(|origin| origin["id"] == stated[0]["commit"])
        .unwrap();
    assert_eq!((&origin["actor"], &origin["session"]), (&"claude".into(), &"s-7".into()));
    assert_eq!(origin["reason"], "the audit asked for it");
    let source = serde_json::json!({ "recorded": "1234abc", "by": "unknown" });
    assert_eq!(
        (&origin["source"], &stated[0]["source"]),
        (&source, &source),
        "there is no repository of the code"
    );
    assert!(origin["source_commit"].is_null() && stated[0]["source_commit"].is_null());
    assert_eq!(origin["author"]["name"], "Ada");
    assert!(origin["operation"].is_string());
    let text = env.brv(&["vc", "blame", "--fact", "ttl", "HEAD", "--", "ops/token.md"]).stdout;
    for part in [
        "ttl: Tokens live 12 hours [project]  (line 8)",
        "agent     claude",
        "session   s-7",
        "why       the audit",
        "source    unknown (recorded: 1234abc)",
        "in        auth/token.md",
        "Before\n- Tokens live 24 hours",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let wrong = env.brv(&["vc", "blame", "--fact", "tttl", "ops/token.md"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("perhaps `ttl`"), "{}", wrong.stderr);
}

#[test]
fn a_fact_that_went_and_came_back_has_its_whole_history() {
    let env = project(&[("a.md", &fact("- **ttl**: one\n"))]);
    commit(&env, "first");
    for (text, message) in [("", "gone"), ("- **ttl**: two\n", "back"), ("- **ttl**: one\n", "as at first")] {
        write(&env, &[("a.md", &fact(text))]);
        commit(&env, message);
    }
    let read = |revision: &str| {
        let ran = env.brv(&["vc", "blame", "--fact", "TTL", "--json", revision, "--", "a.md"]);
        json(&ran.stdout)["data"]["fact"].clone()
    };
    let told = |fact: &serde_json::Value, part: &str| {
        let list = fact[part].as_array().unwrap().iter();
        list.map(|one| one["statement"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let now = read("HEAD");
    assert_eq!(
        (told(&now, "current"), told(&now, "earlier")),
        (vec!["one".into()], vec!["two".into(), "one".into()])
    );
    let gone = read("HEAD~2");
    assert_eq!((told(&gone, "current"), told(&gone, "earlier")), (vec![], vec!["one".into()]));
}
