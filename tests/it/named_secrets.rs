//! Secrets beside the content of entries: in the message of a commit, in a path, in the name of a branch or a tag, in a
//! file in UTF-16, and in what an editor escaped.

use crate::env::{Env, tree};
use crate::init::{json, project};
use serde_json::Value;

/// Made up at random, and in two parts, so that no secret stands here in one piece.
fn token() -> String {
    ["gh", "p_vZwnZuDMjJxyZLLKcgTAOGSf9uih4vmuGMGK"].concat()
}

/// A project whose first commit is at the remote.
fn shared() -> Env {
    let env = project(&[("a.md", "# A\n")]);
    crate::init::commit(&env, "first");
    let remote = env.bare("team.git");
    for arguments in [
        &["vc", "remote", "add", "origin", remote.to_str().unwrap()][..],
        &["vc", "push", "-u", "origin", "main"],
    ] {
        assert_eq!(env.brv(arguments).code, 0);
    }
    env
}

fn git(env: &Env, arguments: &[&str]) -> String {
    env.git(&tree(env), arguments)
}

/// The findings of a command that must fail with this code, with their messages; none of its output has the secret.
#[track_caller]
fn found(env: &Env, arguments: &[&str], code: i32) -> Vec<[String; 3]> {
    for format in [&[] as &[&str], &["--json"]] {
        let ran = env.brv(&[arguments, format].concat());
        assert_eq!(ran.code, code, "{arguments:?} {}{}", ran.stdout, ran.stderr);
        assert!(
            !ran.stdout.contains(&token()) && !ran.stderr.contains(&token()),
            "{arguments:?} {}",
            ran.stderr
        );
    }
    let envelope = json(&env.brv(&[arguments, &["--json"]].concat()).stdout);
    let rows = envelope["data"]["findings"].as_array().unwrap().clone();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    rows.iter()
        .filter(|row| row["rule"] == "BRV006")
        .map(|row| [text(row, "path"), text(row, "message"), text(row, "standing")])
        .collect()
}

fn fingerprint(env: &Env, arguments: &[&str]) -> String {
    let envelope = json(&env.brv(&[arguments, &["--json"]].concat()).stdout);
    format!("secret:{}", envelope["data"]["findings"][0]["fingerprint"].as_str().unwrap())
}

/// What plain git asks before a push of `main`, in the hook of the tree.
fn hook(env: &Env) -> crate::env::Ran {
    let (tip, there) = (git(env, &["rev-parse", "HEAD"]), git(env, &["rev-parse", "origin/main"]));
    let line = format!("refs/heads/main {tip} refs/heads/main {there}\n");
    env.brv_reading(&["hooks", "run", "pre-push", "origin", "x"], line.as_bytes())
}

const STOPPED: [(&[&str], i32); 4] = [
    (&["vc", "push"], 7),
    (&["vc", "sync"], 7),
    (&["vc", "check"], 1),
    (&["vc", "check", "origin/main..HEAD"], 1),
];

#[test]
fn a_secret_in_the_message_of_an_outgoing_commit_stops_it() {
    let env = shared();
    git(&env, &["commit", "-q", "--allow-empty", "-m", &format!("rotate\n\nThe old one was {}.", token())]);
    let first = git(&env, &["rev-parse", "HEAD"]);
    git(&env, &["commit", "-q", "--allow-empty", "-m", &format!("again {}", token())]);
    for (command, code) in STOPPED {
        let message = format!("github-token **** in the message of commit {}", &first[..7]);
        assert_eq!(
            found(&env, command, code),
            [[".".to_owned(), message, "present".to_owned()]],
            "{command:?}"
        );
    }
    let said = hook(&env);
    assert!(said.code != 0 && said.stderr.contains("in the message of commit"), "{}", said.stderr);
    let allow = fingerprint(&env, &["vc", "push"]);
    assert_eq!(env.brv(&["vc", "push", "--allow", &allow, "--reason", "revoked"]).code, 0);
    assert_eq!(env.brv(&["vc", "check"]).code, 0);
}

