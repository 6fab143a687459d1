//! A fact as an answer.

use brv_text::doc::{self, Document, item};

/// What an entry says about one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Without a mark or prefix such as `rule:`.
    pub subject: Option<String>,
    pub statement: String,
    pub category: Option<String>,
    /// The line of the fact in the file, counted from 1.
    pub line: usize,
}

impl Claim {
    /// As it is shown: `subject: statement [category]`.
    pub fn text(&self) -> String {
        let mut text = self.subject.as_ref().map_or_else(String::new, |subject| format!("{subject}: "));
        text.push_str(&self.statement);
        if let Some(category) = &self.category {
            text.push_str(&format!(" [{category}]"));
        }
        text
    }
}

/// The fact on a line of an entry, with all other claims about its subject if that is disputed: the fact itself first.
/// Empty if there is no fact on that line.
pub fn said(document: &Document, line: usize) -> Vec<Claim> {
    let facts: Vec<Claim> = document
        .facts()
        .iter()
        .map(|fact| Claim {
            subject: fact.subject.as_deref().map(|subject| item::stated(subject).text.to_owned()),
            statement: fact.statement.clone(),
            category: fact.category.map(|category| category.as_str().to_owned()),
            line: document.line_of_body(fact.span.start),
        })
        .collect();
    let Some(at) = facts.iter().position(|fact| fact.line == line) else { return Vec::new() };
    let asked = facts[at].clone();
    let Some(subject) = asked.subject.as_deref().map(doc::normal) else { return vec![asked] };
    let is_disputed = doc::disputes(document).iter().any(|dispute| doc::normal(&dispute.subject) == subject);
    let mut said = vec![asked];
    if is_disputed {
        let about = |claim: &Claim| claim.subject.as_deref().map(doc::normal).as_deref() == Some(&subject);
        for claim in facts.into_iter().filter(about) {
            let is_new = said
                .iter()
                .all(|known| (&known.statement, &known.category) != (&claim.statement, &claim.category));
            said.extend(is_new.then_some(claim));
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "---\ntitle: Tokens\ndisputed: [lifetime]\n---\n# Tokens\n\n## Facts\n- **lifetime**: a day [convention]\n\
        - **lifetime**: an hour\n- **issuer**: the gateway\n- Signed.\n- **rule: key**: RS256\n";

    fn texts(line: usize) -> Vec<String> {
        said(&Document::parse(ENTRY), line).iter().map(Claim::text).collect()
    }

    #[test]
    fn a_disputed_fact_comes_with_every_claim() {
        assert_eq!(texts(9), ["lifetime: an hour", "lifetime: a day [convention]"]);
        assert_eq!(texts(10), ["issuer: the gateway"]);
        assert_eq!(texts(11), ["Signed."]);
        assert_eq!(texts(12), ["key: RS256"]);
        assert!(texts(6).is_empty());
    }
}
