//! What a model decides about a question, read from its JSON.

use crate::query::cut_to;
use serde_json::Value;

/// The most characters of an answer.
const MOST_OF_ANSWER: usize = 20_000;

/// The object that a model ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelVerdict {
    pub answer: Option<String>,
    /// Numbers of pieces that were shown, each once, in the order in which the model cites them.
    pub cited: Vec<usize>,
    pub covered: bool,
}

/// What a verdict is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Worth {
    Answer {
        text: String,
        cited: Vec<usize>,
    },
    /// The stored knowledge does not cover the question.
    NotCovered,
    /// There is an answer, and nothing that was shown is cited for it.
    Uncited,
    /// The pieces do not answer the question.
    Nothing,
}

impl ModelVerdict {
    /// Read the object of a model that was shown this many pieces. Numbers of others are dropped.
    ///
    /// # Errors
    /// What is wrong with it, for the model to read.
    pub fn read(value: &Value, shown: usize) -> Result<Self, String> {
        let fields = value.as_object().ok_or("it is not a JSON object")?;
        let answer = match fields.get("answer") {
            Some(Value::String(text)) => {
                Some(cut_to(text.trim(), MOST_OF_ANSWER)).filter(|text| !text.is_empty())
            }
            Some(Value::Null) => None,
            Some(_) => return Err("`answer` must be a text or null".into()),
            None => return Err("it has no field `answer`".into()),
        };
        let cited = match fields.get("cited") {
            Some(Value::Array(numbers)) => numbers.iter().filter_map(number).collect(),
            Some(Value::Null) | None => Vec::new(),
            Some(one) => vec![number(one).ok_or("`cited` must be a list of numbers")?],
        };
        let covered = match fields.get("covered") {
            Some(Value::Bool(covered)) => *covered,
            Some(Value::Null) | None => true,
            Some(_) => return Err("`covered` must be true or false".into()),
        };
        let mut known: Vec<usize> = Vec::new();
        for number in cited {
            if (1..=shown).contains(&number) && !known.contains(&number) {
                known.push(number);
            }
        }
        Ok(Self { answer, cited: known, covered })
    }

    /// What it is worth. "Not covered" counts, whatever else it says.
    pub fn worth(self) -> Worth {
        match self.answer {
            _ if !self.covered => Worth::NotCovered,
            None => Worth::Nothing,
            Some(_) if self.cited.is_empty() => Worth::Uncited,
            Some(text) => Worth::Answer { text, cited: self.cited },
        }
    }
}

/// A number as models write them: `3`, `"3"`, `"[3]"`, `"Passage 3"`.
fn number(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => {
            let digits = |c: char| !c.is_ascii_digit();
            let text = text.trim_matches(digits);
            text.parse().ok()
        }
        other => usize::try_from(other.as_u64()?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn worth(value: Value) -> Worth {
        ModelVerdict::read(&value, 3).unwrap().worth()
    }

    fn answer(cited: &[usize]) -> Worth {
        Worth::Answer { text: "a".into(), cited: cited.to_vec() }
    }

    #[test]
    fn an_answer_counts_if_it_cites_what_was_shown() {
        for (cited, expected) in [
            (json!([3, 1]), answer(&[3, 1])),
            (json!([0, 2, 4, 2, 99, -1, 1.5]), answer(&[2])),
            (json!(["[2]", "Passage 3", "x"]), answer(&[2, 3])),
            (json!(2), answer(&[2])),
            (json!([4, 0]), Worth::Uncited),
            (json!([]), Worth::Uncited),
            (json!(null), Worth::Uncited),
        ] {
            assert_eq!(
                worth(json!({ "answer": " a\n", "cited": cited, "covered": true })),
                expected,
                "{cited}"
            );
        }
        assert_eq!(worth(json!({ "answer": "a", "cited": [1] })), answer(&[1]));
    }

    #[test]
    fn not_covered_overrides_an_answer_and_no_answer_is_none() {
        assert_eq!(worth(json!({ "answer": "a", "cited": [1], "covered": false })), Worth::NotCovered);
        assert_eq!(worth(json!({ "answer": null, "cited": [1], "covered": true })), Worth::Nothing);
        assert_eq!(worth(json!({ "answer": " ", "cited": [1], "covered": true })), Worth::Nothing);
    }

    #[test]
    fn what_is_no_verdict_is_explained_to_the_model() {
        for (value, why) in [
            (json!([]), "not a JSON object"),
            (json!({ "cited": [1] }), "no field `answer`"),
            (json!({ "answer": 1 }), "`answer` must be"),
            (json!({ "answer": "a", "cited": "x" }), "`cited` must be"),
            (json!({ "answer": "a", "cited": {} }), "`cited` must be"),
            (json!({ "answer": "a", "covered": "no" }), "`covered` must be"),
        ] {
            let found = ModelVerdict::read(&value, 3).unwrap_err();
            assert!(found.contains(why), "{value}: {found}");
        }
    }

    #[test]
    fn a_long_answer_is_cut() {
        let verdict =
            ModelVerdict::read(&json!({ "answer": "word ".repeat(100_000), "cited": [1] }), 1).unwrap();
        assert!(verdict.answer.unwrap().chars().count() <= MOST_OF_ANSWER);
    }
}
