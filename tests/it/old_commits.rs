//! Commits as old programs left them: author lines that break the grammar, and texts in other encodings.

use crate::env::{Env, Ran, tree};
use crate::init::{json, project};
use std::io::Write as _;
use std::process::Stdio;

/// Author lines that git's own parser, or gitoxide's, gives up on.
const LINES: [&str; 12] = [
    "Ada <ada@example.com 1600000001 +0000",
    "Ada 1600000002 +0000",
    "Ada ada@example.com> 1600000003 +0100",
    "Ada <ada@example.com>",
    " <> 1600000005 +0000",
    "Ada <ada@example.com> <ada@old> 1600000006 +0000",
    "Ada <ada@example.com>> 1600000007 +0000",
    "Ada <ada@example.com> 1600000008 +051800",
    "Ada <ada@example.com> 1600000009",
    "Ada <ada@example.com> Tue Sep 15 2020",
    "Ada <ada@example.com> 99999999999999999999 +0000",
    "",
];

fn ran(env: &Env, arguments: &[&str], code: i32) -> Ran {
    let ran = env.brv(arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran
}

/// Store an object as it is, without git's checks. Returns its id.
fn store(env: &Env, kind: &str, bytes: &[u8]) -> String {
    let mut command = env.git_command(&tree(env));
    command.args(["hash-object", "-t", kind, "-w", "--stdin", "--literally"]);
    let mut git = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    git.stdin.take().unwrap().write_all(bytes).unwrap();
    Ran::of(&git.wait_with_output().unwrap()).stdout.trim().to_owned()
}

/// Commit the files on disk on top of main, with these headers below the parents.
fn commit(env: &Env, headers: &[u8], message: &[u8]) -> String {
    let tree = tree(env);
    env.git(&tree, &["add", "-A"]);
    let mut bytes = format!("tree {}\n", env.git(&tree, &["write-tree"])).into_bytes();
    let parent = env.git(&tree, &["for-each-ref", "--format=%(objectname)", "refs/heads/main"]);
    if !parent.is_empty() {
        bytes.extend_from_slice(format!("parent {parent}\n").as_bytes());
    }
    bytes.extend_from_slice(headers);
    bytes.extend_from_slice(b"\n");
    bytes.extend_from_slice(message);
    let id = store(env, "commit", &bytes);
    env.git(&tree, &["update-ref", "refs/heads/main", &id]);
    id
}

/// A project with one commit for each of [`LINES`], each with one more line in `a.md`. Returns the commits.
fn old(lines: &[&str]) -> (Env, Vec<String>) {
    let env = project(&[("a.md", "# A\n")]);
    let mut commits = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let path = tree(&env).join("a.md");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}\nLine {number}.\n")).unwrap();
        let headers = format!("author {line}\ncommitter {line}\n");
        commits.push(commit(&env, headers.as_bytes(), format!("number {number}\n").as_bytes()));
    }
    (env, commits)
}

