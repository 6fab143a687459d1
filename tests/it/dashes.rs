//! Names that look like options, and addresses that name programs: on the command line, in settings, and through
//! rewriting in settings. No program is started, and the error is one sentence.

use crate::init::project;
use crate::lab::assert_harmless;

/// If any of this is run, it creates a file `here`.
const ADDRESSES: [&str; 14] = [
    "-oProxyCommand=touch here",
    "--upload-pack=touch here",
    "ssh://-oProxyCommand=touch%20here/x",
    "ssh://-oProxyCommand=touch here/x",
    "ssh://-x/y",
    "ssh://me@-oProxyCommand=touch/x",
    "ssh://-me@host/x",
    "ssh://127.0.0.1/-x",
    "git@-oProxyCommand=touch:x",
    "-x:y",
    "ext::sh -c 'touch here'",
    "ext::touch here",
    "fd::7",
    "touch::here",
];

#[test]
fn an_address_that_is_an_option_or_a_program_is_not_cloned_nor_added() {
    let env = project(&[]);
    let tree = env.path(".brv/context-tree");
    for address in ADDRESSES {
        let ran = env.brv(&["vc", "clone", "--", address, "new"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{address}: {ran:?}");
        assert!(!env.path("new").exists(), "{address}");
        for arguments in [
            ["remote", "add", "--", "other", address].as_slice(),
            &["fetch", "--", address],
            &["pull", "--", address, "main"],
            &["push", "--", address, "main"],
        ] {
            let ran = env.brv_in(&tree, &[&["vc"], arguments].concat());
            assert!(matches!(ran.code, 2 | 6 | 9), "{address} {arguments:?}: {ran:?}");
            assert_eq!(ran.stdout, "");
            assert_harmless(&ran);
        }
    }
    assert!(!env.path("here").exists() && !tree.join("here").exists());
}

#[test]
fn nor_is_one_of_the_settings_or_of_their_rewriting_talked_to() {
    let env = project(&[]);
    let tree = env.path(".brv/context-tree");
    env.commit(&tree, &[("a.md", "# A\n")]);
    env.git(&tree, &["remote", "add", "origin", "https://git.invalid/x.git"]);
    let each = |how: &str, address: &str| {
        for arguments in [["fetch"].as_slice(), &["pull", "origin", "main"], &["push", "origin", "main"]] {
            let ran = env.brv_in(&tree, &[&["vc"], arguments].concat());
            assert!(matches!(ran.code, 1 | 2 | 6 | 9), "{how} {address} {arguments:?}: {ran:?}");
            assert!(ran.stderr.starts_with("error: "), "{ran:?}");
            assert_harmless(&ran);
        }
    };
    for address in ADDRESSES {
        env.git(&tree, &["config", "remote.origin.url", address]);
        each("as url", address);
        env.git(&tree, &["config", "remote.origin.url", "https://git.invalid/x.git"]);
        env.git(&tree, &["config", "remote.origin.pushurl", address]);
        let ran = env.brv_in(&tree, &["vc", "push", "origin", "main"]);
        assert!(matches!(ran.code, 1 | 2 | 6 | 9), "as pushurl {address}: {ran:?}");
        env.git(&tree, &["config", "--unset", "remote.origin.pushurl"]);
        let rewriting = format!("url.{address}.insteadOf");
        env.git(&tree, &["config", &rewriting, "https://git.invalid/x.git"]);
        each("as insteadOf", address);
        env.git(&tree, &["config", "--unset", &rewriting]);
    }
    // programs that settings name for the remote side are not the remote's choice
    env.git(&tree, &["config", "remote.origin.url", env.path("nothing.git").to_str().unwrap()]);
    env.git(&tree, &["config", "remote.origin.uploadpack", "touch here;"]);
    env.git(&tree, &["config", "remote.origin.receivepack", "touch here;"]);
    env.git(&tree, &["config", "remote.origin.vcs", "touch"]);
    each("beside the address", "");
    assert!(!env.path("here").exists() && !tree.join("here").exists());
}

#[test]
fn a_path_that_begins_with_a_dash_is_a_path() {
    let env = project(&[]);
    let tree = env.path(".brv/context-tree");
    env.commit(&tree, &[("a.md", "# A\n")]);
    env.git(&tree, &["init", "-q", "--bare", "--", "--strict"]);
    env.git(&tree, &["config", "remote.origin.url", "--strict"]);
    env.git(&tree, &["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
    let ran = env.brv_in(&tree, &["vc", "push", "origin", "main"]);
    // it exists as a path; the error comes from whatever rejects it
    if ran.code == 0 {
        let there = env.git(&tree.join("--strict"), &["rev-parse", "main"]);
        assert_eq!(there, env.git(&tree, &["rev-parse", "main"]));
        assert_eq!(env.brv_in(&tree, &["vc", "fetch", "origin"]).code, 0);
    } else {
        assert!(matches!(ran.code, 2 | 6 | 9) && !ran.stderr.contains("usage:"), "{ran:?}");
    }
}

#[test]
fn a_branch_or_remote_that_begins_with_a_dash_is_refused() {
    let env = project(&[]);
    let tree = env.path(".brv/context-tree");
    env.commit(&tree, &[("a.md", "# A\n")]);
    let bare = env.bare("bare.git");
    let address = bare.to_str().unwrap();
    env.git(&tree, &["remote", "add", "origin", address]);
    assert_eq!(env.brv_in(&tree, &["vc", "push", "-u", "origin", "main"]).code, 0);
    for arguments in [
        ["vc", "clone", "--branch=-f", address, "new"].as_slice(),
        &["vc", "init", "--branch=-f"],
        &["vc", "push", "origin", "--", "-f"],
        &["vc", "push", "origin", "main:refs/heads/-f..x"],
        &["vc", "push", "origin", "--", "--receive-pack=touch here"],
        &["vc", "fetch", "origin", "--", "-f"],
        &["vc", "fetch", "origin", "--", "--upload-pack=touch here"],
        &["vc", "pull", "origin", "--", "-f"],
        &["vc", "remote", "add", "--", "-f", address],
        &["vc", "log", "--", "-f..-g"],
        &["vc", "show", "--", "--output=here"],
        &["vc", "diff", "--", "--output=here"],
    ] {
        let ran = env.brv_in(&tree, arguments);
        assert_ne!(ran.code, 101, "{arguments:?}: {ran:?}");
        assert_harmless(&ran);
        let reads = ["log", "diff"].contains(&arguments[1]);
        assert!(reads || matches!(ran.code, 1 | 2 | 6 | 9), "{arguments:?}: {ran:?}");
    }
    assert!(!env.path("here").exists() && !tree.join("here").exists());
    assert_eq!(env.git(&bare, &["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
}
