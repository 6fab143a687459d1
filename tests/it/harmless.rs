//! Text from others that a terminal would obey or a reader would not see: every command prints it escaped.

use crate::env::{Env, Ran, tree};
use crate::init::project;
use crate::lab::assert_harmless;

/// Clears the screen, sets a title, reverses text, hides a word.
const EVIL: &str = "x\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}cba\u{202c}\u{200b}\u{9b}31m\r";

/// Text and JSON of a command hold nothing that acts.
fn harmless(env: &Env, arguments: &[&str]) -> Ran {
    let ran = env.brv(arguments);
    assert_harmless(&ran);
    let json: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    assert_harmless(&env.brv(&json));
    ran
}

#[test]
fn content_titles_messages_and_names_of_authors_are_shown_and_not_obeyed() {
    let env = project(&[]);
    let tree = tree(&env);
    let text = |version: &str| {
        format!(
            "---\ntitle: \"{EVIL}\"\nsummary: {EVIL}\ntags: [a, \"{EVIL}\"]\n---\n# {EVIL}\n\n{version} {EVIL}\n"
        )
    };
    std::fs::write(tree.join("a.md"), text("one")).unwrap();
    env.git(&tree, &["add", "a.md"]);
    let author = format!("Eve {} <eve\u{202e}@example.com>", EVIL.replace(['\r', '\u{1b}', '\u{7}'], ""));
    env.git(&tree, &["commit", "-q", "--author", &author, "-m", EVIL, "-m", EVIL]);
    std::fs::write(tree.join("a.md"), text("two")).unwrap();
    for arguments in [
        &["vc", "status"][..],
        &["vc", "log"],
        &["vc", "log", "--oneline"],
        &["vc", "show", "--stat"],
        &["vc", "diff", "--stat"],
        &["vc", "diff", "--name-only"],
        &["vc", "diff", EVIL],
        &["vc", "show", EVIL],
        &["vc", "add", EVIL],
        &["vc", EVIL],
        &[EVIL],
        &["vc", "remote", "add", EVIL, "x"],
        &["vc", "config", EVIL],
        &["vc", "config", "user.name", EVIL],
        &["vc", "config", "user.name"],
        &["vc", "commit", "-a", "-m", EVIL],
        &["derive"],
        &["derive", "--check"],
        &["init"],
    ] {
        harmless(&env, arguments);
    }
}

#[cfg(unix)]
#[test]
fn paths_in_commits_and_on_disk_are_shown_and_not_obeyed() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let env = project(&[("good.md", "good\n")]);
    let tree = tree(&env);
    env.commit(&tree, &[("good.md", "good\n")]);
    let bytes: [&[u8]; 4] =
        [b"esc\x1b[31m.md", b"line\nfeed.md", "bidi\u{202e}dm.x\u{202c}.md".as_bytes(), b"latin\xe9.md"];
    for name in bytes {
        std::fs::write(tree.join(OsStr::from_bytes(name)), "text\n").unwrap();
    }
    for arguments in [
        &["vc", "status"][..],
        &["vc", "status", "--porcelain"],
        &["vc", "add", "--all"],
        &["vc", "add", "esc\u{1b}[31m.md"],
        &["derive"],
    ] {
        harmless(&env, arguments);
    }
    // git accepts them anyway
    env.commit(&tree, &[("good.md", "better\n")]);
    for name in bytes {
        std::fs::write(tree.join(OsStr::from_bytes(name)), "changed\n").unwrap();
    }
    for arguments in [
        &["vc", "status"][..],
        &["vc", "log", "--stat"],
        &["vc", "log"],
        &["vc", "show"],
        &["vc", "show", "--name-only"],
        &["vc", "diff"],
        &["vc", "diff", "--stat"],
        &["vc", "diff", "--format", "unified"],
        &["vc", "commit", "-a", "-m", "changed"],
        &["vc", "status", "--porcelain"],
    ] {
        harmless(&env, arguments);
    }
    env.fsck(&tree);
}

