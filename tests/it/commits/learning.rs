//! What a commit teaches ends up where it belongs: updates instead of twins, disputes instead of overwriting.

use super::{Code, message};

/// Commit as somebody else.
fn as_bob(code: &Code, message: &str) {
    let mut command = code.env.git_command(&code.path);
    command.env("GIT_AUTHOR_NAME", "Bob").env("GIT_AUTHOR_EMAIL", "bob@example.com");
    command.args(["commit", "-q", "--allow-empty", "-m", message]);
    assert!(command.status().unwrap().success());
}

#[test]
fn a_second_commit_about_a_subject_updates_it() {
    let code = Code::new();
    code.commit("auth\n\nFact: token lifetime: 12 hours\nConstraint: key size | 4096 bits at least");
    code.settle();
    code.commit("later\n\nFact: Token Lifetime = 6 hours");
    code.settle();
    assert_eq!(code.facts("token lifetime"), ["6 hours [project]"]);
    assert_eq!(code.facts("key size"), ["4096 bits at least [environment]"]);
    assert_eq!(code.facts("Token Lifetime"), Vec::<String>::new());
}

#[test]
fn what_somebody_else_stated_is_disputed_unless_a_history_that_was_merged_supersedes_it() {
    let code = Code::new();
    code.commit("auth\n\nFact: lifetime: 12 hours");
    code.settle();
    as_bob(&code, "no\n\nFact: lifetime: 3 hours");
    code.settle();
    assert_eq!(code.facts("lifetime"), ["12 hours [project]", "3 hours [project]"]);
    let disputed = code.data(&["status"]);
    assert_eq!(disputed["disputed"].as_array().unwrap().len(), 1, "{disputed}");
    // each may restate what they stated
    as_bob(&code, "rather\n\nFact: lifetime: 2 hours");
    code.settle();
    assert_eq!(code.facts("lifetime"), ["12 hours [project]", "2 hours [project]"]);
    // what was just committed may be anybody's, as a patch that was mailed: it supersedes its own author's words only
    as_bob(&code, "mine\n\nFact: lifetime: 1 hour\nSupersedes: lifetime");
    code.settle();
    assert_eq!(code.facts("lifetime"), ["12 hours [project]", "1 hour [project]"]);
    // a history that a person takes in was merged
    let mut command = code.env.git_command(&code.path);
    command.env("BRV_HOOKS", "0").env("GIT_AUTHOR_NAME", "Bob").env("GIT_AUTHOR_EMAIL", "bob@example.com");
    command.args([
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "agreed\n\nFact: lifetime: 30 minutes\nSupersedes: lifetime",
    ]);
    assert!(command.status().unwrap().success());
    code.run(&["curate", "--commit", "HEAD~1..HEAD"]);
    assert_eq!(code.facts("lifetime"), ["30 minutes [project]"]);
    assert_eq!(code.data(&["status"])["disputed"].as_array().unwrap().len(), 0);
}

#[test]
fn supersedes_without_a_statement_changes_nothing() {
    let code = Code::new();
    code.commit("auth\n\nFact: lifetime: 12 hours");
    code.settle();
    code.commit("x\n\nSupersedes: lifetime");
    code.settle();
    assert_eq!(code.facts("lifetime"), ["12 hours [project]"]);
}

#[test]
fn an_entry_that_a_person_wrote_gets_the_fact_if_it_is_about_the_same() {
    let code = Code::new();
    let own = |title: &str, fact: &str| {
        let into = ["curate", "--into", "auth/tokens", "--title", title, "--reason", "r", "--fact", fact];
        code.run(&into);
    };
    own("Tokens", "token lifetime: long");
    own("Keys", "lifetime: long");
    let text = |name: &str| std::fs::read_to_string(code.tree().join("auth/tokens").join(name)).unwrap();
    // a subject of two words says enough
    code.commit("auth\n\nFact: token lifetime: 12 hours\nSupersedes: token lifetime");
    code.settle();
    assert!(text("tokens.md").contains("- **token lifetime**: 12 hours [project]"), "{}", text("tokens.md"));
    assert_eq!(code.facts("token lifetime").len(), 1);
    // one of one word does where the entry cites a file of the commit
    code.state("other");
    code.write("keys.rs", "1\n");
    code.git(&["add", "keys.rs"]);
    code.commit("keys\n\nFact: lifetime: 12 hours");
    code.settle();
    assert_eq!(code.facts("lifetime"), ["long", "12 hours [project]"]);
    assert!(!text("keys.md").contains("12 hours"), "{}", text("keys.md"));
    let code = Code::new();
    std::fs::create_dir_all(code.tree().join("auth/tokens")).unwrap();
    let entry = "# Keys\n\n## Raw Concept\n\n**Files:**\n- keys.rs\n\n## Facts\n- **lifetime**: long\n";
    std::fs::write(code.tree().join("auth/tokens/keys.md"), entry).unwrap();
    code.run(&["vc", "add", "--all"]);
    code.run(&["vc", "commit", "-m", "mine"]);
    code.write("keys.rs", "1\n");
    code.git(&["add", "keys.rs"]);
    code.commit("keys\n\nFact: lifetime: 12 hours\nSupersedes: lifetime");
    code.settle();
    let text = std::fs::read_to_string(code.tree().join("auth/tokens/keys.md")).unwrap();
    assert!(text.contains("- **lifetime**: 12 hours [project]"), "{text}");
    assert_eq!(code.facts("lifetime").len(), 1);
}

