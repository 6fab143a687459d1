//! `brv read` as a user calls it.

use crate::env::Env;
use crate::init::{commit, json, project, write};
use serde_json::Value;

const TOKEN: &str = "---\ntitle: Token lifetime\nsummary: Access tokens live 15 minutes\ntags: [auth]\nrelated: []\n---\n\n## Narrative\n\n### Rules\n\n- A refresh token is used once; using it again ends the session.\n- Clocks may differ by 30 seconds, no more.\n- Keys are rotated every ninety days by the platform team.\n\n## Facts\n- **access token**: lives 15 minutes [convention]\n- **refresh token**: lives 12 hours [convention]\n";

fn read(env: &Env, arguments: &[&str]) -> Value {
    let ran = env.brv(&[&["read", "--json"], arguments].concat());
    json(&ran.stdout)["data"]["pieces"][0].clone()
}

#[test]
fn an_entry_is_given_byte_for_byte_under_any_of_its_names() {
    let text = "---\r\ntitle: T\r\n---\r\nodd \u{1b}[2J bytes\r\n";
    let env = project(&[("auth/jwt/a.md", text)]);
    let tree = env.path(".brv/context-tree");
    for (folder, name) in [
        (".", "auth/jwt/a.md"),
        (".", "auth/jwt/a"),
        (".", ".brv/context-tree/auth/jwt/a.md"),
        (".", "@auth/jwt/a.md"),
        (".brv/context-tree/auth", "jwt/a"),
        (".brv/context-tree/auth", "auth/jwt/a"),
    ] {
        let ran = env.brv_in(&env.path(folder), &["read", name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, text), "{name} {}", ran.stderr);
    }
    std::fs::write(tree.join("auth/jwt/a.md"), b"\xff\xfe\n").unwrap();
    assert_eq!(read(&env, &["auth/jwt/a"])["text"], Value::Null);
}

#[test]
fn json_has_all_that_an_entry_is_made_of() {
    let env = project(&[("auth/token.md", TOKEN)]);
    let piece = read(&env, &["auth/token"]);
    assert_eq!(piece["path"], "auth/token.md");
    assert_eq!(piece["title"], "Token lifetime");
    assert_eq!(piece["text"], TOKEN);
    assert_eq!(piece["tokens"], TOKEN.chars().count().div_ceil(4));
    assert_eq!(piece["frontmatter"]["tags"], serde_json::json!(["auth"]));
    assert_eq!(piece["facts"][0]["subject"], "access token");
    let line = piece["facts"][0]["line"].as_u64().unwrap() as usize;
    assert!(TOKEN.lines().nth(line - 1).unwrap().starts_with("- **access token**"));
    for (section, line) in piece["sections"].as_array().unwrap().iter().zip([8, 10, 16]) {
        assert_eq!(section["line"], line);
        assert!(TOKEN.lines().nth(line - 1).unwrap().ends_with(section["title"].as_str().unwrap()));
    }
    let id = env.git(&env.path(".brv/context-tree"), &["hash-object", "auth/token.md"]);
    assert_eq!(piece["source"]["id"], id.as_str());
}

#[test]
fn summaries_fit_the_entry_as_it_is_now_whatever_is_on_disk() {
    let env = project(&[("auth/token.md", TOKEN)]);
    assert_eq!(read(&env, &["auth/token", "--level", "l0"])["origin"], "memory");
    assert_eq!(env.brv(&["derive"]).code, 0);
    let before = read(&env, &["auth/token", "--level", "l0"]);
    assert_eq!((&before["origin"], &before["level"]), (&"derived".into(), &"l0".into()));
    let line = env.brv(&["read", "auth/token", "-l", "l0"]).stdout;
    assert!(line.starts_with("Token lifetime: Access tokens live 15 minutes"), "{line}");
    assert_eq!(line.lines().count(), 1);
    // the file changes and nothing is derived
    write(&env, &[("auth/token.md", &TOKEN.replace("15 minutes", "10 minutes"))]);
    let after = read(&env, &["auth/token", "--level", "l1"]);
    assert_eq!(after["origin"], "memory");
    assert!(after["text"].as_str().unwrap().contains("10 minutes"), "{after}");
    assert_eq!(
        read(&env, &["auth/token.abstract.md"])["text"].as_str().unwrap(),
        line.replace("15 min", "10 min")
    );
    // an edited derived file is not used as an answer
    let path = env.path(".brv/context-tree/auth/token.overview.md");
    write(&env, &[("auth/token.md", TOKEN)]);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("rotated", "eaten")).unwrap();
    let overview = read(&env, &["auth/token", "--level", "l1"]);
    assert_eq!(overview["origin"], "memory");
    assert!(!overview["text"].as_str().unwrap().contains("eaten"));
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        text.replace("rotated", "eaten"),
        "nothing is written"
    );
}

