//! What search, query and read say of an entry that the code has moved on from, and what they leave as it is.

use super::learn;
use crate::init::json;
use crate::provenance::World;
use serde_json::{Value, json as value};

const LIMIT: &str = "# Retry limit\n\nThe retry limit of uploads is `MAX_UPLOADS` in `src/upload.rs`.\n";
const LINE: &str = "MAX_UPLOADS in src/upload.rs";

fn code(limit: u32) -> String {
    format!("pub const MAX_UPLOADS: u32 = {limit};\n")
}

/// An entry about the code, and one that cites nothing.
fn uploads() -> World {
    let world = World::new();
    world.commit("src/upload.rs", &code(3));
    let other =
        "# Uploads\n\nUploads of pictures are kept for a day; what the retry limit does is said elsewhere.\n";
    let far = "# Colours\n\nThe palette has six colours.\n";
    learn(&world, &[("net/limit.md", LIMIT), ("net/uploads.md", other), ("ui/colours.md", far)]);
    world
}

fn data(world: &World, arguments: &[&str]) -> Value {
    json(&world.brv(&[arguments, &["--json"]].concat()).stdout)
}

fn row<'v>(found: &'v Value, path: &str) -> &'v Value {
    found["data"]["results"].as_array().unwrap().iter().find(|row| row["path"] == path).expect(path)
}

#[test]
fn a_search_says_it_in_each_form_and_only_the_score_of_the_row_sinks() {
    let world = uploads();
    let before = data(&world, &["search", "retry limit", "--no-hits"]);
    assert_eq!(row(&before, "net/limit.md")["freshness"]["state"], "fresh");
    assert_eq!(row(&before, "net/uploads.md")["freshness"], Value::Null);
    let head = world.commit("src/upload.rs", &code(5));
    let after = data(&world, &["search", "retry limit", "--no-hits"]);
    let (was, is) = (row(&before, "net/limit.md"), row(&after, "net/limit.md"));
    assert_eq!(
        (
            &is["freshness"]["state"],
            &is["freshness"]["files"][0]["names"],
            &is["freshness"]["files"][0]["commit"]
        ),
        (&value!("changed"), &value!(["MAX_UPLOADS"]), &value!(head))
    );
    let score = |row: &Value| row["score"].as_f64().unwrap();
    assert!((score(is) - score(was) * 0.85).abs() < 0.0002, "{was:#} {is:#}");
    for kept in ["relevance", "importance", "line"] {
        assert_eq!(is[kept], was[kept], "{kept}");
    }
    assert_eq!(after["data"]["covered"], before["data"]["covered"]);
    let scores: Vec<f64> = after["data"]["results"].as_array().unwrap().iter().map(score).collect();
    assert!(scores.is_sorted_by(|one, other| one >= other), "{scores:?}");
    let warnings = after["warnings"].to_string();
    assert!(warnings.contains("`net/limit.md`: changed since ") && warnings.contains(LINE), "{warnings}");
    let text = world.brv(&["search", "retry limit", "--no-hits"]);
    assert!(text.stdout.contains("[changed since ") && text.stdout.contains(LINE), "{}", text.stdout);
    assert!(!text.stderr.contains("changed since"), "the text has it: {}", text.stderr);
}

#[test]
fn a_direct_answer_begins_with_it_also_if_it_was_given_before() {
    let world = uploads();
    let ask = || data(&world, &["query", "Retry limit"])["data"].clone();
    let first = ask();
    let answer = first["answer"].as_str().unwrap().to_owned();
    assert!(answer.contains("MAX_UPLOADS"), "{first:#}");
    world.write("src/upload.rs", &code(5));
    let again = ask();
    assert_eq!((&again["by"], &again["tier"]), (&value!("cache"), &value!(0)), "{again:#}");
    let lines: Vec<&str> = again["answer"].as_str().unwrap().splitn(3, '\n').collect();
    assert!(lines[0].starts_with("changed since ") && lines[0].ends_with(LINE), "{again:#}");
    assert_eq!(lines[2], answer);
    assert_eq!(again["sources"][0]["freshness"]["state"], "changed");
    world.write("src/upload.rs", &code(3));
    assert_eq!(ask()["answer"], value!(answer), "what holds again is said as before");
}

#[test]
fn read_leaves_the_bytes_alone_and_warns() {
    let world = uploads();
    world.commit("src/upload.rs", &code(5));
    let ran = world.brv(&["read", "net/limit.md"]);
    assert_eq!(ran.stdout, LIMIT);
    assert!(
        ran.stderr.contains("`net/limit.md`: changed since ") && ran.stderr.contains(LINE),
        "{}",
        ran.stderr
    );
    let earlier = data(&world, &["read", "net/limit.md", "--at", "HEAD"]);
    assert_eq!(earlier["data"]["pieces"][0]["freshness"], Value::Null);
    world.git(&["rm", "-q", "src/upload.rs"]);
    let ran = world.brv(&["read", "net/limit.md"]);
    assert!(ran.stderr.contains("gone since ") && ran.stderr.contains(": src/upload.rs"), "{}", ran.stderr);
}
