//! Manual pages and help of every command, in valid formats.

use crate::env::{Env, program};
use crate::help::commands;
use crate::init::json;
use brv::cli::help::Topic;
use brv::say::Exit;
use std::process::Command;

#[test]
fn all_pages_are_written_and_one_is_printed() {
    let env = Env::new();
    let ran = env.brv(&["man", "--out", "share/man1"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let mut expected: Vec<String> = commands()
        .into_iter()
        .map(|words| [&["brv".to_owned()][..], &words].concat().join("-") + ".1")
        .collect();
    let mut found: Vec<String> = std::fs::read_dir(env.path("share/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    let push = env.brv(&["man", "vc", "push"]).stdout;
    assert_eq!(push, std::fs::read_to_string(env.path("share/man1/brv-vc-push.1")).unwrap());
    let answer = json(&env.brv(&["man", "vc", "push", "--json"]).stdout);
    assert_eq!(answer["data"]["pages"][0]["text"], push);
    assert_eq!(env.brv(&["man", "vc", "psuh"]).code, 2);
}

#[test]
fn programs_for_manual_pages_have_nothing_to_say() {
    let env = Env::new();
    env.brv(&["man", "--out", "man1"]);
    let checks: [(&str, &[&str]); 2] =
        [("mandoc", &["-T", "lint", "-W", "warning"]), ("groff", &["-ww", "-man", "-Tutf8", "-z"])];
    for (name, arguments) in checks {
        let Some(program) = program(name) else {
            println!("{name} is not on this machine: skipped");
            continue;
        };
        for entry in std::fs::read_dir(env.path("man1")).unwrap() {
            let path = entry.unwrap().path();
            let output = Command::new(&program).args(arguments).arg(&path).output().unwrap();
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            // mandoc wants a date, but a page has none, so that it is the same on every day
            let said: Vec<&str> = said.lines().filter(|line| !line.contains("missing date")).collect();
            assert!(said.is_empty(), "{name}: {said:#?}");
        }
    }
}

#[test]
fn help_is_the_same_by_word_and_by_flag() {
    let env = Env::new();
    for command in commands() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let by_flag = env.brv(&[&words[..], &["--help"]].concat());
        let by_word = env.brv(&[&["help"], &words[..]].concat());
        assert_eq!((by_word.code, by_word.stdout), (0, by_flag.stdout), "{words:?}");
    }
}

#[test]
fn topics_tell_what_the_program_goes_by() {
    let env = Env::new();
    let topics = env.brv(&["help", "topics"]).stdout;
    for name in Topic::ALL.map(Topic::name) {
        assert!(topics.contains(&format!("brv help {name} ")), "{topics}");
        let ran = env.brv(&["help", name]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{name}");
        assert!(ran.stdout.lines().count() > 10, "{name}");
    }
    let codes = env.brv(&["help", "exit-codes"]).stdout;
    let rows: Vec<String> = codes
        .lines()
        .filter_map(|line| line.split_whitespace().next()?.parse::<u8>().ok().map(|_| line))
        .filter(|line| line.starts_with("  "))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let own = Exit::ALL.map(|exit| format!("{} {} {}", exit.number(), exit.word(), exit.meaning()));
    assert_eq!(rows, own);
    let answer = json(&env.brv(&["help", "safety", "--json"]).stdout);
    assert_eq!(answer["schema"], "brv.help/1");
    assert!(answer["data"]["text"].as_str().unwrap().starts_with("Safety\n"));
    let ran = env.brv(&["help", "psuh"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("did you mean `brv help vc push`?"), "{}", ran.stderr);
}
