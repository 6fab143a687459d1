//! Signed commits: real programs make the signatures, and git accepts them. Written for a Unix shell.
#![cfg(unix)]

use crate::env::{Env, Ran, program, tree};
use crate::init::{commit, project, write};
use std::path::{Path, PathBuf};
use std::process::Command;

fn head(env: &Env) -> String {
    env.try_git(&tree(env), &["rev-parse", "-q", "--verify", "HEAD"]).stdout
}

/// A key without a passphrase whose owner git trusts; `None` if there is no ssh-keygen.
fn ssh_key(env: &Env, passphrase: &str) -> Option<PathBuf> {
    let Some(keygen) = program("ssh-keygen") else {
        println!("skipped: no ssh-keygen");
        return None;
    };
    let key = env.path("home/id");
    let mut command = Command::new(keygen);
    env.prepare(&mut command);
    command.args(["-q", "-t", "ed25519", "-C", "ada@example.com", "-N", passphrase, "-f"]).arg(&key);
    assert!(command.status().unwrap().success());
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    let allowed = env.path("home/allowed");
    std::fs::write(&allowed, format!("ada@example.com {public}")).unwrap();
    let tree = tree(env);
    env.git(&tree, &["config", "gpg.format", "ssh"]);
    env.git(&tree, &["config", "gpg.ssh.allowedSignersFile", allowed.to_str().unwrap()]);
    Some(key)
}

fn set(env: &Env, key: &str, value: &str) {
    env.git(&tree(env), &["config", key, value]);
}

fn brv_commit(env: &Env, arguments: &[&str]) -> Ran {
    env.brv(&[&["vc", "commit", "--allow-empty", "-m", "subject\n\nbody"], arguments].concat())
}

