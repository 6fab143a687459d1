//! `brv tree` as a user calls it.

use crate::init::{commit, json, project, write};

#[test]
fn folders_and_entries_stand_with_what_they_are_about() {
    let env = project(&[
        ("auth/context.md", "# Auth\n\n## Purpose\n\nWho may do what.\n"),
        (
            "auth/jwt/token_lifetime.md",
            "---\ntitle: Token lifetime\nsummary: Access tokens live 15 minutes\n---\nx\n",
        ),
        ("auth/jwt/old.md", "---\ntitle: How it was\nstatus: superseded\n---\n"),
        ("ops/deploy.md", "# Deploy on Fridays\n"),
        ("tool.exe", "MZ"),
    ]);
    let expected = "3 entries in 2 domains\nauth/ (2)  Who may do what.\n  jwt/ (2)\n    old.md [superseded]  How it was\n    token_lifetime.md  Access tokens live 15 minutes\nops/ (1)\n  deploy.md  Deploy on Fridays\n";
    assert_eq!(env.brv(&["tree"]).stdout, expected);
    commit(&env, "all");
    assert_eq!(env.brv(&["derive"]).code, 0);
    assert_eq!(env.brv(&["tree"]).stdout, expected);
    assert_eq!(
        env.brv(&["tree", "auth", "--depth", "1"]).stdout,
        "auth/: 2 entries in 1 folder  Auth: Who may do what.\njwt/ (2)\n\n1 of 2 levels. Name a folder, or use --depth.\n"
    );
    // removed files are not listed, new ones are
    std::fs::remove_file(env.path(".brv/context-tree/ops/deploy.md")).unwrap();
    write(&env, &[("billing/tax.md", "no title\n")]);
    let now = json(&env.brv_in(&env.path(".brv/context-tree/auth"), &["tree", "--json"]).stdout);
    let paths: Vec<&str> =
        now["data"]["rows"].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap()).collect();
    assert_eq!(
        paths,
        ["auth", "auth/jwt", "auth/jwt/old.md", "auth/jwt/token_lifetime.md", "billing", "billing/tax.md"]
    );
    assert_eq!(now["data"]["rows"][3]["tokens"], 18);
    assert_eq!(now["data"]["complete"], true);
}

#[test]
fn of_a_large_tree_as_much_is_shown_as_fits() {
    let names: Vec<String> = (0..300).map(|at| format!("d{}/t{}/e{at}.md", at % 5, at % 10)).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x\n")).collect();
    let env = project(&files);
    let ran = env.brv(&["tree"]);
    assert_eq!(ran.stdout.lines().next(), Some("300 entries in 5 domains"));
    assert_eq!(ran.stdout.lines().last(), Some("2 of 3 levels. Name a folder, or use --depth."));
    assert_eq!(ran.stdout.lines().count(), 1 + 5 + 10 + 2);
    assert_eq!(env.brv(&["tree", "--depth", "3"]).stdout.lines().count(), 1 + 5 + 10 + 300);
    assert_eq!(env.brv(&["tree", "d1"]).stdout.lines().count(), 1 + 2 + 60);
}

#[test]
fn an_entry_is_a_tree_of_one_and_a_strange_name_is_told() {
    let env = project(&[("auth/jwt/keys.md", "# The keys\n")]);
    assert_eq!(env.brv(&["tree", "auth/jwt/keys"]).stdout, "keys.md  The keys\n");
    let ran = env.brv(&["tree", "auth/jwd"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("perhaps `auth/jwt`"), "{}", ran.stderr);
    let empty = crate::init::project(&[]);
    assert_eq!(empty.brv(&["tree"]).stdout, "0 entries in 0 domains\n");
}
