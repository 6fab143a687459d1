//! The list of remotes: what it may say, and remotes that fail.

use super::*;
use crate::index::engine::Family;

fn list(env: &Env, text: &str) -> String {
    let file = env.path("list.txt");
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().into()
}

fn names(told: &Value) -> Vec<&str> {
    told["data"]["trees"].as_array().unwrap().iter().map(|tree| tree["tree"].as_str().unwrap()).collect()
}

#[test]
fn a_line_is_url_branch_prefix_and_name() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
    let (plain, code) = (Team::new(&env, "Plain", "dream"), Team::empty(&env, "code"));
    let at = |folder: &str| code.work.join(folder);
    std::fs::create_dir_all(at("docs/kb")).unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/observatory"), &at("docs/kb"));
    code.commit(&env, &[("README.md", "# Code\n"), ("src/main.rs", "fn main() {}\n")]);
    env.git(&code.work, &["checkout", "-q", "-b", "stable"]);
    code.commit(&env, &[("docs/kb/stable.md", &entry("Stable", "only here"))]);
    let text = format!(
        "# all of them\n\n{plain}   # a whole repository\n\t{code} - /docs/kb/\r\n{code} stable docs/kb\n{code} stable docs/kb named one\n",
        plain = plain.url(),
        code = code.url()
    );
    // five words are too many
    let told = ended(&run(&env, &engine, &["--remotes", &list(&env, &text)]), 2);
    assert!(told["error"]["message"].as_str().unwrap().contains("line 6"), "{told}");
    assert!(engine.calls().is_empty());
    let text = text.replace("named one", "Ops/Notes");
    let told = ended(&run(&env, &engine, &["--remotes", &list(&env, &text)]), 0);
    let (own, other) = (plain.tree(), code.tree());
    let expected =
        [own.clone(), format!("{other}:docs/kb"), format!("{other}#stable:docs/kb"), "Ops/Notes".into()];
    assert_eq!(names(&told), expected);
    let of = |tree: &str| -> Vec<String> {
        living(&engine).into_keys().filter(|(own, _)| own == tree).map(|(_, path)| path).collect()
    };
    let [main, stable, named] = [&expected[1], &expected[2], &expected[3]].map(|tree| of(tree));
    assert!(
        main.len() > 50 && main.contains(&"observing/context.md".into()),
        "paths begin at the prefix: {main:?}"
    );
    assert!(!main.contains(&"stable.md".into()) && stable.contains(&"stable.md".into()));
    assert_eq!((stable.len(), &stable), (main.len() + 1, &named));
    // the same from standard input, and a branch for those that name none
    engine.forget_calls();
    let arguments = ["index", "push", "--json", "--engine", &engine.url, "--remotes", "-"];
    let told = ended(&env.brv_reading(&arguments, text.as_bytes()), 0);
    assert_eq!((names(&told).len(), engine.calls().len(), writes(&engine)), (4, 3, vec![]));
    let line = format!("{} - docs/kb\n", code.url());
    let told =
        ended(&env.brv_reading(&[&arguments[..], &["--branch", "stable"]].concat(), line.as_bytes()), 0);
    assert_eq!((names(&told), &told["data"]["summary"]["sent"]), (vec![&*expected[2]], &json!(0)));
}

#[test]
fn a_bad_list_is_said_with_its_line_and_asks_nobody() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
    let rows = [
        ("/srv/a.git\n\next::sh -c x\n", "line 3"),
        ("# x\n/srv/a.git a..b\n", "line 2"),
        ("/srv/a.git - ../up\n", "line 1"),
        ("/srv/a.git - a//b\n", "line 1"),
        ("/srv/a.git\n/srv/a\n", "twice"),
        ("https://ada:pw@Git.Example:443/a.git\ngit@git.example:a\n", "twice"),
        ("/srv/a.git - - one\n/srv/b.git - - one\n", "twice"),
        ("# nothing\n\n", "no remote is named"),
    ];
    for (text, says) in rows {
        let ran = run(&env, &engine, &["--remotes", &list(&env, text)]);
        let told = ended(&ran, 2);
        assert!(told["error"]["message"].as_str().unwrap().contains(says), "{text}: {told}");
        assert!(!ran.stdout.contains("pw"), "{told}");
    }
    std::fs::write(env.path("list.txt"), b"/srv/a\xff.git\n").unwrap();
    ended(&run(&env, &engine, &["--remotes", "list.txt"]), 2);
    ended(&run(&env, &engine, &["--remotes", "none.txt"]), 2);
    assert_eq!(run(&env, &engine, &[]).code, 2);
    assert!(engine.calls().is_empty());
}

