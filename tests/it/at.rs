//! Reading commands with `--at REV`.

use crate::init::{commit, json, project, write};

const TOKEN: &str = "---\ntitle: Token lifetime\nsummary: Access tokens live 15 minutes.\nrelated: [auth/keys]\n---\n# Token lifetime\n\nAccess tokens live 15 minutes. Refresh tokens must be rotated on every use. The clock may differ by 30 seconds.\n";

#[test]
fn what_is_read_at_a_revision_is_what_was_read_then() {
    let env = project(&[
        ("auth/token.md", TOKEN),
        ("auth/keys.md", "# Keys\n\nKeys must be rotated every ninety days.\n"),
        ("auth/context.md", "# Auth\n\n## Purpose\n\nWho may do what.\n"),
        ("notes/plan.txt", "support\n"),
    ]);
    commit(&env, "first");
    assert_eq!(env.brv(&["derive"]).code, 0);
    let calls: [&[&str]; 10] = [
        &["read", "auth/token"],
        &["read", "auth/token", "--level", "l0"],
        &["read", "auth/token.overview.md"],
        &["read", "auth"],
        &["read"],
        &["read", "auth", "--level", "l0"],
        &["links", "auth/keys"],
        &["links", "--broken"],
        &["tree"],
        &["tree", "auth"],
    ];
    let then: Vec<String> = calls.iter().map(|call| env.brv(call).stdout).collect();
    std::fs::remove_file(env.path(".brv/context-tree/auth/keys.md")).unwrap();
    write(&env, &[("auth/token.md", &TOKEN.replace("15 minutes", "10 minutes")), ("ops/new.md", "# New\n")]);
    commit(&env, "second");
    assert_eq!(env.brv(&["derive"]).code, 0);
    let tree = env.path(".brv/context-tree");
    let before = env.git(&tree, &["status", "--porcelain", "--ignored"]);
    let index = std::fs::read(tree.join("auth/_index.md")).unwrap();
    for (call, then) in calls.iter().zip(then) {
        let now = env.brv(&[*call, &["--at", "HEAD~1"]].concat());
        assert_eq!((now.code, now.stdout), (0, then), "{call:?}: {}", now.stderr);
    }
    let first = env.git(&tree, &["rev-parse", "HEAD~1"]);
    for call in [&["read", "auth/keys.md"][..], &["tree"], &["links", "auth/keys"], &["links", "--broken"]] {
        let read = json(&env.brv(&[call, &["--at", "HEAD^", "--json"]].concat()).stdout);
        assert_eq!(read["data"]["commit"], first.as_str(), "{call:?}");
        assert!(json(&env.brv(&["tree", "--json"]).stdout)["data"].get("commit").is_none());
        assert_eq!(env.brv(&[call, &["--at", "no-such"]].concat()).code, 2);
    }
    assert_eq!(
        json(&env.brv(&["read", "auth", "--at", "HEAD", "--json"]).stdout)["data"]["pieces"][0]["origin"],
        "memory"
    );
    assert_eq!(env.brv(&["read", "ops/new", "--at", "HEAD~1"]).code, 2, "it did not exist at that revision");
    assert_eq!(env.git(&tree, &["status", "--porcelain", "--ignored"]), before);
    assert_eq!(std::fs::read(tree.join("auth/_index.md")).unwrap(), index, "nothing is written");
}
