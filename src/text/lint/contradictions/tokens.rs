//! Split a statement into words, numbers and punctuation, evened out in spelling: `UUIDv7` and `UUID v7`, `sha-256` and
//! `SHA256`, `requests/min` and `requests per min` become the same.

use brv_base::english::{Dimension, plain_number, unit};

/// The words, numbers and breaks of a statement, in order; a break is an empty token.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for written in text.split_whitespace() {
        let start = written
            .trim_start_matches(['(', '[', '"', '\'', '`', '*', '“', '‘', '~', '≤', '≥', '<', '>', '=', '±']);
        let word = start
            .trim_end_matches([')', ']', '"', '\'', '`', '*', '”', '’', ',', ';', ':', '.', '!', '?', '…']);
        let is_path =
            word.starts_with(['/', '.', '$', '-']) || written.starts_with("~/") || word.contains("://");
        let is_opened = written.starts_with('(');
        if matches!(written, "-" | "–" | "—") {
            tokens.push(":".to_owned());
            continue;
        }
        if is_opened {
            tokens.push(String::new());
        }
        match word.strip_prefix('/') {
            Some(unit) if is_time(unit) => tokens.extend(["per".to_owned(), unit.to_owned()]),
            _ if is_path => tokens.push(word.to_owned()),
            _ => split(word, &mut tokens),
        }
        let end = &start[word.len()..];
        if end.contains(':') {
            tokens.push(":".to_owned());
        } else if end.contains([',', ';', '.', '!', '?', ')']) {
            tokens.push(String::new());
        }
    }
    tokens
}

/// Split a written word into its words and numbers: `utf-8`, `uuidv7`, `200ms`, `requests/min`.
fn split(word: &str, tokens: &mut Vec<String>) {
    if let Some(rest) = word.strip_prefix("non-") {
        return tokens.push(format!("non{rest}"));
    }
    if is_grouped(word) {
        return tokens.push(plain_number(word));
    }
    let pieces: Vec<&str> = word.split(['-', '/', '_', '–', '=']).filter(|piece| !piece.is_empty()).collect();
    let slash = word.find('/').map(|at| &word[at + 1..]);
    for piece in pieces {
        let is_rate = slash.is_some_and(|rest| rest.starts_with(piece)) && is_time(piece);
        if is_rate {
            tokens.push("per".to_owned());
        }
        let is_digit = |c: char| c.is_ascii_digit();
        match piece.find(is_digit) {
            // a time of the day, a version, an amount with its unit
            Some(0) => {
                let end = piece
                    .find(|c: char| !is_digit(c) && !matches!(c, '.' | ',' | ':'))
                    .unwrap_or(piece.len());
                let (number, rest) = piece.split_at(end);
                tokens.push(plain_number(number));
                if !rest.is_empty() {
                    tokens.push(rest.to_owned());
                }
            }
            Some(at) if piece[at..].chars().all(|c| is_digit(c) || c == '.') => {
                let name = &piece[..at];
                let name = if name.len() > 2 { name.strip_suffix('v').unwrap_or(name) } else { name };
                if name != "v" {
                    tokens.push(name.to_owned());
                }
                tokens.push(piece[at..].to_owned());
            }
            _ => tokens.push(piece.to_owned()),
        }
    }
}

/// Whether a word is a number whose thousands are set apart: `10_000`.
fn is_grouped(word: &str) -> bool {
    let is_number = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = word.split('_');
    groups.next().is_some_and(|first| is_number(first) && first.len() <= 3)
        && groups.all(|group| is_number(group) && group.len() == 3)
}

pub(super) fn is_time(word: &str) -> bool {
    unit(word).is_some_and(|unit| unit.dimension == Dimension::Time)
}
