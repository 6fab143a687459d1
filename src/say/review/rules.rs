//! What each rule is about in a sentence or two, for those who meet it in a report.

use brv_text::lint::Rule;

/// What is wrong, and what to do about it.
pub const fn help(rule: Rule) -> &'static str {
    match rule {
        Rule::ConflictMarker => {
            "The entry has the markers of an unfinished merge. Resolve it with `brv vc resolve`, or decide by hand and remove the markers."
        }
        Rule::DerivedFile => {
            "The file is generated from the entries on each machine. Remove it from the history; brv regenerates it."
        }
        Rule::Frontmatter => {
            "The block between `---` at the top is not valid YAML, or sets a key twice. Readers then ignore it or guess."
        }
        Rule::BrokenLink => {
            "The entry links to an entry that does not exist. Correct the path, or remove the link."
        }
        Rule::Contradiction => {
            "Two statements about one subject contradict each other. Decide which holds, and remove the other."
        }
        Rule::Secret => {
            "The text has a credential. Replace it at its issuer: removing it in a later commit leaves it in the history."
        }
        Rule::Instruction => {
            "The text reads like an instruction to an agent, which may obey it. State what is true instead of what to do, or quote it as an example."
        }
        Rule::Hidden => {
            "The text has a character that a reader cannot see, or that reorders what is shown. Agents read it all the same. Remove it."
        }
        Rule::MassDeletion => {
            "The change deletes or empties a large part of the entries. Check that this is meant, and not a wrong folder or a bad merge."
        }
        Rule::Pinned => {
            "The team pinned this entry, so that it changes only on purpose. Check that the change is meant."
        }
        Rule::Duplicate => {
            "Most of one of two entries is also in the other, and the two will drift apart. Merge them, or link one to the other."
        }
        Rule::StaleSource => {
            "The entry cites a file of the code that no longer exists. Check whether it still holds, and correct the path."
        }
        Rule::Path => {
            "Some file systems cannot hold a file with this path, or confuse it with another one. Rename it."
        }
        Rule::Oversize => {
            "The entry is too large to be read by an agent or compared by meaning. Split it by topic."
        }
        Rule::StaleFact => {
            "An entry names something here that the code changed or removed. Correct the entry, or record with `brv stale confirm` that it still holds."
        }
        Rule::Policy => {
            "`brv.yaml` cannot be read, or has an unknown key. What is not understood is not applied."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_help_of_its_own_that_ends_as_a_sentence() {
        let mut all: Vec<&str> = Rule::ALL.into_iter().map(help).collect();
        assert!(all.iter().all(|help| help.ends_with('.') && help.len() > 40));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), Rule::ALL.len());
    }
}
