//! What is doubtful in a rewrite: what no ground says, and what the grounds say otherwise.

use super::super::tokens::{Sort, Token};
use super::changes::changed;
use super::grounds::{Grounds, is_claim, is_english};
use super::numbered::reordered;
use super::pieces::{RewritePieceKind, pieces};
use super::saying::Saying;
use super::statements::DocumentStatements;
use crate::doc::Document;
use crate::words::is_function_word;
use crate::words::stems::Stems;
use brv_base::english::spelled_number;

/// What is doubtful about a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubtful {
    /// No ground has it.
    Unsupported,
    /// A ground says otherwise.
    Changed,
}

/// What is doubtful in a rewrite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    pub kind: Doubtful,
    /// The number, name or code, or the sentence.
    pub text: String,
}

/// A text is compared with its grounds up to so many pairs of statements: some seconds of work.
const MOST_PAIRS: usize = 250_000;

/// What is doubtful in a rewrite of these entries, or of what they say, with these other texts to stand on: the code that they
/// cite, and quotes. Each once, in the order of the rewrite.
pub fn doubts(written: &Document, entries: &[&Document], texts: &[&str]) -> Vec<Doubt> {
    let mut stems = Stems::default();
    let grounds = Grounds::of(entries, texts, &mut stems);
    let told = DocumentStatements::of(written, pieces(written), &mut stems);
    let is_english = is_english(written.body());
    let is_long = told.sayings.len() * grounds.sayings().count() > MOST_PAIRS;
    let mut doubts: Vec<Doubt> = Vec::new();
    if is_long {
        let text = "too long to be compared".to_owned();
        doubts.push(Doubt { kind: Doubtful::Changed, text });
    }
    for one in told.sayings.iter().filter(|one| !grounds.sayings().any(|other| one.stands_as(other))) {
        let absent = lacking(one, &grounds, is_english);
        let is_prose =
            one.is_statement() && one.piece.kind != RewritePieceKind::Code && absent.is_empty() && !is_long;
        let changed = is_prose.then(|| changed(one, &grounds, is_english)).flatten();
        let changed = changed.map(|text| Doubt { kind: Doubtful::Changed, text: text.to_owned() });
        let absent = absent.into_iter();
        let absent = absent.map(|token| Doubt { kind: Doubtful::Unsupported, text: token.text.clone() });
        for doubt in absent.chain(changed) {
            if !doubts.contains(&doubt) {
                doubts.push(doubt);
            }
        }
    }
    let turned = reordered(written, entries).into_iter();
    doubts.extend(turned.map(|text| Doubt { kind: Doubtful::Changed, text }));
    doubts
}

/// The tokens of a statement that no ground has.
fn lacking<'o>(one: &'o Saying, grounds: &Grounds, is_english: bool) -> Vec<&'o Token> {
    let is_name_only = !one.is_statement();
    if one.piece.kind == RewritePieceKind::Code && grounds.has_lines(&one.piece.text) {
        return Vec::new();
    }
    let is_left_out =
        |token: &Token| is_name_only && token.sort == Sort::Name || is_count(token, &one.piece.text);
    let counts = |token: &&Token| !is_left_out(token);
    one.tokens
        .iter()
        .filter(counts)
        .filter(|token| is_claim(token, is_english) && !grounds.has(token))
        .collect()
}