#[test]
fn every_command_goes_on_over_commits_with_malformed_authors() {
    let (env, commits) = old(&LINES);
    let tree = tree(&env);
    let log = json(&ran(&env, &["vc", "log", "--json"], 0).stdout);
    let shown: Vec<_> =
        log["data"]["commits"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(shown.len(), commits.len());
    for id in &commits {
        assert!(shown.contains(&serde_json::json!(id)), "{id}");
    }
    // the names of ancestors are those of git
    for (number, id) in commits.iter().rev().enumerate() {
        let named = format!("HEAD~{number}");
        let shown = json(&ran(&env, &["vc", "show", &named, "--json"], 0).stdout);
        assert_eq!(shown["data"]["commit"]["id"], serde_json::json!(id), "{named} {shown}");
    }
    ran(&env, &["vc", "status"], 0);
    ran(&env, &["vc", "log", "--graph", "--", "a.md"], 0);
    let blamed = ran(&env, &["vc", "blame", "a.md"], 0).stdout;
    assert_eq!(blamed.lines().count(), 1 + 2 * commits.len(), "{blamed}");
    ran(&env, &["vc", "diff", "HEAD~5", "HEAD"], 0);
    ran(&env, &["vc", "check", "HEAD~11..HEAD"], 0);
    ran(&env, &["vc", "gc"], 0);
    // both sides go on from there
    env.git(env.root(), &["init", "-q", "--bare", "theirs.git"]);
    let remote = env.path("theirs.git");
    ran(&env, &["vc", "remote", "add", "origin", remote.to_str().unwrap()], 0);
    ran(&env, &["vc", "push", "-u", "origin", "main"], 0);
    env.git(env.root(), &["clone", "-q", remote.to_str().unwrap(), "other"]);
    env.commit(&env.path("other"), &[("b.md", "# B\n")]);
    env.git(&env.path("other"), &["push", "-q"]);
    std::fs::write(tree.join("c.md"), "# C\n").unwrap();
    ran(&env, &["vc", "add", "."], 0);
    ran(&env, &["vc", "commit", "-m", "c"], 0);
    let status = json(&{
        ran(&env, &["vc", "fetch"], 0);
        ran(&env, &["vc", "status", "--json"], 0).stdout
    });
    assert_eq!(
        (&status["data"]["upstream"]["ahead"], &status["data"]["upstream"]["behind"]),
        (&1.into(), &1.into())
    );
    ran(&env, &["vc", "pull"], 0);
    ran(&env, &["vc", "push"], 0);
    ran(&env, &["undo"], 0);
    ran(&env, &["vc", "branch", "side", "HEAD~6"], 0);
    ran(&env, &["vc", "merge", "side"], 0);
    ran(&env, &["vc", "clone", remote.to_str().unwrap(), "cloned"], 0);
}

#[test]
fn a_malformed_author_is_shown_as_well_as_it_can_be() {
    let (env, commits) = old(&LINES);
    let log = json(&ran(&env, &["vc", "log", "--json"], 0).stdout);
    let author = |number: usize| {
        let all = log["data"]["commits"].as_array().unwrap();
        let one = all.iter().find(|one| one["id"] == serde_json::json!(commits[number])).unwrap();
        let author = &one["author"];
        (author["name"].to_string(), author["email"].to_string(), author["time"].to_string())
    };
    let told = |name: &str, email: &str, time: &str| {
        (format!("{name:?}"), format!("{email:?}"), format!("{time:?}"))
    };
    assert_eq!(author(0), told("Ada", "ada@example.com", "2020-09-13T12:26:41Z"));
    assert_eq!(author(1), told("Ada", "", "2020-09-13T12:26:42Z"));
    assert_eq!(author(3), told("Ada", "ada@example.com", "1970-01-01T00:00:00Z"));
    assert_eq!(author(7), told("Ada", "ada@example.com", "2020-09-13T12:26:48Z"));
    assert_eq!(author(11), told("", "", "1970-01-01T00:00:00Z"));
    // an amended commit keeps its author, in a form that git accepts
    let (env, _) = old(&["Ada <<ada@example.com> 1600000001 +0000"]);
    ran(&env, &["vc", "commit", "--amend", "-m", "again"], 0);
    assert_eq!(env.git(&tree(&env), &["log", "-1", "--format=%an <%ae> %s"]), "Ada <ada@example.com> again");
    let written = env.git(&tree(&env), &["cat-file", "-p", "HEAD"]);
    assert!(written.contains("\nauthor Ada <ada@example.com> 1600000001 +0000\n"), "{written}");
}

#[test]
fn the_encoding_of_a_commit_is_honoured() {
    let env = project(&[("a.md", "# A\n")]);
    for (encoding, name, message) in [
        ("ISO-8859-1", b"J\xfcrgen".as_slice(), b"Gr\xfc\xdfe\n\nBRV-Actor: J\xfcrgen\n".as_slice()),
        ("Shift_JIS", b"\x93\xfa\x96{", b"\x93\xfa\x96{\n"),
        ("KOI8-R", b"\xe9\xd7\xc1\xce", b"\xf0\xd2\xc9\xd7\xc5\xd4\n"),
    ] {
        let line = [name, b" <x@example.com> 1600000000 +0000\n"].concat();
        let headers = [b"author ", &line[..], b"committer ", &line, b"encoding ", encoding.as_bytes(), b"\n"];
        std::fs::write(tree(&env).join("a.md"), format!("# A\n\n{encoding}\n")).unwrap();
        commit(&env, &headers.concat(), message);
    }
    let gits = env.git(&tree(&env), &["log", "--format=%an %s"]);
    let log = json(&ran(&env, &["vc", "log", "--json"], 0).stdout);
    let shown: Vec<String> = log["data"]["commits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!("{} {}", one["author"]["name"].as_str().unwrap(), one["subject"].as_str().unwrap())
        })
        .collect();
    assert_eq!(shown.join("\n"), gits);
    assert_eq!(shown, ["Иван Привет", "日本 日本", "Jürgen Grüße"]);
    let found = ran(&env, &["vc", "log", "--oneline", "--grep", "Grüße"], 0).stdout;
    assert_eq!(found.lines().count(), 1, "{found}");
    let blamed = ran(&env, &["vc", "blame", "a.md", "--json"], 0).stdout;
    assert!(blamed.contains("Иван"), "{blamed}");
}

#[test]
fn a_tag_with_a_malformed_tagger_is_listed_and_fetched() {
    let (env, commits) = old(&["Ada <ada@example.com> 1600000000 +0000"]);
    let tag = format!("object {}\ntype commit\ntag v1\ntagger Ada\n\nfirst\n", commits[0]);
    let id = store(&env, "tag", tag.as_bytes());
    env.git(&tree(&env), &["update-ref", "refs/tags/v1", &id]);
    let tags = json(&ran(&env, &["vc", "tag", "--json"], 0).stdout);
    assert!(tags.to_string().contains("first"), "{tags}");
    ran(&env, &["vc", "clone", tree(&env).to_str().unwrap(), "cloned"], 0);
    assert_eq!(env.git(&env.path("cloned/.brv/context-tree"), &["rev-parse", "v1"]), id);
}