#[test]
fn a_tree_that_turns_out_to_be_named_twice_stops_all_of_it() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::Elasticsearch));
    let (team, other) = (Team::new(&env, "team", "dream"), Team::new(&env, "other", "observatory"));
    // `main` is the default: that is known once the remote was asked
    let text = format!("{other}\n{team}\n{team} main\n", team = team.url(), other = other.url());
    let told = ended(&run(&env, &engine, &["--remotes", &list(&env, &text)]), 2);
    assert!(told["error"]["message"].as_str().unwrap().contains("twice"), "{told}");
    assert_eq!((writes(&engine), mirrors(&env)), (vec![], vec![]), "nothing was made, the index neither");
    let told =
        ended(&run(&env, &engine, &["--remotes", &list(&env, &text.replace(" main", " main - mine"))]), 0);
    assert_eq!(names(&told), [&*other.tree(), &team.tree(), "mine"]);
}

#[test]
fn ten_remotes_of_sixty_fail_and_the_others_are_done() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
    let texts: Vec<PathBuf> = ["brv", "dream", "observatory"]
        .iter()
        .flat_map(|tree| {
            env.git(
                Path::new(env!("CARGO_MANIFEST_DIR")),
                &["ls-files", &format!("fixtures/trees/{tree}/*.md")],
            )
            .lines()
            .map(|line| Path::new(env!("CARGO_MANIFEST_DIR")).join(line))
            .collect::<Vec<_>>()
        })
        .filter(|path| path.exists())
        .collect();
    let (mut text, mut teams) = (String::new(), Vec::new());
    for number in 0..60 {
        let team = Team::empty(&env, &format!("t{number}"));
        let own = std::fs::read_to_string(&texts[number * 2]).unwrap();
        let line = match number {
            // gone
            3 | 13 | 23 => {
                std::fs::remove_dir_all(&team.bare).unwrap();
                String::new()
            }
            // empty
            7 | 17 => String::new(),
            _ => {
                team.commit(&env, &[("notes/one.md", &own)]);
                match number {
                    21 | 31 => " absent".into(),
                    41 => " - docs".into(),
                    _ => String::new(),
                }
            }
        };
        if [51, 52].contains(&number) {
            team.commit(&env, &[(".brv/context-tree/two.md", &own)]);
        }
        text.push_str(&format!("{}{line}\n", team.url()));
        teams.push(team);
    }
    let file = list(&env, &text);
    let told = ended(&run(&env, &engine, &["--remotes", &file]), 1);
    let failed: Vec<(usize, &str)> = told["data"]["trees"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .filter(|(_, tree)| tree["state"] == "failed")
        .map(|(number, tree)| (number, tree["message"].as_str().unwrap()))
        .collect();
    let numbers: Vec<usize> = failed.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [3, 7, 13, 17, 21, 23, 31, 41, 51, 52], "{failed:?}");
    let says = |number: usize, what: &str| {
        let (_, message) = failed.iter().find(|(own, _)| *own == number).unwrap();
        assert!(message.contains(what) && message.contains(&format!("t{number}.git")), "{message}");
    };
    says(3, "cannot reach");
    says(7, "no commits");
    says(21, "no branch `absent`");
    says(41, "no folder `docs`");
    says(51, ".brv/context-tree");
    assert_eq!((&told["data"]["summary"]["failed"], living(&engine).len()), (&json!(10), 50));
    assert_eq!(told["error"]["message"], "10 trees of 60 failed");
    // most are mended; the same push sends what is missing
    for number in [3, 13, 23] {
        env.bare(&format!("t{number}.git"));
        teams[number].commit(&env, &[("a.md", &entry("A", "one"))]);
    }
    for number in [7, 17] {
        teams[number].commit(&env, &[("a.md", &entry("A", "one"))]);
    }
    teams[41].commit(&env, &[("docs/a.md", &entry("A", "one"))]);
    for number in [21, 31] {
        env.git(&teams[number].work, &["checkout", "-q", "-b", "absent"]);
        teams[number].publish(&env);
    }
    let text: String = text
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let prefix = if number > 50 && number < 53 { " - .brv/context-tree" } else { "" };
            format!("{line}{prefix}\n")
        })
        .collect();
    let told = ended(&run(&env, &engine, &["--remotes", &list(&env, &text)]), 0);
    assert_eq!(told["data"]["summary"]["sent"], 10);
    assert_eq!((living(&engine).len(), names(&told).len()), (60, 60));
}

