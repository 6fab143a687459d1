//! What one glance at `brv stale` tells: the code of then and now, what is gone, and where it went.

use super::World;
use serde_json::{Value, json};

const NOTE: &str = "# Slugs\n\n`slugify`, `MAX_SLUG` and `old_slug` make the addresses (`src/slug.rs`).\n";
const CODE: &str = "pub const MAX_SLUG: u32 = 40;\n\npub fn slugify(title: &str) -> String {\n    lower(title)\n}\n\nfn old_slug() {}\n";

/// Code with a function moved to another file, a constant with another value, and a removed function.
fn moved() -> World {
    let world = World::new();
    world.code(&[("src/slug.rs", CODE), ("src/other.rs", "fn other() {}\n")]);
    world.entries(&[("web/slugs.md", NOTE)]);
    let text = "pub fn slugify(title: &str) -> String {\n    lower(title)\n}\n";
    world.code(&[("src/slug.rs", "pub const MAX_SLUG: u32 = 60;\n"), ("src/text.rs", text)]);
    world
}

fn entry(world: &World) -> Value {
    world.json(&["stale", "web"], 0)["data"]["entries"][0].clone()
}

#[test]
fn names_that_are_gone_are_told_from_altered_ones_with_their_new_file() {
    let world = moved();
    let entry = entry(&world);
    let file = &entry["freshness"]["files"][0];
    let names = [
        json!({"name": "slugify", "state": "gone", "before": "pub fn slugify(title: &str) -> String {", "moved_to": "src/text.rs"}),
        json!({"name": "MAX_SLUG", "state": "altered", "before": "pub const MAX_SLUG: u32 = 40;", "after": "pub const MAX_SLUG: u32 = 60;"}),
        json!({"name": "old_slug", "state": "gone", "before": "fn old_slug() {}"}),
    ];
    assert_eq!(file["names"], json!(["slugify", "MAX_SLUG", "old_slug"]));
    assert_eq!(file["changes"], json!(names));
    let facts = entry["facts"].as_array().unwrap();
    assert_eq!(facts.len(), 3, "one row for each line and name");
    for fact in facts {
        let change = names.iter().find(|change| change["name"] == fact["name"]).unwrap();
        for (key, value) in change.as_object().unwrap() {
            assert_eq!(&fact[key], value, "{fact}");
        }
    }
}

#[test]
fn a_line_is_printed_once_with_the_code_of_then_and_now() {
    let world = moved();
    let text = world.env.brv(&["stale", "web"]).stdout;
    assert_eq!(text.matches("make the addresses").count(), 1, "{text}");
    let told =
        ": MAX_SLUG in src/slug.rs, slugify, old_slug gone from src/slug.rs (slugify now in src/text.rs)\n";
    assert!(text.contains(told), "{text}");
    let lines = [
        "        - pub const MAX_SLUG: u32 = 40;\n        + pub const MAX_SLUG: u32 = 60;\n",
        "        - fn old_slug() {}\n",
        "        - pub fn slugify(title: &str) -> String {\n",
    ];
    assert!(text.contains(&lines.concat()), "{text}");
}

#[test]
fn a_name_that_two_files_introduce_went_to_none_of_them() {
    let world = moved();
    world.code(&[("src/third.rs", "fn slugify() {}\n")]);
    let file = entry(&world)["freshness"]["files"][0].clone();
    assert!(file["changes"][0].get("moved_to").is_none(), "{file}");
    world.code(&[("src/third.rs", "use text::slugify;\n\nfn f() {\n    slugify();\n}\n")]);
    assert_eq!(
        entry(&world)["freshness"]["files"][0]["changes"][0]["moved_to"],
        "src/text.rs",
        "it only calls it"
    );
}

#[test]
fn the_code_is_shown_without_secrets_and_control_characters() {
    let world = World::new();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let code = |value: &str| format!("pub const TOKEN_TEXT: &str = \"{value}\";\n");
    world.code(&[("src/token.rs", &code(&secret))]);
    world.entries(&[("web/slugs.md", "# T\n\n`TOKEN_TEXT` is in `src/token.rs`.\n")]);
    world.code(&[("src/token.rs", &code(&format!("\u{1b}[31m{}", "x".repeat(300))))]);
    for arguments in [
        &["stale", "--json"][..],
        &["stale"],
        &["stale", "--format", "markdown"],
        &["read", "web/slugs", "--json"],
    ] {
        let ran = world.env.brv(arguments);
        assert!(ran.stdout.contains("TOKEN_TEXT: &str = ") && ran.stdout.contains("****"), "{}", ran.stdout);
        assert!(!ran.stdout.contains(&secret) && !ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    }
    let after = entry(&world)["facts"][0]["after"].as_str().unwrap().to_owned();
    assert_eq!((after.chars().count(), after.ends_with('…')), (120, true), "{after}");
}

#[test]
fn a_comment_that_says_something_else_is_told_if_the_line_is_about_it() {
    let world = World::new();
    let code = |said: &str| format!("/// {said}\npub fn weigh_parcel() {{}}\n");
    let said = "Fragile parcels are sent by courier.";
    world.code(&[("src/parcel.rs", &code(said)), ("src/a.rs", "// all parcels\n")]);
    world.entries(&[(
        "web/slugs.md",
        "# P\n\n- **weigh_parcel**: what is fragile goes by courier (`src/parcel.rs`)\n",
    )]);
    world.code(&[("src/parcel.rs", &code("Fragile parcels are refused."))]);
    let fact = entry(&world)["facts"][0].clone();
    assert_eq!((&fact["state"], &fact["before"]), (&"altered".into(), &said.into()), "{fact}");
    assert_eq!(entry(&world)["facts"][0], fact, "also from what is kept");
    let common: Vec<(String, String)> =
        (0..9).map(|at| (format!("src/c{at}.rs"), "// a courier is fragile\n".to_owned())).collect();
    let common: Vec<(&str, &str)> = common.iter().map(|(path, text)| (&**path, &**text)).collect();
    world.code(&common);
    assert_eq!(
        world.json(&["stale", "web"], 0)["data"]["counts"]["touched"],
        1,
        "words that stand everywhere"
    );
}
