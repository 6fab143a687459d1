//! `brv vc log` compared with git's.

use crate::env::Env;
use crate::init::{commit, json, project, write};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

#[test]
fn the_history_is_gits_in_both_forms() {
    let env = project(&[("auth/a.md", "a\n")]);
    commit(&env, "first");
    write(&env, &[("b.md", "b\n")]);
    let ran = env.brv(&["vc", "add", "b.md"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let message =
        ["vc", "commit", "-m", "second", "-m", "with a body", "--author", "Bob B <bob@example.com>"];
    assert_eq!(env.brv(&message).code, 0);
    let tree = env.path(".brv/context-tree");
    for what in [
        &["log"][..],
        &["log", "--oneline"],
        &["log", "-1"],
        &["log", "--oneline", "-n", "5", "auth"],
        &["log", "HEAD~1"],
    ] {
        let ours = env.brv(&[&["vc"], what].concat()).stdout;
        assert_eq!(ours.trim_end(), env.git(&tree, what), "{what:?}");
    }
    let log = json(&env.brv(&["vc", "log", "--json"]).stdout);
    let newest = &log["data"]["commits"][0];
    assert_eq!((&newest["subject"], &newest["author"]["name"]), (&"second".into(), &"Bob B".into()));
    assert_eq!(newest["names"][0]["name"], "main");
}

#[test]
fn a_branch_without_commits_says_so() {
    let env = project(&[]);
    let ran = env.brv(&["vc", "log"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("no commits yet"), "{}", ran.stderr);
}

/// A tree whose `main` is this history: number of a commit → numbers of its parents. Commit `n` writes `n` into the file
/// `f<n % 3>.md`, is recorded `n` minutes after the first, and a merge has what its first parent has, and its own.
pub(crate) fn drawn(env: &Env, parents: &[&[usize]]) -> PathBuf {
    let tree = env.path(".brv/context-tree");
    let mut stream = String::new();
    for (number, parents) in parents.iter().enumerate() {
        let (author, time) = (["Ada", "Bob"][number % 2], 1_600_000_000 + 60 * number);
        let message =
            format!("commit {number}\n\nIt is {} and says [{}].\n", ["even", "odd"][number % 2], number / 4);
        writeln!(stream, "commit refs/heads/c{number}\nmark :{}", number + 1).unwrap();
        writeln!(stream, "author {author} <{}@example.com> {time} +0000", author.to_lowercase()).unwrap();
        writeln!(stream, "committer Cam <cam@example.com> {time} +0000").unwrap();
        writeln!(stream, "data {}\n{message}", message.len()).unwrap();
        for (place, parent) in parents.iter().enumerate() {
            writeln!(stream, "{} :{}", if place == 0 { "from" } else { "merge" }, parent + 1).unwrap();
        }
        writeln!(stream, "M 100644 inline f{}.md\ndata {}\n{number}\n", number % 3, number.to_string().len())
            .unwrap();
    }
    writeln!(stream, "reset refs/heads/main\nfrom :{}", parents.len()).unwrap();
    let mut command = env.git_command(&tree);
    command.args(["fast-import", "--quiet", "--force"]).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    for number in 0..parents.len() {
        env.git(&tree, &["update-ref", "-d", &format!("refs/heads/c{number}")]);
    }
    env.git(&tree, &["reset", "-q", "--hard", "main"]);
    tree
}

/// Both say the same to the same arguments.
pub(crate) fn same(env: &Env, tree: &Path, arguments: &[&str]) {
    let ours = env.brv(&[&["vc", "log"], arguments].concat());
    assert_eq!(ours.code, 0, "{arguments:?}: {}", ours.stderr);
    let theirs = env.git(tree, &[&["log"], arguments].concat());
    assert_eq!(ours.stdout.trim_end_matches('\n'), theirs, "{arguments:?}");
}

/// Histories in which lines cross, merges have many parents, and roots are many.
pub(crate) const SHAPES: [&[&[usize]]; 6] = [
    // criss-cross
    &[&[], &[0], &[0], &[1, 2], &[2, 1], &[3, 4], &[4, 3], &[5, 6]],
    // octopuses, beside other branches
    &[&[], &[0], &[0], &[0], &[0], &[1, 2, 3, 4], &[0], &[5, 6], &[6], &[7, 8, 0, 3]],
    // two roots, and long branches
    &[&[], &[], &[0], &[1], &[2], &[3], &[4, 5], &[2], &[7], &[6, 8], &[3], &[9, 10]],
    // a branch that is merged again and again
    &[&[], &[0], &[0], &[1, 2], &[2], &[3, 4], &[4], &[5, 6], &[1], &[7, 8]],
    // merges into a branch on the right, from the left
    &[&[], &[0], &[0], &[0], &[3, 1], &[2, 4], &[1, 5, 3], &[4], &[6, 7], &[7, 5], &[8, 9, 2]],
    // a linear history
    &[&[], &[0], &[1], &[2]],
];

#[test]
fn commits_are_sifted_as_git_sifts_them() {
    let env = project(&[]);
    let tree = drawn(&env, SHAPES[1]);
    for arguments in [
        &["-n", "-1"][..],
        &["-n", "0"],
        &["--max-count=2", "--skip=3"],
        &["--oneline", "--reverse", "-n", "3"],
        &["--oneline", "--merges"],
        &["--oneline", "--no-merges"],
        &["--oneline", "--author", "ada@"],
        &["--oneline", "--author", "^Bob", "--author", "nobody"],
        &["--oneline", "--grep", r"odd\|\[2\]"],
        &["--oneline", "--grep", "odd|even"],
        &["--oneline", "-E", "--grep", "(odd|even).*1"],
        &["--oneline", "-F", "--grep", "[1]"],
        &["--oneline", "-i", "--grep", "ODD"],
        &["--oneline", "--grep", "odd", "--grep", "commit [13]", "--all-match"],
        &["--oneline", "--grep", "odd", "--invert-grep"],
        &["--oneline", "--grep", "odd", "--author", "Ada"],
        &["--oneline", "--since", "@1600000240 +0000"],
        &["--oneline", "--until", "2020-09-13T12:29:00Z"],
        &["--oneline", "--after", "Sep 13 12:28:00 2020 +0000", "--before=2020-09-13 12:31:00 +0000"],
        &["--oneline", "--all"],
        &["-p"],
        &["-p", "--first-parent"],
        &["--oneline", "-p", "--", "f1.md"],
        &["--stat", "-n", "3"],
        &["--oneline", "--name-status"],
        &["--name-only", "-n", "2"],
    ] {
        same(&env, &tree, arguments);
    }
    for bad in [&["--grep", r"\(a"][..], &["--since", "xyzzy"], &["--follow"], &["--graph", "--reverse"]] {
        assert_eq!(env.brv(&[&["vc", "log"], bad].concat()).code, 2, "{bad:?}");
    }
}

#[test]
fn one_file_is_followed_through_its_names() {
    let text = "# Token\n\nTokens live 24 hours.\nThey are signed.\nNobody shares them.\n";
    let env = project(&[("auth/a.md", text), ("b.md", "# B\n")]);
    commit(&env, "first");
    let tree = env.path(".brv/context-tree");
    std::fs::create_dir_all(tree.join("ops")).unwrap();
    env.git(&tree, &["mv", "auth/a.md", "ops/c.md"]);
    commit(&env, "moved");
    write(&env, &[("ops/c.md", &text.replace("24", "12"))]);
    commit(&env, "edited");
    write(&env, &[("ops/copy.md", &text.replace("24", "12"))]);
    commit(&env, "copied");
    same(&env, &tree, &["--follow", "ops/c.md"]);
    same(&env, &tree, &["--follow", "--oneline", "-p", "ops/c.md"]);
    same(&env, &tree, &["--follow", "--oneline", "ops/copy.md"]);
    same(&env, &tree, &["--oneline", "--no-follow", "ops/c.md"]);
    let subjects = |arguments: &[&str]| {
        let log = json(&env.brv(&[&["vc", "log", "--json"], arguments].concat()).stdout);
        let commits = log["data"]["commits"].as_array().unwrap().clone();
        commits
            .iter()
            .map(|commit| (commit["subject"].as_str().unwrap().to_owned(), commit["path"].clone()))
            .collect::<Vec<_>>()
    };
    let path = |path: &str| serde_json::Value::from(path);
    assert_eq!(
        subjects(&["ops/c.md"]),
        [
            ("edited".into(), path("ops/c.md")),
            ("moved".into(), path("ops/c.md")),
            ("first".into(), path("auth/a.md"))
        ]
    );
    assert_eq!(subjects(&["ops/copy.md"]).len(), 1, "without --follow copies are new");
    let log = json(&env.brv(&["vc", "log", "-p", "-n", "1", "--json", "b.md"]).stdout);
    assert_eq!(log["data"]["commits"][0]["files"][0]["change"], "added");
}

/// The forms that git's manuals document, and combinations of them.
const DATES: [&str; 62] = [
    "now",
    "today",
    "never",
    "yesterday",
    "noon",
    "midnight",
    "tea",
    "10am",
    "12am",
    "12:30 pm",
    "3pm yesterday",
    "yesterday 12:30",
    "noon yesterday",
    "midnight yesterday",
    "last friday",
    "last tuesday",
    "last Friday at noon",
    "2 fridays ago",
    "last week",
    "last month",
    "last year",
    "1.year.ago",
    "2.weeks.ago",
    "2 weeks ago",
    "one week ago",
    "two months ago",
    "three.days.ago",
    "3 days ago",
    "3 days ago at 3pm",
    "5 minutes ago",
    "1 hour 5 minutes ago",
    "1 month 2 weeks 3 days 1 hour 1 second ago",
    "six months",
    "2023-11-01",
    "2023.11.01",
    "2023/11/01",
    "11/01/2023",
    "10/31/2022",
    "01.11.2023",
    "31.12.2022 23:59:59",
    "2023-11-01 noon",
    "2023-11-01 18:30",
    "1979-02-26 18:30:00",
    "2005-04-07T22:13:13",
    "2005-04-07T22:13:13.019",
    "2005-04-07 22:13:13.019 -05:30",
    "2023-11-01T18:30:05+0200",
    "2023-11-01T18:30:05+02",
    "2023-11-01 18:30 +0100",
    "20231101T183005Z",
    "20231101T1830",
    "Thu, 07 Apr 2005 22:13:13 +0200",
    "Thu Apr 7 22:13:13 2005 +0200",
    "1 Nov 2023 18:30:05 EST",
    "Nov 1 2023",
    "1 November",
    "Dec 31",
    "Feb 31 2023",
    "@1600000000",
    "1600000000",
    "1600000000 +0100",
    "@1600000000 -0330",
];

#[test]
fn documented_dates_are_gits() {
    let env = project(&[]);
    let tree = env.path(".brv/context-tree");
    // a Tuesday, late; the last day of a month after a shorter one, and the last day of a February
    for now in [1_700_000_000, 1_711_925_999, 1_709_240_399] {
        for text in DATES {
            let mut command = env.git_command(&tree);
            let arguments = ["rev-parse", &format!("--since={text}")];
            let theirs = command.env("GIT_TEST_DATE_NOW", now.to_string()).args(arguments).output().unwrap();
            let theirs = String::from_utf8(theirs.stdout).unwrap();
            let ours = brv_base::clock::moment(text, now).unwrap_or_else(|| panic!("{text} is not a moment"));
            assert_eq!(format!("--max-age={ours}"), theirs.trim_end(), "{text} at {now}");
        }
    }
}

#[test]
fn what_is_no_documented_date_is_none() {
    let texts = [
        "",
        "ago",
        "some time",
        "3",
        "3 ago",
        "last",
        "2 weeks sooner",
        "25:00",
        "13pm",
        "2023-13-01",
        "12:34.x.ago",
    ];
    for text in texts {
        assert_eq!(brv_base::clock::moment(text, 1_700_000_000), None, "{text}");
    }
}

#[test]
fn numbers_and_units_of_a_date_are_those_of_every_text() {
    let now = 1_700_000_000;
    for (text, seconds) in
        [("eleven.days.ago", 11 * 86_400), ("seventeen hrs ago", 17 * 3600), ("ninety secs ago", 90)]
    {
        assert_eq!(brv_base::clock::moment(text, now), Some(now - seconds), "{text}");
    }
    for text in ["eleven.bytes.ago", "two nanoseconds ago", "3.m.ago"] {
        assert_eq!(brv_base::clock::moment(text, now), None, "{text}");
    }
    let env = project(&[("a.md", "a\n")]);
    commit(&env, "first");
    let ran = env.brv(&["vc", "log", "--oneline", "--since", "eleven.days.ago"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 1), "{}", ran.stderr);
}

#[test]
fn the_hour_of_a_named_day_is_of_that_day() {
    let morning = 1_700_042_400; // 15 November 2023, 10:00
    for (text, hours) in [("noon", -22), ("noon today", 2), ("noon yesterday", -22), ("friday noon", -118)] {
        assert_eq!(brv_base::clock::moment(text, morning), Some(morning + hours * 3600), "{text}");
    }
}