/// git finds the signature good.
fn assert_good(env: &Env, folder: &Path) {
    let ran = env.try_git(folder, &["verify-commit", "HEAD"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(env.git(folder, &["log", "-1", "--format=%G?"]), "G");
    env.fsck(folder);
}

fn is_signed(env: &Env) -> bool {
    env.git(&tree(env), &["cat-file", "commit", "HEAD"]).contains("gpgsig")
}

#[test]
fn git_accepts_a_tag_that_was_signed_by_ssh() {
    let env = project(&[("a.md", "a\n")]);
    let Some(key) = ssh_key(&env, "") else { return };
    commit(&env, "first");
    let tag = |arguments: &[&str]| {
        let ran = env.brv(&[&["vc", "tag", "-m", "words"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    tag(&["-u", key.to_str().unwrap(), "named"]);
    set(&env, "user.signingKey", key.to_str().unwrap());
    tag(&["-s", "asked"]);
    tag(&["plain"]);
    set(&env, "tag.gpgSign", "true");
    tag(&["set"]);
    tag(&["--no-sign", "unset"]);
    for (name, signed) in
        [("named", true), ("asked", true), ("plain", false), ("set", true), ("unset", false)]
    {
        let ran = env.try_git(&tree(&env), &["verify-tag", name]);
        assert_eq!(ran.code == 0, signed, "{name}: {}", ran.stderr);
        assert_eq!(env.git(&tree(&env), &["tag", "-l", "--format=%(contents:subject)", name]), "words");
    }
    env.fsck(&tree(&env));
}

#[test]
fn git_accepts_a_commit_that_was_signed_by_ssh() {
    let env = project(&[("a.md", "a\n")]);
    let Some(key) = ssh_key(&env, "") else { return };
    set(&env, "user.signingKey", key.to_str().unwrap());
    set(&env, "commit.gpgsign", "true");
    commit(&env, "first");
    assert_good(&env, &tree(&env));
    assert_eq!(env.git(&tree(&env), &["log", "-1", "--format=%s by %an"]), "first by Ada");
    // not this one, but this one although the settings do not ask for it
    assert_eq!(brv_commit(&env, &["--no-gpg-sign"]).code, 0);
    assert!(!is_signed(&env));
    set(&env, "commit.gpgsign", "false");
    assert_eq!(brv_commit(&env, &[]).code, 0);
    assert!(!is_signed(&env));
    assert_eq!(brv_commit(&env, &["-S"]).code, 0);
    assert_good(&env, &tree(&env));
    env.git(&tree(&env), &["config", "--unset", "user.signingKey"]);
    let ran = brv_commit(&env, &[&format!("--gpg-sign={}", key.display())]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_good(&env, &tree(&env));
    // snapshots of operations stay on this machine and are never signed
    let operations = env.git(&tree(&env), &["for-each-ref", "--format=%(objectname)", "refs/brv/ops"]);
    for operation in operations.lines() {
        assert!(!env.git(&tree(&env), &["cat-file", "commit", operation]).contains("gpgsig"));
    }
}

#[test]
fn a_signature_that_is_not_made_leaves_everything_as_it_was() {
    let env = project(&[("a.md", "a\n")]);
    let Some(key) = ssh_key(&env, "secret") else { return };
    assert_eq!(env.brv(&["vc", "add", "."]).code, 0);
    set(&env, "commit.gpgsign", "true");
    let index = || std::fs::read(tree(&env).join(".git/index")).unwrap();
    let (before, refs) = (index(), env.git(&tree(&env), &["for-each-ref"]));
    let refused = |word: &str| {
        let ran = env.brv(&["vc", "commit", "-m", "first"]);
        assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(word) && ran.stderr.contains("hint: "), "{word}: {}", ran.stderr);
        assert_eq!((head(&env).as_str(), index() == before), ("", true));
        assert!(!tree(&env).join(".git/index.lock").exists());
        assert_eq!(env.git(&tree(&env), &["for-each-ref"]), refs);
    };
    refused("user.signingKey");
    // a key with a passphrase does not prompt
    set(&env, "user.signingKey", key.to_str().unwrap());
    refused("ssh-keygen");
    set(&env, "user.signingKey", "/no/such/key");
    refused("/no/such/key");
    set(&env, "gpg.ssh.program", "no-such-program");
    refused("no-such-program");
    set(&env, "gpg.format", "pigeon");
    refused("pigeon");
    // a program that reports success and makes no signature
    set(&env, "gpg.format", "openpgp");
    set(&env, "gpg.program", "true");
    refused("`true` failed to sign");
    let ran = env.brv(&["vc", "commit", "--json", "-m", "first"]);
    assert!(ran.stdout.contains(r#""ok":false"#) && ran.stdout.contains("gpg-sign"), "{}", ran.stdout);
    assert_eq!(env.brv(&["vc", "commit", "--no-gpg-sign", "-m", "first"]).code, 0);
}

#[test]
fn a_key_may_be_named_by_itself_or_by_a_command_and_an_agent_holds_it() {
    let env = project(&[]);
    let Some(key) = ssh_key(&env, "") else { return };
    let (Some(agent), Some(add)) = (program("ssh-agent"), program("ssh-add")) else {
        println!("skipped: no ssh-agent");
        return;
    };
    let socket = env.path("agent");
    let mut command = Command::new(agent);
    env.prepare(&mut command);
    let mut agent =
        command.arg("-D").arg("-a").arg(&socket).stdout(std::process::Stdio::null()).spawn().unwrap();
    for _ in 0..200 {
        if socket.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let mut command = Command::new(add);
    env.prepare(&mut command);
    assert!(command.arg("-q").arg(&key).env("SSH_AUTH_SOCK", &socket).status().unwrap().success());
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    std::fs::remove_file(&key).unwrap();
    let env = env.with("SSH_AUTH_SOCK", &socket);
    set(&env, "user.signingKey", &format!("key::{}", public.trim()));
    let literal = brv_commit(&env, &["-S"]);
    let command = env.path("home/which-key");
    std::fs::write(&command, format!("#!/bin/sh\nprintf 'key::%s\\n' '{}'\n", public.trim())).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&command).status().unwrap().success());
    env.git(&tree(&env), &["config", "--unset", "user.signingKey"]);
    set(&env, "gpg.ssh.defaultKeyCommand", command.to_str().unwrap());
    let named = brv_commit(&env, &["-S"]);
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert_eq!(literal.code, 0, "{}", literal.stderr);
    assert_eq!(named.code, 0, "{}", named.stderr);
    for commit in ["HEAD", "HEAD~1"] {
        env.git(&tree(&env), &["verify-commit", commit]);
    }
}

#[test]
fn git_accepts_a_commit_that_was_signed_by_gpg() {
    let Some(gpg) = program("gpg") else {
        println!("skipped: no gpg");
        return;
    };
    // a short path, since the agent's socket is there
    let home = tempfile::Builder::new().prefix("g").tempdir().unwrap();
    let env = project(&[("a.md", "a\n")]).with("GNUPGHOME", home.path());
    let gpg = |arguments: &[&str]| {
        let mut command = Command::new(&gpg);
        env.prepare(&mut command);
        Ran::of(&command.args(["--batch", "-q"]).args(arguments).output().unwrap())
    };
    let made = gpg(&["--passphrase", "", "--quick-generate-key", "Ada <ada@example.com>", "ed25519", "sign"]);
    if made.code != 0 {
        println!("skipped: gpg makes no key here: {}", made.stderr);
        return;
    }
    set(&env, "commit.gpgsign", "true");
    commit(&env, "first");
    assert_good(&env, &tree(&env));
    let ran = brv_commit(&env, &["--gpg-sign=nobody@example.org"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("nobody@example.org"), "{}", ran.stderr);
    if let Some(conf) = program("gpgconf") {
        let mut command = Command::new(conf);
        env.prepare(&mut command);
        let _ = command.args(["--kill", "all"]).status();
    }
}

#[test]
fn a_merge_that_a_pull_makes_is_signed_or_not_made() {
    let env = project(&[("a.md", "a\n")]);
    let Some(key) = ssh_key(&env, "") else { return };
    commit(&env, "base");
    let origin = env.bare("origin.git");
    let tree = tree(&env);
    assert_eq!(env.brv(&["vc", "remote", "add", "origin", origin.to_str().unwrap()]).code, 0);
    assert_eq!(env.brv(&["vc", "push", "-u", "origin", "main"]).code, 0);
    let other = env.path("other");
    env.git(env.root(), &["clone", "-q", "-b", "main", origin.to_str().unwrap(), other.to_str().unwrap()]);
    env.commit(&other, &[("theirs.md", "theirs\n")]);
    env.git(&other, &["push", "-q", "origin", "main"]);
    write(&env, &[("ours.md", "ours\n")]);
    commit(&env, "ours");
    let before = head(&env);
    set(&env, "commit.gpgsign", "true");
    set(&env, "user.signingKey", "/no/such/key");
    let ran = env.brv(&["vc", "pull"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("/no/such/key") && ran.stderr.contains("nothing was merged"),
        "{}",
        ran.stderr
    );
    assert_eq!(head(&env), before);
    assert!(!tree.join("theirs.md").exists() && !tree.join(".git/MERGE_HEAD").exists());
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "");
    set(&env, "user.signingKey", key.to_str().unwrap());
    let ran = env.brv(&["vc", "pull"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_good(&env, &tree);
    assert_eq!(env.git(&tree, &["log", "-1", "--format=%P"]).split(' ').count(), 2);
}
