//! How well questions about technical documentation are served: on two trees that are made of packages, by questions in
//! other words than the text. One half of the questions is for choosing constants; the floors hold on the other.

mod questions;
mod trees;

use crate::env::Env;
use crate::init::json;
use questions::{Half, questions};
use serde_json::Value;
use trees::TREES;

/// How a figure is compared.
#[derive(Debug, Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}
use Bound::{AtLeast, AtMost};

/// The bounds of the means over the trees, on the half that is held out.
const BOUNDS: [(&str, &str, Bound); 14] = [
    ("recall at 1", "/recall/at_1", AtLeast(0.65)),
    ("recall at 5", "/recall/at_5", AtLeast(0.82)),
    ("recall at 10", "/recall/at_10", AtLeast(0.85)),
    ("covered over near", "/auroc", AtLeast(0.76)),
    ("false alarms", "/not_covered/false_alarms", AtMost(0.05)),
    ("direct answers", "/direct/share", AtLeast(0.27)),
    ("of expected entries", "/direct/precision", AtLeast(0.93)),
    ("with the phrase", "/direct/phrase", AtLeast(0.85)),
    ("near: found", "/near/found", AtLeast(0.45)),
    ("near: answered", "/near/answered", AtMost(0.06)),
    ("far: found", "/far/found", AtLeast(0.93)),
    ("far: answered", "/far/answered", AtMost(0.02)),
    ("passages: median", "/passages/median_chars", AtMost(2000.0)),
    ("with an expected one", "/passages/kept", AtLeast(0.77)),
];

/// The figures of a half of the questions.
fn figures(env: &Env, tree: &str, half: Half) -> Value {
    let lines: Vec<String> = questions(tree, half).iter().map(Value::to_string).collect();
    let ran = env.brv_reading(&["eval", "-", "--json"], lines.join("\n").as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let figures = json(&ran.stdout)["data"].clone();
    assert_eq!(figures["absent"].as_array().map(Vec::len), Some(0), "{figures}");
    figures
}

#[test]
fn the_figures_on_the_held_out_questions_are_within_their_bounds() {
    let packages = Env::in_memory();
    let mut measured: Vec<[Value; 2]> = Vec::new();
    for (tree, _) in TREES {
        let Some(entries) = trees::entries(&packages, tree) else { return };
        let env = trees::project(&entries);
        measured.push([Half::Development, Half::HeldOut].map(|half| figures(&env, tree, half)));
    }
    println!("{:<22}{:>12}{:>12}   bound", "mean of two trees", "development", "held out");
    let mut outside = Vec::new();
    for (name, pointer, bound) in BOUNDS {
        let mean = |half: usize| {
            let each =
                measured.iter().map(|halves| halves[half].pointer(pointer).unwrap().as_f64().expect(name));
            each.sum::<f64>() / measured.len() as f64
        };
        let (development, held_out) = (mean(0), mean(1));
        println!("{name:<22}{development:>12.3}{held_out:>12.3}   {bound:?}");
        let is_within = match bound {
            AtLeast(least) => held_out >= least,
            AtMost(most) => held_out <= most,
        };
        if !is_within {
            outside.push(name);
        }
    }
    assert!(outside.is_empty(), "out of bounds: {outside:?}");
}

#[test]
fn each_question_expects_entries_that_have_its_phrase() {
    let packages = Env::in_memory();
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (tree, count) in TREES {
        let Some(entries) = trees::entries(&packages, tree) else { return };
        assert_eq!(entries.len(), count, "{tree}");
        let lines = [Half::Development, Half::HeldOut].map(|half| questions(tree, half)).concat();
        for line in &lines {
            for path in line["expected"].as_array().unwrap() {
                let text = &entries[path.as_str().unwrap()];
                let phrase = line["phrase"].as_str().unwrap();
                assert!(folded(text).contains(&folded(phrase)), "{path}: {phrase}");
            }
        }
    }
}

/// Also where the packages are not there.
#[test]
fn there_are_enough_questions_of_each_kind_in_both_halves() {
    for half in [Half::Development, Half::HeldOut] {
        let lines = TREES.map(|(tree, _)| questions(tree, half)).concat();
        let of = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).count();
        assert!(of("covered") >= 75 && of("near") >= 30 && of("far") >= 20, "{half:?}");
    }
}
