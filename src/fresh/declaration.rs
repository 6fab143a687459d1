//! The text of a declaration as far as it is compared: not who may use it, how it is broken into lines, its comment or its
//! lifetimes.

/// The most lines over which the parameters of a declaration are followed.
const MOST_LINES: usize = 24;

/// Words that only say who may use what is declared.
const VISIBILITY: [&str; 9] =
    ["pub", "public", "private", "protected", "internal", "export", "default", "open", "declare"];

/// The declaration of a name that stands in the first of these lines (with blanks collapsed) at this byte.
pub(super) fn declaration(lines: &[String], at: usize, name: &str) -> String {
    let first = uncommented(&lines[0]);
    let parameter =
        first.get(..at).filter(|before| before.matches('(').count() > before.matches(')').count());
    if parameter.is_some() {
        let rest = &first[at..];
        return tight(rest.split([',', ')']).next().unwrap_or(rest));
    }
    let mut whole = first.to_owned();
    for line in lines.iter().skip(1).take(MOST_LINES) {
        if whole.matches('(').count() <= whole.matches(')').count() {
            break;
        }
        whole.push(' ');
        whole.push_str(uncommented(line));
    }
    let plain = without_generics(unqualified(&whole), name);
    tight(&plain)
}

/// A line without a comment at its end.
fn uncommented(line: &str) -> &str {
    line.split_once(" // ").or_else(|| line.split_once(" # ")).map_or(line, |(code, _)| code).trim_end()
}

/// A declaration without the words before it that say who may use it.
fn unqualified(declaration: &str) -> &str {
    let mut rest = declaration;
    loop {
        let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        let bare = word.split_once('(').map_or(word, |(word, _)| word);
        if behind.is_empty() || !VISIBILITY.contains(&bare) || !(bare == word || word.ends_with(')')) {
            return rest;
        }
        rest = behind;
    }
}

/// Without the type parameters of the name itself, and without those that have a lifetime.
fn without_generics(declaration: &str, name: &str) -> String {
    let mut plain = String::with_capacity(declaration.len());
    let mut rest = declaration;
    while let Some(open) = rest.find('<') {
        let Some(length) = closing(&rest[open..]) else { break };
        let group = &rest[open..open + length];
        plain.push_str(&rest[..open]);
        if !plain.ends_with(name) && !group.contains('\'') {
            plain.push_str(group);
        }
        rest = &rest[open + length..];
    }
    plain.push_str(rest);
    plain
}

/// The length of a group in angle brackets; `None` if it is not closed: then `<` compares.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, char) in text.char_indices() {
        match char {
            '<' => depth += 1,
            '>' if before != '-' && before != '=' => depth = depth.checked_sub(1)?,
            ';' | '{' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
        before = char;
    }
    None
}

/// Without blanks, lifetimes of references, and a comma at the end of a list.
fn tight(text: &str) -> String {
    let without_lifetime = |word: &'_ str| match word.rfind("&'") {
        Some(at) if word[at + 2..].chars().all(char::is_alphanumeric) => word[..=at].to_owned(),
        _ => word.to_owned(),
    };
    let tight: String = text.split_whitespace().map(without_lifetime).collect();
    tight.replace(",)", ")").trim_end_matches([',', ';']).to_owned()
}
