//! A writer that decides about the plan of a dream: sensibly, with now and then a fact that it forgets.

use super::ledger::facts;
use crate::team::script::Numbers;
use serde_json::{Value, json};
use std::path::Path;

/// Decisions about a plan, for the tree at `root`.
pub fn decide(plan: &Value, root: &Path, numbers: &mut Numbers) -> Value {
    let list = |name: &str| plan[name].as_array().cloned().unwrap_or_default();
    let clusters = list("consolidate").into_iter().map(|one| consolidate(&one, root, numbers)).collect();
    let mut decisions: Vec<Value> = clusters;
    for pattern in list("synthesize") {
        if numbers.below(3) > 0 {
            continue;
        }
        let title = format!("Pattern {}", numbers.below(1000));
        let text = format!("# {title}\n\n{title} connects {}.\n", pattern["domains"]);
        decisions.push(json!({"candidate": pattern["id"], "action": "CREATE", "markdown": text,
            "confidence": numbers.pick(&[0.5, 0.9]), "reason": "both say so"}));
    }
    let weak = list("prune");
    for one in &weak {
        let other = &weak[numbers.below(weak.len())]["path"];
        decisions.push(match numbers.below(6) {
            0 | 1 => json!({"candidate": one["id"], "action": "ARCHIVE", "reason": "stale"}),
            2 if other != &one["path"] => {
                json!({"candidate": one["id"], "action": "MERGE_INTO", "into": other, "reason": "same topic"})
            }
            _ => json!({"candidate": one["id"], "action": "KEEP", "reason": "still right"}),
        });
    }
    json!({"plan": plan["id"], "decisions": decisions})
}

fn consolidate(cluster: &Value, root: &Path, numbers: &mut Numbers) -> Value {
    let files = cluster["files"].as_array().unwrap();
    let texts = files.iter().map(|file| {
        let text = std::fs::read_to_string(root.join(file["path"].as_str().unwrap())).unwrap_or_default();
        let end = text.strip_prefix("---\n").and_then(|rest| rest.find("\n---\n"));
        end.map_or(text.clone(), |end| text[end + 9..].to_owned())
    });
    let texts: Vec<String> = texts.collect();
    let forgets = numbers.below(4) == 0;
    let (id, into) = (&cluster["id"], &files[0]["path"]);
    match numbers.below(8) {
        0 | 1 => {
            json!({"candidate": id, "action": "MERGE", "into": into, "confidence": 0.9, "reason": "same topic"})
        }
        2 | 3 => json!({"candidate": id, "action": "MERGE", "into": into, "markdown": union(&texts, forgets),
            "confidence": 0.8, "reason": "one text for both"}),
        4 => {
            json!({"candidate": id, "action": "TEMPORAL_UPDATE", "path": into, "confidence": numbers.pick(&[0.5, 0.9]),
            "markdown": union(&texts[..1], forgets), "reason": "later changes"})
        }
        5 | 6 => {
            json!({"candidate": id, "action": "CROSS_REFERENCE", "confidence": 0.9, "reason": "related"})
        }
        _ => json!({"candidate": id, "action": "SKIP", "reason": "unrelated"}),
    }
}

/// One body that has the prose of the first text and the facts of all, but for the last one, if it is forgotten.
fn union(texts: &[String], forgets: bool) -> String {
    let prose = texts[0].lines().take_while(|line| *line != "## Facts");
    let mut said = Vec::new();
    for fact in texts.iter().flat_map(|text| facts(text)) {
        if !said.contains(&fact) {
            said.push(fact);
        }
    }
    said.truncate(said.len() - usize::from(forgets && said.len() > 1));
    let lines = said.into_iter().map(|(subject, statement)| format!("- **{subject}**: {statement}\n"));
    format!("{}\n\n## Facts\n\n{}", prose.collect::<Vec<_>>().join("\n").trim(), lines.collect::<String>())
}
