//! `brv vc config` and `brv vc remote` as a user calls them.

use crate::init::{json, project};

#[test]
fn no_listing_prints_a_secret_and_remote_add_keeps_none() {
    let env = project(&[]);
    let tree = env.path(".brv/context-tree");
    let secrets = [
        ("remote.sec.url", "https://me:sekret@example.org/x.git"),
        ("remote.sec.pushurl", "ssh://me:sekret@example.org/x.git"),
        ("http.extraHeader", "Authorization: Basic sekret"),
        ("http.https://example.org/.extraHeader", "X: sekret"),
        ("url.https://me:sekret@example.org/.insteadOf", "ex:"),
        ("host.token", "sekret"),
    ];
    for (key, value) in secrets {
        env.git(&tree, &["config", key, value]);
    }
    let listings: [&[&str]; 8] = [
        &["vc", "config", "--list"],
        &["vc", "config", "list", "--show-origin"],
        &["vc", "config", "list", "--json"],
        &["vc", "config", "remote.sec.url"],
        &["vc", "config", "get", "remote.sec.url", "--json"],
        &["vc", "config", "set", "remote.sec.url", "https://me:sekret@example.org/y.git", "--json"],
        &["vc", "remote", "-v"],
        &["vc", "remote", "--json"],
    ];
    for arguments in listings {
        let ran = env.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        assert!(!(ran.stdout + &ran.stderr).contains("sekret"), "{arguments:?}");
    }
    let shown = json(&env.brv(&["vc", "config", "get", "remote.sec.url", "--json"]).stdout);
    assert_eq!(shown["data"]["setting"]["value"], "https://example.org/y.git");
    assert_eq!(env.git(&tree, &["config", "remote.sec.url"]), "https://me:sekret@example.org/y.git");

    let ran = env.brv(&["vc", "remote", "add", "two", "https://me:sekret@example.org/z.git"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("password"), "{}", ran.stderr);
    assert_eq!(env.git(&tree, &["config", "remote.two.url"]), "https://me@example.org/z.git");
}

#[test]
fn a_setting_of_the_project_that_is_ignored_is_named_once() {
    let env = crate::env::Env::new();
    assert_eq!(env.brv(&["init"]).code, 0);
    let path = env.path(".brv/config.yaml");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(&path, format!("{text}pager: rm -rf\ncolour: red\n")).unwrap();
    let ran = env.brv(&["vc", "status"]);
    for words in ["sets `pager`, which only the user may set", "sets `colour`, which is not a setting"] {
        assert_eq!(ran.stderr.matches(words).count(), 1, "{}", ran.stderr);
    }
    let ran = env.brv(&["vc", "status", "--json"]);
    assert_eq!(ran.stdout.matches("which only the user may set").count(), 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("\"warnings\":[\""), "{}", ran.stdout);
}