#[test]
fn a_folder_is_read_by_its_index_as_deriving_would_make_it() {
    let env = project(&[
        ("auth/token.md", TOKEN),
        ("auth/context.md", "# Auth\n\n## Purpose\n\nWho may do what, and how it is known who asks.\n"),
        ("auth/jwt/keys.md", "# Keys\n\nKeys must be rotated every ninety days.\n"),
        ("ops/deploy.md", "# Deploy\n\nA deployment must be announced one hour before it begins.\n"),
    ]);
    for changed in [false, true] {
        if changed {
            commit(&env, "all");
            assert_eq!(env.brv(&["derive"]).code, 0);
            write(&env, &[("auth/jwt/keys.md", "# Keys\n\nKeys must be rotated every thirty days.\n")]);
        }
        let mut made = Vec::new();
        for folder in ["auth", "auth/jwt", "."] {
            let piece = read(&env, &[folder, "--level", "l1"]);
            assert_eq!((&piece["origin"], &piece["kind"]), (&"memory".into(), &"folder".into()), "{folder}");
            made.push((folder, env.brv(&["read", folder]).stdout));
        }
        let untouched = read(&env, &["ops"]);
        assert_eq!(untouched["origin"], if changed { "derived" } else { "memory" });
        assert_eq!(env.brv(&["derive"]).code, 0);
        for (folder, text) in made {
            let on_disk = env.path(".brv/context-tree").join(folder).join("_index.md");
            let on_disk = std::fs::read_to_string(on_disk).unwrap();
            assert!(on_disk.ends_with(&format!("\n---\n\n{text}")), "{folder}: {text}\n{on_disk}");
        }
        assert_eq!(read(&env, &["."])["origin"], "derived");
    }
    let line = env.brv(&["read", "auth", "--level", "l0"]).stdout;
    assert!(line.starts_with("Auth: Who may do what"), "{line}");
    assert_eq!(env.brv(&["read"]).stdout, env.brv(&["read", "_index.md"]).stdout);
}

#[test]
fn what_another_length_is_given_for_is_said() {
    let env = project(&[
        ("a.md", "# T\n"),
        ("ops/b.md", "# B\n\nB must be built before C.\n"),
        ("README.md", "hi\n"),
    ]);
    let short = json(&env.brv(&["read", "a", "--level", "l1", "--json"]).stdout);
    assert_eq!(short["data"]["pieces"][0]["fallback"]["asked"], "l1");
    assert_eq!(short["data"]["pieces"][0]["level"], "full");
    assert!(short["warnings"][0].as_str().unwrap().contains("too short"), "{short}");
    let folder = env.brv(&["read", "ops", "--level", "l0"]);
    assert!(folder.stderr.contains("comes from its context.md"), "{}", folder.stderr);
    assert_eq!(read(&env, &["README.md", "--level", "l0"])["level"], "full");
}

#[test]
fn a_name_that_means_nothing_is_told_with_what_may_be_meant() {
    let env = project(&[("auth/sessions/token_lifetime.md", TOKEN), ("tool.exe", "MZ")]);
    let ran = env.brv(&["read", "auth/token_lifetmie"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("perhaps `auth/sessions/token_lifetime.md`"), "{}", ran.stderr);
    // the existing files are read anyway
    let ran = env.brv(&["read", "tool.exe", "auth/sessions/token_lifetime", "--json"]);
    let both = json(&ran.stdout);
    assert_eq!((ran.code, both["data"]["pieces"][0]["text"].as_str()), (2, Some(TOKEN)));
    assert_eq!(both["data"]["missing"][0]["reason"], "not managed by brv");
    assert_eq!(env.brv(&["read", "../../../etc/passwd"]).code, 2);
}

#[test]
fn an_entry_in_conflict_is_summed_up_by_our_side() {
    let env = project(&[("a.md", TOKEN)]);
    commit(&env, "base");
    let tree = env.path(".brv/context-tree");
    env.git(&tree, &["checkout", "-q", "-b", "other"]);
    env.commit(&tree, &[("a.md", &TOKEN.replace("30 seconds", "8 seconds"))]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("a.md", &TOKEN.replace("30 seconds", "24 seconds"))]);
    assert_ne!(env.try_git(&tree, &["merge", "-q", "other"]).code, 0);
    let ran = env.brv(&["read", "a", "--level", "l1"]);
    assert!(ran.stdout.contains("24 seconds") && !ran.stdout.contains("8 seconds"), "{}", ran.stdout);
    assert!(ran.stderr.contains("this is our side"), "{}", ran.stderr);
    let whole = env.brv(&["read", "a"]).stdout;
    assert!(whole.starts_with(&TOKEN.replace("30 seconds", "24 seconds")), "{whole}");
}
