//! The topics of `brv help`: what concerns more than one command. Each is a markdown file in `topics/`.
//!
//! Knows their names and files; how a terminal shows them is in `super::plain`.

use super::plain::plain;
use std::fmt::Write as _;

/// A page of `brv help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topic {
    name: &'static str,
    /// `# Title`, a line that says what the page is about, and the rest. The list of topics has no file.
    page: Option<&'static str>,
}

/// The topic of a file in `topics/`.
macro_rules! topic {
    ($name:literal) => {
        Topic { name: $name, page: Some(include_str!(concat!("topics/", $name, ".md"))) }
    };
}

impl Topic {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 31] = [
        topic!("start"),
        topic!("commands"),
        topic!("formats"),
        topic!("syncing"),
        topic!("remotes"),
        topic!("host"),
        topic!("merging"),
        topic!("derived"),
        topic!("archiving"),
        topic!("adopting"),
        topic!("safety"),
        topic!("security"),
        topic!("agents"),
        topic!("curating"),
        topic!("commits"),
        topic!("searching"),
        topic!("organisation"),
        topic!("briefing"),
        topic!("page"),
        topic!("models"),
        topic!("dreaming"),
        topic!("reviewing"),
        topic!("check"),
        topic!("freshness"),
        topic!("json"),
        topic!("exit-codes"),
        topic!("environment"),
        topic!("troubleshooting"),
        topic!("limits"),
        topic!("versions"),
        Self { name: "topics", page: None },
    ];

    pub const fn name(self) -> &'static str {
        self.name
    }

    /// What it is about, in one line without a full stop.
    pub fn about(self) -> &'static str {
        let line = self.page.and_then(|page| page.lines().nth(2));
        line.map_or("This list", |line| line.trim_end_matches('.'))
    }

    /// The whole text, as a terminal shows it.
    pub fn text(self) -> String {
        self.page.map_or_else(list, plain)
    }
}

fn list() -> String {
    let mut text = String::from("Topics\n\n");
    for topic in Topic::ALL {
        writeln!(text, "  brv help {:<15} {}", topic.name(), topic.about()).expect("memory takes all text");
    }
    text.push_str("\n`brv help COMMAND` shows the help of a command.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::help::variables::VARIABLES;
    use crate::say::Exit;

    #[test]
    fn topics_fit_a_terminal_and_begin_with_their_name() {
        for topic in Topic::ALL {
            let text = topic.text();
            let words = topic.name().replace('-', " ");
            assert!(text.to_lowercase().starts_with(&words), "{text}");
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
            for line in text.lines() {
                assert!(line.chars().count() <= 80 && line == line.trim_end(), "{line}");
            }
        }
    }

    #[test]
    fn topics_show_no_markup_but_backquotes() {
        for topic in Topic::ALL {
            let text = topic.text();
            for markup in ["```", "](", "|---", "\n#"] {
                assert!(!text.contains(markup), "{markup} in {}", topic.name());
            }
        }
    }

    #[test]
    fn every_code_and_variable_is_told() {
        let told = |name: &str| Topic::ALL.into_iter().find(|topic| topic.name() == name).unwrap().text();
        let codes = told("exit-codes");
        for exit in Exit::ALL {
            assert!(codes.contains(exit.word()) && codes.contains(exit.meaning()), "{exit:?}");
        }
        let variables = told("environment");
        assert!(VARIABLES.iter().flat_map(|row| row.names).all(|name| variables.contains(name)));
    }
}