#[test]
fn names_of_branches_tags_and_remotes_are_shown_and_not_obeyed() {
    let env = project(&[("a.md", "a\n")]);
    let tree = tree(&env);
    env.commit(&tree, &[("a.md", "a\n")]);
    // git allows bidirectional characters, but no C0 controls
    let name = "evil\u{202e}lave\u{200b}\u{9b}31m";
    env.git(&tree, &["checkout", "-q", "-b", name]);
    env.git(&tree, &["tag", &format!("tag-{name}")]);
    let remote = env.bare("remote.git");
    harmless(&env, &["vc", "remote", "add", "evil", &format!("x-{name}.git")]);
    harmless(&env, &["vc", "remote", "add", "origin", remote.to_str().unwrap()]);
    let spec = format!("{name}:{name}");
    for arguments in [
        &["vc", "status"][..],
        &["vc", "status", "-sb"],
        &["vc", "log", "--oneline"],
        &["vc", "remote", "-v"],
        &["vc", "push", "-u", "origin", name],
        &["vc", "push", "origin", &spec],
        &["vc", "push"],
        &["vc", "push", "origin", &format!("tag-{name}")],
        &["vc", "fetch"],
        &["vc", "pull"],
        &["vc", "pull", "origin", "nowhere\u{202e}\u{1b}[2J"],
        &["vc", "commit", "--allow-empty", "-m", "x"],
        &["vc", "clone", remote.to_str().unwrap(), "cloned"],
        &["vc", "clone", "nowhere\u{1b}[2J\u{202e}", "other"],
    ] {
        harmless(&env, arguments);
    }
    let there = env.git(&remote, &["for-each-ref", "--format=%(refname)"]);
    assert!(there.contains(&format!("refs/heads/{name}")) && there.contains("refs/tags/"), "{there:?}");
}

#[test]
fn what_a_pull_brings_is_shown_and_not_obeyed() {
    let env = project(&[("a.md", "a\n")]);
    let tree = tree(&env);
    let remote = env.bare("remote.git");
    env.commit(&tree, &[("a.md", "a\n")]);
    assert_eq!(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]).code, 0);
    assert_eq!(env.brv(&["vc", "push", "-u", "origin", "main"]).code, 0);
    env.git(env.root(), &["clone", "-q", "-b", "main", remote.to_str().unwrap(), "mate"]);
    let mate = env.path("mate");
    let nice = "turned\u{202e}dm.\u{202c}.md";
    std::fs::write(mate.join(format!("exe{EVIL}.exe").replace('\r', "")), "MZ").unwrap();
    std::fs::remove_file(mate.join(format!("exe{EVIL}.exe").replace('\r', ""))).unwrap();
    env.commit(&mate, &[(nice, "# T\n"), ("a.md", &format!("ours {EVIL}\n")), ("tool\u{202e}.exe", "MZ")]);
    env.git(&mate, &["push", "-q"]);
    let ran = harmless(&env, &["vc", "pull"]);
    assert!(ran.code == 0 || ran.code == 6, "{}", ran.stderr);
    // a conflict: the names of the sides are in the markers, which are content
    std::fs::write(tree.join("a.md"), format!("mine {EVIL}\n")).unwrap();
    assert_eq!(env.brv(&["vc", "commit", "-a", "-m", "mine"]).code, 0);
    env.commit(&mate, &[("a.md", "theirs\n")]);
    env.git(&mate, &["push", "-q"]);
    harmless(&env, &["vc", "pull"]);
    harmless(&env, &["vc", "status"]);
    assert_harmless(&at_a_terminal(&env, "vc diff").unwrap_or_else(|| env.brv(&["vc", "status"])));
}

/// The output of the program on a terminal. `None` if no program provides one.
fn at_a_terminal(env: &Env, arguments: &str) -> Option<Ran> {
    let script = crate::env::program("script")?;
    let mut command = std::process::Command::new(script);
    env.prepare(&mut command);
    let line = format!("{} --color never {arguments}", env!("CARGO_BIN_EXE_brv"));
    command.args(["-qec", &line, "/dev/null"]).env("PAGER", "cat").env("TERM", "dumb");
    let mut ran = Ran::of(&command.output().ok()?);
    ran.stdout = ran.stdout.replace("\r\n", "\n");
    Some(ran)
}

#[cfg(target_os = "linux")]
#[test]
fn bytes_of_files_are_exact_for_programs_and_escaped_at_a_terminal() {
    let env = project(&[]);
    let tree = tree(&env);
    let text = format!("# {EVIL}\n\nbody {EVIL}\n");
    env.commit(&tree, &[("a.md", &text)]);
    std::fs::write(tree.join("a.md"), text.replace("body", "other")).unwrap();
    let patch = env.brv(&["vc", "diff"]).stdout;
    assert!(patch.contains(EVIL), "a patch that is piped can be applied");
    for arguments in [
        "vc diff",
        "vc diff --format text",
        "vc diff --format words",
        "vc diff --format unified",
        "vc show",
        "vc show HEAD:a.md",
    ] {
        let Some(ran) = at_a_terminal(&env, arguments) else { return };
        assert_harmless(&ran);
        assert!(ran.stdout.contains("x\\x1b[2J"), "{arguments}: {}", ran.stdout);
    }
}
