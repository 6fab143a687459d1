//! The strict engine against noida-db, which others made: the same requests get the same answers, so that the fake is not what
//! we imagine. noida-db refuses less; the rows say where.

use super::client::{Answer, ask};
use super::engine::{Engine, Family};
use super::noida::Noida;
use super::questions::{self, Row, SCORES};
use super::refusals;
use crate::env::Env;
use serde_json::{Value, json};
use std::fmt::Write as _;

fn send(url: &str, row: &Row) -> Answer {
    let body = row.body.as_ref().map(|(kind, text)| (*kind, text.as_str()));
    ask(url, row.method, &row.target, body).unwrap()
}

/// The part of an answer at a pointer, without what is of one server only.
fn part(answer: &Answer, pointer: &str) -> Value {
    if pointer == SCORES {
        let hits = answer.body["hits"]["hits"].as_array().into_iter().flatten();
        let mut pairs: Vec<(f64, &Value)> =
            hits.map(|hit| (hit["_score"].as_f64().unwrap_or(-1.0), &hit["_id"])).collect();
        assert!(pairs.is_sorted_by(|left, right| left.0 >= right.0), "the best first: {pairs:?}");
        pairs.sort_by_key(|(_, id)| id.to_string());
        return pairs.into_iter().map(|(score, id)| json!([id, score])).collect();
    }
    let mut part = answer.body.pointer(pointer).cloned().unwrap_or_default();
    if let Some(hits) = part.as_array_mut().filter(|_| pointer == "/hits/hits") {
        for hit in hits {
            *hit = json!([hit["_id"], hit["_source"], hit["sort"]]);
        }
    }
    part
}

/// Whether two values are the same, numbers to a ten thousandth.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            let (left, right) = (left.as_f64().unwrap(), right.as_f64().unwrap());
            (left - right).abs() <= 1e-4 * left.abs().max(1.0)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| is_same(value, other)))
        }
        (left, right) => left == right,
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(300).collect()
}

/// The beginning of a request, for messages.
fn shown(row: &Row) -> String {
    let body = row.body.as_ref().map_or("", |(_, text)| text);
    format!("{} {} {body}", row.method, row.target).chars().take(300).collect()
}

fn error(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.body["error"]["type"].as_str().unwrap_or_default())
}

#[test]
fn what_both_answer_is_the_same() {
    let fake = Engine::start(Family::Elasticsearch);
    let env = Env::new();
    let Some(noida) = Noida::start(&env) else { return };
    let mut faults = String::new();
    for row in questions::writes().iter().chain(&questions::reads()) {
        let (own, other) = (send(&fake.url, row), send(&noida.url, row));
        if own.status != other.status {
            let (own_body, other_body) = (short(&own.body), short(&other.body));
            writeln!(faults, "{}\n  {} {own_body}\n  {} {other_body}", shown(row), own.status, other.status)
                .unwrap();
        }
        for pointer in &row.reads {
            let (own, other) = (part(&own, pointer), part(&other, pointer));
            if !is_same(&own, &other) {
                writeln!(faults, "{}\n  {pointer}\n  {}\n  {}", shown(row), short(&own), short(&other))
                    .unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "the fake, and noida-db:\n{faults}");
}

#[test]
fn what_is_refused_changes_nothing() {
    let engine = Engine::start(Family::Elasticsearch);
    questions::writes().iter().for_each(|row| drop(send(&engine.url, row)));
    let before = engine.documents("brv");
    let mut faults = String::new();
    for (status, kind, row) in refusals::by_both().into_iter().chain(refusals::not_by_noida()) {
        let answer = send(&engine.url, &row);
        if error(&answer) != (status, kind) {
            writeln!(
                faults,
                "{}\n  {status} {kind}\n  {} {}",
                shown(&row),
                answer.status,
                short(&answer.body)
            )
            .unwrap();
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
    assert_eq!((before.len(), before), (questions::DOCUMENTS + 2, engine.documents("brv")));
}

#[test]
fn what_noida_refuses_is_what_the_rows_say() {
    let env = Env::new();
    let Some(noida) = Noida::start(&env) else { return };
    questions::writes().iter().for_each(|row| drop(send(&noida.url, row)));
    let mut faults = String::new();
    // it has an object instead of a sentence
    for (status, kind, row) in refusals::by_both() {
        let answer = send(&noida.url, &row);
        if answer.status != status || (!kind.is_empty() && error(&answer).1 != kind) {
            writeln!(
                faults,
                "{}\n  {status} {kind}\n  {} {}",
                shown(&row),
                answer.status,
                short(&answer.body)
            )
            .unwrap();
        }
    }
    for (.., row) in refusals::not_by_noida() {
        let answer = send(&noida.url, &row);
        if answer.status >= 300 {
            writeln!(faults, "{}\n  refused\n  {} {}", shown(&row), answer.status, short(&answer.body))
                .unwrap();
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}