#[test]
fn a_renamed_remote_keeps_its_name_by_the_list() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
    let team = Team::new(&env, "old", "dream");
    let line = |url: &str| list(&env, &format!("{url} - - team\n"));
    let first = ended(&run(&env, &engine, &["--remotes", &line(team.url())]), 0);
    let moved = env.path("new.git");
    std::fs::rename(&team.bare, &moved).unwrap();
    let told = ended(&run(&env, &engine, &["--remotes", &line(team.url())]), 1);
    assert_eq!(told["data"]["trees"][0]["tree"], "team");
    let team = Team { bare: moved, ..team };
    let told = ended(&run(&env, &engine, &["--remotes", &line(team.url())]), 0);
    assert_eq!((names(&told), &told["data"]["summary"]["sent"]), (vec!["team"], &json!(0)));
    assert_eq!(mark(&engine, "team").1["remote"], team.url(), "whoever asks with `--mine` is asked there");
    engine.forget_calls();
    ended(&run(&env, &engine, &["--remotes", &line(team.url())]), 0);
    assert_eq!(writes(&engine), []);
    team.commit(&env, &[("new.md", &entry("New", "one"))]);
    let told = ended(&run(&env, &engine, &["--remotes", &line(team.url())]), 0);
    assert_eq!(told["data"]["summary"]["sent"], 1);
    assert_eq!(living(&engine).len() as u64, first["data"]["summary"]["sent"].as_u64().unwrap() + 1);
    // another default branch is no other tree
    env.git(&team.work, &["branch", "-m", "trunk"]);
    team.publish(&env);
    env.git(&team.bare, &["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    let told = ended(&run(&env, &engine, &["--remotes", &line(team.url())]), 0);
    assert_eq!(
        (&told["data"]["summary"]["sent"], &mark(&engine, "team").1["branch"]),
        (&json!(0), &json!("trunk"))
    );
}

#[test]
fn a_tree_whose_folder_is_another_is_sent_anew() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::Elasticsearch));
    let code = Team::empty(&env, "code");
    for folder in ["old", "new"] {
        std::fs::create_dir_all(code.work.join(folder)).unwrap();
    }
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/dream"), &code.work.join("old"));
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/observatory"), &code.work.join("new"));
    code.commit(&env, &[]);
    let line = |folder: &str| list(&env, &format!("{} - {folder} team\n", code.url()));
    ended(&run(&env, &engine, &["--remotes", &line("old")]), 0);
    let told = ended(&run(&env, &engine, &["--remotes", &line("new")]), 0);
    assert!(told["data"]["trees"][0]["gone"].as_u64().unwrap() > 100, "{told}");
    let other = Engine::start(Family::Elasticsearch);
    ended(&run(&Env::in_memory(), &other, &["--remotes", &line("new")]), 0);
    assert!(living(&engine) == living(&other));
    let told = ended(&run(&env, &engine, &["--remotes", &line("new")]), 0);
    assert_eq!(told["data"]["summary"]["sent"], 0);
}

#[test]
fn each_branch_of_a_host_remote_is_a_tree() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
    let team = Team::empty(&env, "code");
    team.commit(&env, &[("src/main.rs", "fn main() {}\n"), ("README.md", "# Code\n")]);
    for (branch, fixture) in [("brv/main", "dream"), ("brv/ops", "observatory")] {
        env.git(&team.work, &["checkout", "-q", "--orphan", branch]);
        env.git(&team.work, &["rm", "-rfq", "."]);
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees").join(fixture), &team.work);
        team.commit(&env, &[]);
    }
    let told = ended(&run(&env, &engine, &["--remote", team.url()]), 0);
    assert_eq!(names(&told), [format!("{}#brv/main", team.tree()), format!("{}#brv/ops", team.tree())]);
    assert!(!living(&engine).keys().any(|(_, path)| path == "README.md"));
    assert_eq!(mirrors(&env).len(), 1, "one mirror has both");
    team.commit(&env, &[("new.md", &entry("New", "one"))]);
    let told = ended(&run(&env, &engine, &["--remote", team.url()]), 0);
    assert_eq!(told["data"]["summary"]["sent"], 1);
    // one name for both is refused, the branch is named then
    let text = format!("{} - - one\n", team.url());
    let told = ended(&run(&env, &engine, &["--remotes", &list(&env, &text)]), 1);
    assert!(told["data"]["trees"][0]["message"].as_str().unwrap().contains("several trees"), "{told}");
    let told = ended(&run(&env, &engine, &["--remote", team.url(), "--branch", "brv/ops"]), 0);
    assert_eq!((names(&told).len(), &told["data"]["summary"]["sent"]), (1, &json!(0)));
}