/// Whether a number only counts what the text lists or has named: `three ways`, `All three`, `the two`.
fn is_count(token: &Token, text: &str) -> bool {
    /// What so many are is seldom counted for its own sake.
    const FEW: u32 = 10;
    const NAMED: [&str; 4] = ["all", "the", "these", "those"];
    if spelled_number(&token.text.to_lowercase()).is_none_or(|number| number > FEW) {
        return false;
    }
    let mut words = text.split_whitespace();
    let mut before = "";
    while let Some(word) = words.next() {
        if word.trim_matches(|c: char| !c.is_alphanumeric()) == token.text {
            let next = words.next().unwrap_or_default().trim_end_matches([':', ',', '.', ';']);
            let is_noun =
                next.ends_with('s') && next.chars().all(char::is_alphabetic) && !is_function_word(next);
            return is_noun || before.is_empty() || NAMED.contains(&before.to_lowercase().as_str());
        }
        before = word;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "---\ntitle: Limits\n---\n\nThe queue of the Gateway holds 500 jobs, and `max_jobs` sets that. A worker never retries a job that was cancelled by hand. Run `brv jobs -c 3` to cancel three. The timeout is `300e3`, in milliseconds.\n\n- `soft_limit` defaults to `200`, and works only if `strict` is `false`\n- Payments go to Kafka since v2.4.1\n";

    fn found(written: &str) -> Vec<String> {
        let entry = Document::parse(ENTRY);
        let texts = ["let burst = 900; // since 2026-03-04", "queue: raise the limit to 650"];
        doubts(&Document::parse(written), &[&entry], &texts).into_iter().map(|doubt| doubt.text).collect()
    }

    #[test]
    fn other_words_are_not_doubted() {
        for written in [
            ENTRY,
            "# Queue and Limits\n\nUp to 500 jobs are held by the queue of the gateway; that is what `max_jobs` is for.\n",
            "A job which somebody cancelled by hand is never retried by a worker.\n",
            "Two limits are known. All three settings matter.\n",
            "Since version 2.4.1 it is Kafka to which the payments go.\n",
            "With `brv jobs -c 3` you cancel three of them, and with `-c` any number.\n",
            "The limit of the queue is 650 since March 2026, with a burst of 900.\n",
            "`strict` must be `false` for `soft_limit` to work; its default is `200`.\n",
        ] {
            assert_eq!(found(written), [""; 0], "{written}");
        }
    }

    #[test]
    fn what_no_ground_says_is_doubted() {
        for (written, doubt) in [
            ("The queue holds 5,000 jobs.", "5,000"),
            ("It is kept for five days.", "five days"),
            ("Payments go to RabbitMQ.", "RabbitMQ"),
            ("Payments go to the team of Zanzibar, and to Kafka.", "Zanzibar"),
            ("Payments go to Kafka since v2.5.1.", "v2.5.1"),
            ("Run `brv jobs -C 3`.", "`brv jobs -C 3`"),
            ("Run `brv jobs --cancel`.", "`brv jobs --cancel`"),
            ("See src/queue/limit.rs for it.", "src/queue/limit.rs"),
            ("Set `max_job` for that.", "`max_job`"),
        ] {
            assert_eq!(found(written), [doubt], "{written}");
        }
    }

    #[test]
    fn what_a_ground_says_otherwise_is_doubted() {
        for written in [
            "A worker retries a job that was cancelled by hand.",
            "The queue of the gateway never holds jobs.",
            "- `soft_limit` defaults to `200`, and works only if `strict` is `true`",
            "The default of `soft_limit` is `300e3`.",
            "- `strict` defaults to `200`, and works only if `soft_limit` is `false`",
        ] {
            assert_eq!(found(written).len(), 1, "{written}");
        }
    }

    const CACHE: &str = "---\ntitle: Cache\n---\n\nThe cache is written in Rust and its logs go to Cloud Watch. Not only is a lookup slow without an index, it blocks. Disabling the `std` feature lets the crate work in bare environments; it is enabled by default. At least 10 runs are made with `-r`/`--runs`. Few are made with `-m`/`--most`. Symbolic links aren't followed. Enable `hardware-lock` for faster reads. See [the FAQ][faq].\n\nThe cache **is not**\n\n- a durable store of records. Records are lost with the process.\n";

    fn found_in_cache(written: &str) -> Vec<String> {
        let entry = Document::parse(CACHE);
        doubts(&Document::parse(written), &[&entry], &[]).into_iter().map(|doubt| doubt.text).collect()
    }

    #[test]
    fn the_same_in_another_form_is_not_doubted() {
        for written in [
            "The Rust-based cache sends its logs to CloudWatch.",
            "A lookup is slow if there is no index.",
            "With it disabled, the crate works in bare environments.",
            "With `--runs` it is run at least ten times.",
            "A file is behind a symbolic link.",
            "As the [FAQ][faq] says, reads are slow. The two are used together.",
            "The cache is not:\n\n- a durable store of records",
        ] {
            assert_eq!(found_in_cache(written), [""; 0], "{written}");
        }
    }

    #[test]
    fn another_thing_in_nearly_the_same_form_is_doubted() {
        for written in [
            "The Kotlin-based cache is fast.",
            "The logs go to CloudWarden.",
            "A symbolic link is followed, and so are all symbolic links.",
            "Enable `lock-reads` for more.",
            "Enable `ware-lock` for faster reads.",
            "Set `-m`/`--runs` for 10 runs.",
            "Enable `hardware-lock` for slower reads.",
            "Few runs are made with `-r`/`--runs`. At most 10 runs are made with `-r`/`--runs`.",
            "Disable `hardware-lock` for faster reads.",
            "The cache is:\n\n- a durable store of records",
        ] {
            assert_eq!(found_in_cache(written).len(), 1, "{written}");
        }
    }

    #[test]
    fn steps_in_another_order_are_doubted() {
        let entry = Document::parse("1. Stop the queue.\n2. Copy the jobs.\n");
        let written = Document::parse("1. Copy the jobs.\n2. Stop the queue.\n");
        let found = doubts(&written, &[&entry], &[]);
        let text = "copy the jobs".to_owned();
        assert_eq!(found, [Doubt { kind: Doubtful::Changed, text }]);
    }

    #[test]
    fn a_capital_makes_a_name_only_in_english() {
        let german = "---\ntitle: Grenzen\n---\n\nDie Warteschlange hält 500 Aufträge, und kein Dienst wiederholt sie nachts.\n";
        let entry = Document::parse(german);
        let found = |written: &str| doubts(&Document::parse(written), &[&entry], &[]);
        assert_eq!(
            found("Nachts wiederholt kein Dienst die Aufträge; in der Schlange ist Platz für 500 Stück.\n"),
            []
        );
        assert_eq!(found("Die Warteschlange hält 600 Aufträge.\n").len(), 1);
        assert_eq!(found("Die Dienste wiederholen Aufträge über MQTT.\n").len(), 1);
    }
}
