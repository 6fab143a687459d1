//! SARIF 2.1.0, the Static Analysis Results Interchange Format of OASIS, which code scanners and editors read.

use super::order::findings;
use super::rules::help;
use super::verdict::message;
use super::{at, is_of_tree, json};
use crate::say::address::ADDRESS;
use brv_commands::vc::check::{Finding, Outcome as Check};
use brv_text::lint::Rule;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Where the schema of the format is published.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name for the repository's root, which whoever reads the log replaces.
const ROOT: &str = "%SRCROOT%";

/// A log with one run and a result for each finding, the worst first. `prefix` is the path of the tree in the repository,
/// with a slash at its end, or empty.
pub fn sarif(check: &Check, prefix: &str) -> String {
    log(&findings(check), prefix)
}

/// As [`sarif`], for sorted findings.
pub(super) fn log(findings: &[&Finding], prefix: &str) -> String {
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, prefix)).collect();
    json(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver()},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
            "results": results,
        }],
    }))
}

fn driver() -> Value {
    let mut driver = json!({
        "name": "brv",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": Rule::ALL.map(rule),
    });
    match ADDRESS {
        "" => {}
        home => driver["informationUri"] = home.into(),
    }
    driver
}

fn rule(rule: Rule) -> Value {
    json!({
        "id": rule.id(),
        "name": name(rule.title()),
        "shortDescription": {"text": sentence(rule.title())},
        "help": {"text": help(rule)},
        "defaultConfiguration": {"level": rule.severity().word()},
    })
}

fn result(finding: &Finding, prefix: &str) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "level": finding.severity,
        "message": {"text": message(finding)},
        "locations": [{"physicalLocation": place(finding, prefix)}],
        "partialFingerprints": {"brv/v1": finding.fingerprint},
    });
    if let Some(index) = Rule::ALL.iter().position(|rule| rule.id() == finding.rule) {
        result["ruleIndex"] = index.into();
    }
    result
}

/// The tree as a whole has no region. Neither has what was corrected: its line is that of a version that is not there.
fn place(finding: &Finding, prefix: &str) -> Value {
    let mut place = json!({
        "artifactLocation": {"uri": uri(&at(prefix, finding)), "uriBaseId": ROOT},
    });
    if !is_of_tree(finding) && !finding.is_corrected() {
        place["region"] = json!({"startLine": finding.line, "startColumn": finding.column});
    }
    place
}

/// A path as a relative reference: all bytes but unreserved characters and slashes percent-encoded (RFC 3986).
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into())
            }
            byte => write!(uri, "%{byte:02X}").expect("memory takes all text"),
        }
    }
    uri
}

/// `BrokenLink`
fn name(title: &str) -> String {
    title.split([' ', '-']).map(capital).collect()
}

/// `Broken link.`
fn sentence(title: &str) -> String {
    format!("{}.", capital(title))
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
    format!("{}{rest}", first.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::review::samples::{Sampled as _, check, finding, warning};

    fn run(findings: Vec<Finding>, prefix: &str) -> Value {
        let log: Value = serde_json::from_str(&sarif(&check(&[]).finding(findings), prefix)).unwrap();
        assert_eq!((&log["version"], &log["$schema"]), (&"2.1.0".into(), &SCHEMA.into()));
        log["runs"][0].clone()
    }

    #[test]
    fn a_result_points_to_its_rule_and_its_place() {
        let found = Finding { line: 12, column: 5, ..warning("BRV004", "auth/a b#c.md") };
        let run = run(vec![found], ".brv/context-tree/");
        assert_eq!(
            run["results"],
            json!([{
                "ruleId": "BRV004",
                "level": "warning",
                "message": {"text": "something is wrong"},
                "locations": [{"physicalLocation": {
                    "artifactLocation": {"uri": ".brv/context-tree/auth/a%20b%23c.md", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 12, "startColumn": 5},
                }}],
                "partialFingerprints": {"brv/v1": "00112233445566ff"},
                "ruleIndex": 3,
            }])
        );
        assert_eq!(run["tool"]["driver"]["rules"][3]["id"], "BRV004");
    }

    #[test]
    fn every_rule_is_described() {
        let rules = run(Vec::new(), "")["tool"]["driver"]["rules"].clone();
        assert_eq!(rules.as_array().map(Vec::len), Some(Rule::ALL.len()));
        assert_eq!([&rules[3]["name"], &rules[10]["name"]], ["BrokenLink", "NearDuplicate"]);
        assert_eq!(rules[3]["shortDescription"]["text"], "Broken link.");
        assert_eq!(rules[3]["defaultConfiguration"]["level"], "warning");
    }

    #[test]
    fn what_has_no_line_has_no_region() {
        let corrected =
            Finding { standing: "corrected", commit: Some("3".repeat(40)), ..finding("BRV006", "a.md") };
        let results = run(vec![corrected, finding("BRV009", ".")], "")["results"].clone();
        for result in results.as_array().unwrap() {
            let place = &result["locations"][0]["physicalLocation"];
            assert!(place["artifactLocation"]["uri"].is_string() && place["region"].is_null(), "{place}");
        }
        assert!(results[0]["message"]["text"].as_str().unwrap().contains("still in commit 3333333"));
    }

    #[test]
    fn a_path_is_encoded_byte_by_byte() {
        assert_eq!(uri("auth/a~b-c_d.md"), "auth/a~b-c_d.md");
        assert_eq!(uri("é 100%?x:y"), "%C3%A9%20100%25%3Fx%3Ay");
    }
}
