//! `brv links` as a user calls it.

use crate::env::Env;
use crate::init::{json, project};
use serde_json::Value;

fn sample() -> Env {
    project(&[
        ("auth/context.md", "# Auth\n\nSee [tokens](jwt/token.md).\n"),
        (
            "auth/jwt/token.md",
            "---\ntitle: Token\nrelated: [ops/deploy, auth/gone, \"@auth\"]\n---\n# T\n\nSee [keys](keys.md#x), [moved](../deploy.md) and [out](../../../x.md).\n",
        ),
        ("auth/jwt/keys.md", "# Keys\n\n## Relations\n@auth/jwt/token.md\n- @ops/deploy.md (why)\n"),
        ("ops/deploy.md", "---\ntitle: Deploy\nrelated: []\n---\nNothing about any token.\n"),
        ("ops/plan.md", "[index](../auth/_index.md), [short](../auth/jwt/token.abstract.md)\n"),
    ])
}

fn links(env: &Env, name: &str) -> Value {
    json(&env.brv(&["links", name, "--json"]).stdout)["data"].clone()
}

fn each<'a>(links: &'a Value, fields: [&str; 3]) -> Vec<[&'a str; 3]> {
    let text = |link: &'a Value, field: &str| link[field].as_str().unwrap_or("-");
    links.as_array().unwrap().iter().map(|link| fields.map(|field| text(link, field))).collect()
}

#[test]
fn links_of_every_form_are_shown_both_ways_round() {
    let env = sample();
    let token = links(&env, "auth/jwt/token");
    assert_eq!(
        each(&token["outgoing"], ["form", "to", "state"]),
        [
            ["related", "ops/deploy.md", "entry"],
            ["related", "auth/gone", "missing"],
            ["related", "auth", "folder"],
            ["markdown", "auth/jwt/keys.md", "entry"],
            ["markdown", "auth/deploy.md", "missing"],
            ["markdown", "-", "outside"],
        ]
    );
    assert_eq!(token["outgoing"][3]["line"], 7);
    assert_eq!(token["outgoing"][4]["nearest"][0], "ops/deploy.md");
    assert_eq!(
        each(&token["incoming"], ["from", "form", "title"]),
        [
            ["auth/context.md", "markdown", "Auth"],
            ["auth/jwt/keys.md", "relation", "Keys"],
            ["ops/plan.md", "markdown", "-"],
        ]
    );
    assert_eq!(token["incoming"][2]["state"], "derived");
    let deploy = links(&env, "ops/deploy.md");
    assert_eq!(
        each(&deploy["incoming"], ["from", "form", "title"])[0],
        ["auth/jwt/keys.md", "relation", "Keys"]
    );
    assert_eq!(deploy["incoming"].as_array().unwrap().len(), 2);
    // a folder is the target by its own name, its overview and its index
    for name in ["auth", "auth/context", "auth/_index.md"] {
        let auth = links(&env, name);
        assert_eq!((&auth["path"], &auth["title"]), (&"auth".into(), &"Auth".into()));
        assert_eq!(
            each(&auth["incoming"], ["from", "form", "to"])[0],
            ["auth/jwt/token.md", "related", "auth"]
        );
        assert_eq!(auth["incoming"][1]["from"], "ops/plan.md");
    }
}

#[test]
fn a_folder_sums_up_what_is_below_it() {
    let env = sample();
    let auth = links(&env, "auth");
    assert_eq!(
        each(&auth["outgoing"], ["from", "to", "state"]),
        [
            ["auth/context.md", "auth/jwt/token.md", "entry"],
            ["auth/jwt/keys.md", "ops/deploy.md", "entry"],
            ["auth/jwt/token.md", "ops/deploy.md", "entry"],
            ["auth/jwt/token.md", "auth/gone", "missing"],
            ["auth/jwt/token.md", "auth/deploy.md", "missing"],
            ["auth/jwt/token.md", "-", "outside"],
        ]
    );
    assert_eq!(
        each(&auth["incoming"], ["from", "to", "state"])[2],
        ["ops/plan.md", "auth/jwt/token.md", "derived"]
    );
    assert_eq!((&auth["inside"], &links(&env, "auth/jwt/token")["inside"]), (&2.into(), &Value::Null));
    assert_eq!(
        env.brv(&["links", "auth"]).stdout,
        "auth/  Auth\n\nLinks to:\n  auth/jwt/token.md (line 3)\n  ops/deploy.md (2 links from 2 files)\n  auth/gone (from auth/jwt/token.md)  missing\n  auth/deploy.md (from auth/jwt/token.md)  missing; perhaps `ops/deploy.md`\n  ../../../x.md (from auth/jwt/token.md)  outside the tree\n\nLinked from:\n  auth/jwt/token.md (related)  Token\n  ops/plan.md (2 links)\n\n2 links inside the folder.\n"
    );
    let flat = project(&[("a/x.md", "[y](y.md)\n"), ("a/y.md", "x\n")]);
    assert_eq!(
        flat.brv(&["links", "a"]).stdout,
        "a/\n\nNo links to the outside.\n\nNo links from the outside.\n\n1 link inside the folder.\n"
    );
}

#[test]
fn links_that_lead_nowhere_are_found_in_the_whole_tree() {
    let env = sample();
    let broken = json(&env.brv(&["links", "--broken", "--json"]).stdout)["data"].clone();
    assert_eq!(
        each(&broken["links"], ["from", "written", "state"]),
        [
            ["auth/jwt/token.md", "auth/gone", "missing"],
            ["auth/jwt/token.md", "../deploy.md", "missing"],
            ["auth/jwt/token.md", "../../../x.md", "outside"],
        ]
    );
    assert_eq!(broken["files"], 5);
    assert_eq!(
        env.brv(&["links", "--broken"]).stdout,
        "auth/jwt/token.md\n  auth/gone (related)  missing\n  auth/deploy.md (line 7)  missing; perhaps `ops/deploy.md`\n  ../../../x.md (line 7)  outside the tree\n\n3 broken links.\n"
    );
    let whole = project(&[("a.md", "[b](b.md)\n"), ("b.md", "x\n")]);
    assert_eq!(whole.brv(&["links", "--broken"]).stdout, "No broken links (2 files).\n");
}

#[test]
fn people_read_the_same() {
    let env = project(&[("a.md", "---\ntitle: A\nrelated: [b, c]\n---\n"), ("b.md", "# B\n")]);
    assert_eq!(
        env.brv(&["links", "a"]).stdout,
        "a.md  A\n\nLinks to:\n  b.md (related)\n  c (related)  missing\n\nNo links from other files.\n"
    );
    assert_eq!(
        env.brv(&["links", "b"]).stdout,
        "b.md  B\n\nNo links to other files.\n\nLinked from:\n  a.md (related)  A\n"
    );
    assert_eq!(env.brv(&["links", "nothing"]).code, 2);
    assert_eq!(env.brv(&["links"]).code, 2);
}