#[test]
fn secrets_are_not_taken_in_and_a_skip_is_heeded() {
    let code = Code::new();
    let key = ["AKIA", "Q3EGRWZPT5VNH2KD"].concat();
    code.commit(&format!("keys\n\nFact: access: {key}"));
    code.commit(&format!("{}\nBrv-Skip: true", message("skipped")));
    let outcomes = code.outcomes();
    assert!(outcomes["keys"][0].starts_with("declined: BRV006"), "{outcomes:?}");
    assert_eq!(outcomes["skipped"], ["declined: `Brv-Skip`"]);
}

#[test]
fn in_repo_files_change_and_the_branch_does_not() {
    let env = crate::env::Env::new();
    let path = env.path("code");
    env.git(env.root(), &["init", "-q", path.to_str().unwrap()]);
    let code = Code { env, path };
    code.run(&["init", "-q", "--in-repo", "--hooks"]);
    code.commit("start");
    code.settle();
    code.state("first");
    let head = code.head();
    code.settle();
    assert_eq!(code.head(), head);
    assert_eq!(code.facts("first"), ["holds first [project]"]);
    let (standing, by) = code.source("code/code.md", "first");
    assert_eq!((standing, by.as_str()), (Some(head.clone()), "same"));
    code.git(&["add", "."]);
    code.git(&["commit", "-q", "-m", "what was learned"]);
    assert_eq!(code.outcomes()["what"], ["declined: knowledge only"]);
    let (standing, _) = code.source("code/code.md", "first");
    assert_eq!(standing, Some(head));
}

#[test]
fn a_commit_is_taken_in_as_a_whole_or_not_at_all() {
    let code = Code::new();
    for (folder, subject) in [("a/x", "alpha rate"), ("b/y", "beta rate")] {
        code.run(&[
            "curate",
            "--into",
            folder,
            "--title",
            "T",
            "--reason",
            "r",
            "--fact",
            &format!("{subject}: 1"),
        ]);
    }
    // somebody is in the middle of a merge
    let file = code.tree().join("b/y/t.md");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n")).unwrap();
    let both =
        "both\n\nFact: alpha rate: 2\nFact: beta rate: 2\nSupersedes: alpha rate\nSupersedes: beta rate";
    let id = code.commit(both);
    let job = code.settle().pop().unwrap();
    assert_eq!((&job["outcome"], &job["operation"]), (&"failed".into(), &serde_json::Value::Null), "{job}");
    let how = format!("`brv curate --commit {id}` takes it in");
    assert!(job["reason"].as_str().unwrap().ends_with(&how), "{job}");
    assert!(job["reason"].as_str().unwrap().contains("the next commit tries it again"), "{job}");
    assert_eq!(code.facts("alpha rate"), ["1"]);
    // while it lasts nothing changes, and then the next commit that works takes it along
    code.commit("quiet");
    assert_eq!(code.settle()[0]["outcome"], "failed");
    std::fs::write(&file, text).unwrap();
    code.commit("quiet");
    let jobs = code.settle();
    let of_commit = jobs.iter().find(|job| job["commit"] == id.as_str()).unwrap();
    assert_eq!(of_commit["outcome"], "curated", "{of_commit}");
    assert_eq!(jobs.iter().filter(|job| job["outcome"] == "failed").count(), 0, "{jobs:?}");
    assert_eq!(
        (code.facts("alpha rate"), code.facts("beta rate")),
        (vec!["2 [project]".into()], vec!["2 [project]".into()])
    );
}

#[test]
fn subjects_that_search_does_not_find_get_no_twin_and_what_is_superseded_is_so_everywhere() {
    let code = Code::new();
    for subject in ["C++", "R", "a-b"] {
        for value in ["1", "2"] {
            code.commit(&format!("{subject} {value}\n\nDecision: {subject}: {value}"));
            code.settle();
        }
        assert_eq!(code.facts(subject), ["decision: 2 [project]"], "{subject}");
    }
    for folder in ["a/x", "b/y"] {
        code.run(&[
            "curate",
            "--into",
            folder,
            "--title",
            "T",
            "--reason",
            "r",
            "--fact",
            "token ttl: 13 hours",
        ]);
    }
    code.commit("later\n\nFact: token ttl: 20 hours\nSupersedes: token ttl");
    code.settle();
    assert_eq!(code.facts("token ttl"), ["20 hours [project]", "20 hours [project]"]);
}
