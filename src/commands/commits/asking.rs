//! Ask a model what the text of a commit states. Only its message and the paths of its files are sent.

use super::HostCommit;
use brv_engine::agents::model::fence::fenced;
use brv_engine::agents::model::{self, Model, Purpose, Request, Shape};
use brv_engine::open::models::{plain_line, start_of};
use brv_text::commits::{self, CommitFact, Lesson, Reading, Reason};
use brv_text::doc::Category;
use serde::Deserialize;
use serde_json::{Value, json};

/// A body with fewer words is not sent.
const WORDS: usize = 10;

/// The most characters of a body, and the most paths, that are sent.
const BODY: usize = 10_000;
const PATHS: usize = 60;

/// The most facts of one commit.
const FACTS: usize = 5;

/// Whether a model may find something in the text of a commit: where the rules took something from it, or found nothing.
pub fn may_state(commit: &HostCommit, reading: &Reading) -> bool {
    let has_text = match reading {
        Reading::Lesson(lesson) => lesson.notes.iter().any(|note| note.is_prose),
        Reading::Declined(why) => matches!(why, Reason::NoText | Reason::NoReason { .. }),
    };
    has_text && commits::text_of(&commit.body).split_whitespace().count() >= WORDS
}

/// What the model finds; `None` if that is nothing.
///
/// # Errors
/// Why there is no answer.
pub fn lesson(model: &mut Model, commit: &HostCommit) -> Result<Option<Lesson>, model::Error> {
    let paths = commit.files.iter().map(|file| format!("{} {}\n", file.status, file.path)).take(PATHS);
    let message = format!("{}\n\n{}", commit.subject, start_of(&commit.body, BODY).trim_end());
    let text = fenced("The commit:", &format!("{message}\n\n{}", paths.collect::<String>()));
    let words = Category::ALL.map(Category::as_str);
    let fact = json!({
        "type": "object",
        "properties": {
            "subject": {"type": "string"},
            "statement": {"type": "string"},
            "category": {"type": "string", "enum": words},
        },
        "required": ["subject", "statement", "category"],
        "additionalProperties": false,
    });
    let schema = json!({
        "type": "object",
        "properties": {"facts": {"type": "array", "items": fact}},
        "required": ["facts"],
        "additionalProperties": false,
    });
    let shape = Shape { name: "facts", schema };
    let request = Request::new(Purpose::Curate, include_str!("commit.md"), text, shape);
    let facts = model.ask_for(request, |answer| facts(answer, &message))?;
    Ok((!facts.is_empty()).then(|| Lesson::of_facts(&commit.subject, facts)))
}

/// The facts that were answered.
///
/// # Errors
/// What is wrong with them, for the model.
fn facts(answer: Value, message: &str) -> Result<Vec<CommitFact>, String> {
    #[derive(Deserialize)]
    struct LessonAnswer {
        facts: Vec<LessonFact>,
    }
    #[derive(Deserialize)]
    struct LessonFact {
        subject: String,
        statement: String,
        #[serde(default)]
        category: String,
    }
    let LessonAnswer { facts } = serde_json::from_value(answer).map_err(|error| error.to_string())?;
    if facts.len() > FACTS {
        return Err(format!("`facts` has {} items, and may have {FACTS}", facts.len()));
    }
    let stated = |fact: LessonFact| {
        Ok(CommitFact {
            subject: Some(plain_line("subject", &fact.subject, message)?),
            statement: plain_line("statement", &fact.statement, message)?,
            category: Category::from_word(&fact.category),
            settles: false,
        })
    };
    facts.into_iter().map(stated).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_checked_against_the_message() {
        let of = |statement: &str| {
            let fact = json!({"subject": "retries", "statement": statement, "category": "Convention"});
            facts(json!({"facts": [fact]}), "Retry 3 times")
        };
        let fact = of("a call is tried 3 times").unwrap().remove(0);
        assert_eq!((fact.category, fact.settles), (Some(Category::Convention), false));
        assert!(of("a call is tried 5 times").unwrap_err().contains("the number 5"));
        assert!(of("one\ntwo").is_err());
        assert_eq!(facts(json!({"facts": []}), "").unwrap(), []);
        let many = vec![json!({"subject": "a", "statement": "b"}); FACTS + 1];
        assert!(facts(json!({"facts": many}), "").is_err());
    }
}
