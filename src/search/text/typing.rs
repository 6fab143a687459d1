//! The words from which a word may have come by one typing error.
//!
//! Errors are those of optimal string alignment: a letter too many, missing or wrong, or two neighbours swapped. They are
//! made on the word as typed, not on its stem: `deploymets` is one letter from `deployments`, whose stem is `deploy`.
//! The first letter must be right.

/// Words with more letters have too many neighbours, and are mostly no words.
const LONGEST: usize = 24;

/// All words one error away from a word in lower case, in no order, and most of them no words at all.
pub fn neighbours(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let mut found = Vec::new();
    if letters.len() > LONGEST {
        return found;
    }
    let alphabet = alphabet(&letters);
    let mut add = |from: &[char], new: Option<char>, to: &[char]| {
        found.push(from.iter().chain(&new).chain(to).collect::<String>());
    };
    for at in 1..=letters.len() {
        let (from, to) = letters.split_at(at);
        for &new in &alphabet {
            add(from, Some(new), to);
            if let [own, rest @ ..] = to
                && *own != new
            {
                add(from, Some(new), rest);
            }
        }
        if let [own, rest @ ..] = to {
            add(from, None, rest);
            if let [next, rest @ ..] = rest
                && own != next
            {
                let swapped: Vec<char> = [*next, *own].into_iter().chain(rest.iter().copied()).collect();
                add(from, None, &swapped);
            }
        }
    }
    found
}

/// The letters that may be missing or right: those of the word's script, as far as it is known, and its own.
fn alphabet(letters: &[char]) -> Vec<char> {
    let mut alphabet: Vec<char> = letters.to_vec();
    if letters.iter().any(char::is_ascii) {
        alphabet.extend('a'..='z');
    }
    if letters.iter().any(|c| matches!(c, 'а'..='я')) {
        alphabet.extend('а'..='я');
    }
    alphabet.sort_unstable();
    alphabet.dedup();
    alphabet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_error_is_undone() {
        for (typed, meant) in [
            ("deploymets", "deployments"),
            ("deploymennts", "deployments"),
            ("deplyoments", "deployments"),
            ("deploiments", "deployments"),
            ("настройкп", "настройка"),
            ("größ", "größe"),
        ] {
            assert!(neighbours(typed).contains(&meant.to_owned()), "{typed}");
        }
        assert!(!neighbours("eployments").contains(&"deployments".to_owned()));
        assert!(neighbours(&"x".repeat(30)).is_empty());
    }
}
