//! `brv stale --format …`, and `--from`.

use super::{RETRY, World};
use serde_json::Value;

fn changed() -> World {
    let world = World::new();
    world.code(&[("src/retry.rs", &RETRY.replace("= 3", "= 5"))]);
    world
}

fn page(world: &World, arguments: &[&str]) -> String {
    let ran = world.env.brv(&[&["stale"], arguments].concat());
    assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran.stdout
}

#[test]
fn every_format_places_the_finding_in_the_code() {
    let world = changed();
    let annotations = page(&world, &["--format", "github"]);
    assert!(
        annotations.starts_with(
            "::warning file=src/retry.rs,line=1,col=1,title=BRV016 the code moved on::`MAX_RETRIES`"
        ),
        "{annotations}"
    );
    assert!(annotations.ends_with("\n1 entry may no longer hold: 1 changed\n"), "{annotations}");
    let rows: Value = serde_json::from_str(&page(&world, &["--format", "gitlab"])).unwrap();
    assert_eq!(
        (&rows[0]["location"]["path"], &rows[0]["severity"]),
        (&"src/retry.rs".into(), &"minor".into())
    );
    let log: Value = serde_json::from_str(&page(&world, &["--format", "sarif"])).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/retry.rs");
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][15]["id"], "BRV016");
}

#[test]
fn the_comment_begins_with_its_marker_and_quotes_the_lines() {
    let world = changed();
    let comment = page(&world, &["--format", "markdown"]);
    assert!(
        comment.starts_with("<!-- brv:stale -->\n## ⚠️ 1 entry may no longer hold: 1 changed\n"),
        "{comment}"
    );
    assert!(comment.contains("- **Tokens** `auth/tokens.md`: changed since "), "{comment}");
    assert!(comment.contains("\n  - line 6, `MAX_RETRIES`: A request is tried"), "{comment}");
    world.done(&["stale", "confirm", "auth"]);
    assert_eq!(
        page(&world, &["--format", "markdown"]),
        "<!-- brv:stale -->\n## ✅ No entry is stale\n\n1 fresh, 1 cites no code\n"
    );
}

#[test]
fn a_page_is_written_to_a_file_and_drawn_again_from_json_anywhere() {
    let world = changed();
    let shapes = ["markdown", "github", "gitlab", "sarif", "text"];
    let direct = shapes.map(|shape| page(&world, &["--format", shape]));
    assert_eq!(page(&world, &["--format", "json", "--output", "stale.json"]), "");
    let elsewhere = crate::env::Env::new();
    std::fs::copy(world.env.path("stale.json"), elsewhere.path("stale.json")).unwrap();
    for (shape, direct) in shapes.iter().zip(&direct) {
        let ran = elsewhere.brv(&["stale", "--from", "stale.json", "--format", shape]);
        assert_eq!((ran.code, &ran.stdout), (0, direct), "{shape}: {}", ran.stderr);
    }
    assert_eq!(elsewhere.brv(&["stale", "--from", "stale.json", "--fail-on", "warning"]).code, 1);
    page(&world, &["--format", "markdown", "--output", "comment.md"]);
    assert_eq!(std::fs::read_to_string(world.env.path("comment.md")).unwrap(), direct[0]);
}

#[test]
fn a_file_that_is_no_answer_is_refused() {
    let env = crate::env::Env::new();
    let large = format!("{{\"schema\":\"{}\"}}", "x".repeat(4 << 20));
    for (text, why) in [
        ("", "not the output"),
        ("[]", "not the output"),
        (
            "{\"schema\":\"brv.vc.check/1\",\"data\":{\"entries\":[],\"findings\":[],\"counts\":{}}}",
            "not the output",
        ),
        (
            "{\"schema\":\"brv.stale/1\",\"data\":{\"entries\":[],\"findings\":[],\"counts\":{\"fresh\":0,\"touched\":0,\"changed\":9,\"gone\":3,\"unknown\":0,\"uncited\":0}},\"ok\":true,\"warnings\":[],\"next\":[]}",
            "its counts",
        ),
        (large.as_str(), "larger than 4 MiB"),
    ] {
        std::fs::write(env.path("stale.json"), text).unwrap();
        let ran = env.brv(&["stale", "--from", "stale.json"]);
        assert_eq!((ran.code, ran.stderr.contains(why)), (2, true), "{why}: {}", ran.stderr);
    }
    assert_eq!(env.brv(&["stale", "--from", "none.json"]).code, 2);
    assert_eq!(env.brv(&["stale", "--from", "stale.json", "auth"]).code, 2);
}

#[test]
fn the_summary_of_a_step_gets_the_report() {
    let world = changed();
    let summary = world.env.path("summary.md");
    let World { env, .. } = world;
    let env = env.with("GITHUB_STEP_SUMMARY", &summary);
    assert_eq!(env.brv(&["stale", "--format", "github"]).code, 0);
    let text = std::fs::read_to_string(summary).unwrap();
    assert!(text.starts_with("## ⚠️ 1 entry may no longer hold"), "{text}");
}

#[test]
fn the_ci_files_are_printed_or_written() {
    let env = crate::env::Env::new();
    let printed = env.brv(&["stale", "--workflow", "github", "--install", "get-brv"]);
    assert!(printed.stdout.starts_with("# file: .github/workflows/brv-stale.yml\n"), "{}", printed.stdout);
    let written = env.brv(&["stale", "--workflow", "github", "--output", "."]);
    let lines = "Wrote .github/workflows/brv-stale.yml\nWrote .github/workflows/brv-stale-comment.yml\n";
    assert_eq!((written.code, written.stdout.replace("./", "").as_str()), (0, lines));
    assert!(env.path(".github/workflows/brv-stale-comment.yml").exists());
    let answer = env.brv(&["stale", "--workflow", "gitlab", "--tree", "https://example.com/t.git", "--json"]);
    let answer = crate::init::json(&answer.stdout);
    assert_eq!(
        (&answer["schema"], &answer["data"]["files"][0]["path"]),
        (&"brv.stale.workflow/1".into(), &".gitlab-ci.brv-stale.yml".into())
    );
    for wrong in [
        &["--workflow", "github", "--tree", "git@example.com:t"][..],
        &["--workflow", "github", "--install", ""],
        &["--workflow", "github", "--format", "sarif"],
        &["--workflow", "github", "auth"],
        &["--tree", "https://example.com/t.git"],
    ] {
        assert_eq!(env.brv(&[&["stale"], wrong].concat()).code, 2, "{wrong:?}");
    }
}
