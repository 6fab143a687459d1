//! Output on a terminal: colours if wanted, never a control character from content.

use crate::init::{commit, json, project, write};
use std::io::Read as _;
use std::process::{Command, Stdio};

#[test]
fn hostile_text_is_shown_and_not_obeyed() {
    let env = project(&[("a.md", "a\n")]);
    let message = "x\u{1b}]0;owned\u{7}\u{202e}";
    commit(&env, message);
    for arguments in
        [&["vc", "log"][..], &["vc", "log", "--oneline"], &["vc", "show"], &["vc", "log", "--json"]]
    {
        let shown = env.brv(arguments).stdout;
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown:?}");
    }
    let log = json(&env.brv(&["vc", "log", "--json"]).stdout);
    assert_eq!(log["data"]["commits"][0]["subject"], message);
}

#[test]
fn colours_come_when_asked_for() {
    let env = project(&[("a.md", "a\n")]);
    commit(&env, "first");
    write(&env, &[("a.md", "b\n")]);
    assert!(!env.brv(&["vc", "diff"]).stdout.contains('\u{1b}'));
    assert!(env.brv(&["vc", "diff", "--color", "always"]).stdout.contains("\u{1b}[32m+"));
    let unified = env.brv(&["vc", "diff", "--color", "always", "--format", "unified"]).stdout;
    assert!(!unified.contains('\u{1b}'), "a patch stays a patch");
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let long: String = (0..20_000).map(|number| format!("line {number}\n")).collect();
    let env = project(&[("a.md", &long)]);
    commit(&env, "first");
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    let mut child =
        command.args(["vc", "show"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut start = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn quiet_leaves_data_and_errors() {
    let env = project(&[("a.md", "a\n")]);
    let ran = env.brv(&["-q", "vc", "add", "."]);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    assert_eq!(env.brv(&["-q", "vc", "status", "-s"]).stdout, "A  a.md\n");
    assert!(env.brv(&["-q", "vc", "show", "nowhere"]).stderr.starts_with("error: "));
}
