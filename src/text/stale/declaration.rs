//! The text of a declaration as far as it is compared: not who may use it, how it is broken into lines, its comment or its
//! lifetimes.

/// The most lines over which the parameters of a declaration are followed.
const MOST_LINES: usize = 24;

/// Words that only say who may use what is declared.
const VISIBILITY: [&str; 9] =
    ["pub", "public", "private", "protected", "internal", "export", "default", "open", "declare"];

/// A declaration in the form in which it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declaration {
    /// Its first line, if it goes on behind that.
    head: Option<String>,
    whole: String,
}

impl Declaration {
    pub fn plain(line: &str) -> Self {
        Self { head: None, whole: line.to_owned() }
    }

    /// Whether both are the same. Of two that go on behind their first lines, these count; one that was only broken into
    /// lines is the same.
    pub fn is(&self, other: &Self) -> bool {
        match (&self.head, &other.head) {
            (Some(one), Some(other)) => one == other,
            _ => self.whole == other.whole,
        }
    }
}

/// The declaration of a name that stands in the first of these lines (with blanks collapsed) at this byte.
pub(super) fn declaration(lines: &[String], at: usize, name: &str) -> Declaration {
    let first = uncommented(&lines[0]);
    let parameter =
        first.get(..at).filter(|before| before.matches('(').count() > before.matches(')').count());
    if parameter.is_some() {
        let rest = &first[at..];
        return Declaration { head: None, whole: tight(rest.split([',', ')']).next().unwrap_or(rest)) };
    }
    let mut whole = first.to_owned();
    for line in lines.iter().skip(1).take(MOST_LINES) {
        if whole.matches('(').count() <= whole.matches(')').count() {
            break;
        }
        whole.push(' ');
        whole.push_str(uncommented(line));
    }
    let compared = |text: &str| tight(&without_versions(&without_generics(unqualified(text), name)));
    let head = (whole.len() > first.len()).then(|| compared(first));
    Declaration { head, whole: compared(&whole) }
}

/// Without the version in the table of a dependency, `{ version = "1.2.3" }`: it is seldom what an entry is about.
fn without_versions(text: &str) -> String {
    const KEY: &str = "version = \"";
    let Some((before, rest)) = text.split_once(KEY).filter(|(before, _)| before.contains('{')) else {
        return text.to_owned();
    };
    rest.split_once('"').map_or_else(|| text.to_owned(), |(_, behind)| format!("{before}{KEY}\"{behind}"))
}

/// A line without a comment at its end.
fn uncommented(line: &str) -> &str {
    let is_outside = |at: &usize| ['"', '`'].iter().all(|quote| line[..*at].matches(*quote).count() % 2 == 0);
    let starts = [" // ", " # "].iter().filter_map(|sign| line.find(sign)).filter(is_outside);
    line[..starts.min().unwrap_or(line.len())].trim_end()
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
