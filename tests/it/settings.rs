//! `brv vc config` and `brv vc remote` as their callers see them.

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
