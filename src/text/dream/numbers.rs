//! The pairs of `fixtures/numbers.txt`, asked of each who reads amounts: the rule about contradictions, dreams, and the
//! grounding of facts.

use super::tokens::tokens;
use crate::curate::Grounds;
use crate::doc::Document;
use crate::lint::{Claims, Relation, contradictions, relation};

const PAIRS: &str = include_str!("../../../fixtures/numbers.txt");

/// Whether two amounts of one thing are the same to who reads them; `None` if that is unclear.
type AmountComparison = fn(&str, &str) -> Option<bool>;

/// Whether the rule about contradictions takes two amounts for the same.
fn in_lint(one: &str, other: &str) -> Option<bool> {
    let claims = [one, other].map(|value| {
        Claims::of(&Document::parse(format!("# Pool\n\n## Facts\n- **Pool size**: {value} [project]\n")))
    });
    let found = contradictions(&[("pool", &claims[0]), ("pool", &claims[1])]);
    match (relation(one, other), found.len()) {
        (Relation::Same, 0) => Some(true),
        (Relation::Rivals, 1) => Some(false),
        _ => None,
    }
}

fn in_dreams(one: &str, other: &str) -> Option<bool> {
    let [one, other] = [one, other].map(|value| {
        let tokens = tokens(&format!("The pool has {value}."));
        tokens.into_iter().map(|token| (token.sort, token.key)).collect::<Vec<_>>()
    });
    (!one.is_empty() && !other.is_empty()).then_some(one == other)
}

fn in_grounding(one: &str, other: &str) -> Option<bool> {
    let is_said = |source: &str, fact: &str| {
        Grounds::of([format!("The size of the pool: {source}.").as_str()]).support(Some("Pool size"), fact)
    };
    let [forth, back] = [is_said(one, other), is_said(other, one)];
    (forth == back).then_some(forth)
}

#[test]
fn amounts_are_the_same_to_all_who_read_them() {
    let (mut counts, mut wrong) = ([0; 2], Vec::new());
    for line in PAIRS.lines().filter(|line| !line.starts_with('#')) {
        let [kind, one, other] = line.split(" ~ ").collect::<Vec<_>>().try_into().unwrap();
        let is_same = kind.starts_with("same");
        assert!(is_same || kind.starts_with("other"), "{line}");
        let readers: [(&str, AmountComparison); 3] =
            [("dreams", in_dreams), ("grounding", in_grounding), ("lint", in_lint)];
        let asked = if kind.ends_with(" date") { &readers[..2] } else { &readers[..] };
        for (name, reader) in asked {
            if reader(one, other) != Some(is_same) {
                wrong.push(format!("{name}: {line}"));
            }
        }
        counts[usize::from(is_same)] += 1;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(counts[0] >= 15 && counts[1] >= 30, "{counts:?}");
}