#[test]
fn a_commit_says_at_once_that_its_message_has_a_secret() {
    let env = shared();
    crate::init::write(&env, &[("a.md", "# A, new\n")]);
    let ran = env.brv(&["vc", "commit", "-a", "-m", &format!("with {}", token())]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("BRV006") && ran.stderr.contains("in the message of commit"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_secret_in_a_path_stops_it_while_the_path_is_there_and_later() {
    let env = shared();
    let path = format!("ops/{}.md", token());
    env.commit(&tree(&env), &[(&path, "# Fine\n")]);
    for (command, code) in STOPPED {
        let row = ["ops/****.md", "github-token **** in the name of the path", "present"].map(str::to_owned);
        assert_eq!(found(&env, command, code), [row], "{command:?}");
    }
    assert!(hook(&env).stderr.contains("in the name of the path"));
    assert_eq!(env.brv(&["vc", "check", "--write-baseline"]).code, 0);
    let baseline = std::fs::read_to_string(tree(&env).join("brv.baseline.json")).unwrap();
    assert!(!baseline.contains(&token()) && baseline.contains("ops/****.md"), "{baseline}");
    git(&env, &["rm", "-q", &path]);
    git(&env, &["commit", "-q", "-m", "gone"]);
    assert_eq!(found(&env, &["vc", "push"], 7)[0][2], "corrected");
}

#[test]
fn add_leaves_out_a_path_with_a_secret_and_a_check_of_everything_finds_it() {
    let env = shared();
    crate::init::write(&env, &[(&format!("ops/{}.md", token()), "# Fine\n"), ("b.md", "# B\n")]);
    assert_eq!(found(&env, &["vc", "check", "--all"], 1).len(), 1);
    let ran = env.brv(&["vc", "add", "--all", "--json"]);
    assert_eq!((ran.code, json(&ran.stdout)["data"]["added"].clone()), (1, Value::from(vec!["b.md"])));
    let reason = json(&ran.stdout)["data"]["refused"][0]["reason"].to_string();
    assert!(reason.contains("BRV006 github-token **** in the name of the path"), "{reason}");
    let again = env.brv(&["vc", "add", "--all"]);
    for said in [ran.stdout, ran.stderr, again.stdout, again.stderr] {
        assert!(!said.contains(&token()), "{said}");
    }
}

#[test]
fn a_secret_in_the_name_of_a_branch_or_a_tag_stops_it() {
    let env = shared();
    let branch = format!("fix-{}", token());
    git(&env, &["checkout", "-q", "-b", &branch]);
    let rows = |kind: &str| {
        [[".".to_owned(), format!("github-token **** in the name of the {kind}"), "present".to_owned()]]
    };
    let push = ["vc", "push", "-u", "origin", "HEAD"];
    assert_eq!(found(&env, &push, 7), rows("branch"));
    assert!(env.brv(&push).stderr.contains("brv vc branch -m"), "no file is at fault");
    git(&env, &["config", &format!("branch.{branch}.remote"), "origin"]);
    git(&env, &["config", &format!("branch.{branch}.merge"), "refs/heads/main"]);
    assert_eq!(found(&env, &["vc", "check"], 1), rows("branch"));
    assert_eq!(found(&env, &["vc", "check", "origin/main..HEAD"], 1), rows("branch"));
    git(&env, &["checkout", "-q", "main"]);
    git(&env, &["tag", &token()]);
    assert_eq!(found(&env, &["vc", "push", "origin", "--tags"], 7), rows("tag"));
    assert_eq!(env.brv(&["vc", "push"]).code, 0, "neither leaves with main");
}

#[test]
fn a_file_in_another_encoding_is_read_before_it_is_judged() {
    let text = format!("[Settings]\r\ntoken = {}\r\n", token());
    let encoded = |mark: bool, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let mark = mark.then_some(0xfeff);
        mark.into_iter().chain(text.encode_utf16()).flat_map(order).collect()
    };
    let env = shared();
    let folder = tree(&env);
    for (name, bytes) in [
        ("little.ini", encoded(true, u16::to_le_bytes)),
        ("big.ini", encoded(true, u16::to_be_bytes)),
        ("plain.ini", encoded(false, u16::to_le_bytes)),
        ("notes.md", encoded(true, u16::to_le_bytes)),
        ("unmarked.md", encoded(false, u16::to_le_bytes)),
        ("wide.ini", text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()),
    ] {
        std::fs::write(folder.join(name), bytes).unwrap();
        git(&env, &["add", "-f", name]);
    }
    git(&env, &["commit", "-q", "-m", "six"]);
    let rows = found(&env, &["vc", "push"], 7);
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(names, ["big.ini", "little.ini", "notes.md", "plain.ini", "unmarked.md", "wide.ini"]);
    let envelope = json(&env.brv(&["vc", "push", "--json"]).stdout);
    let place = &envelope["data"]["findings"][0];
    assert_eq!((&place["line"], &place["column"]), (&2.into(), &9.into()), "{place}");
}

#[test]
fn what_an_editor_of_markdown_escaped_is_the_same_secret() {
    let env = shared();
    let escaped = token().replace('_', "\\_");
    env.commit(&tree(&env), &[("b.md", &format!("# B\n\n- old: {escaped}\n"))]);
    let one = fingerprint(&env, &["vc", "push"]);
    git(&env, &["reset", "-q", "--hard", "HEAD~"]);
    env.commit(&tree(&env), &[("b.md", &format!("# B\n\n- old: {}\n", token()))]);
    assert_eq!(one, fingerprint(&env, &["vc", "push"]));
    let shown = env.brv(&["vc", "check"]);
    assert!(!shown.stdout.contains(&escaped[5..]), "{}", shown.stdout);
}
