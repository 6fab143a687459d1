//! Blocks of code in an entry, and how they are shown.

/// The longest paragraph or code that is shown, in characters.
pub(super) const MOST_PROSE: usize = 600;

/// A text without the first block of code in it, and that code if it is short.
pub(super) fn parted(text: &str) -> (&str, Option<String>) {
    let is_fence = |line: &str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let mut start = 0;
    let mut lines = text.split_inclusive('\n');
    let Some(opening) = lines.by_ref().find(|line| {
        let found = is_fence(line);
        start += if found { 0 } else { line.len() };
        found
    }) else {
        return (text, None);
    };
    let indent = opening.len() - opening.trim_start().len();
    let inner = lines.take_while(|line| !is_fence(line));
    let plain = |line: &str| line.get(indent..).unwrap_or_else(|| line.trim_start()).trim_end().to_owned();
    let code = inner.map(plain).collect::<Vec<_>>().join("\n");
    let is_shown = !code.trim().is_empty() && code.chars().count() <= MOST_PROSE;
    (&text[..start], is_shown.then_some(code))
}

/// Code below an item, between fences that it does not contain.
pub(super) fn fenced(code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    let visible = |line: &str| flat_end(line);
    let lines: String = code.lines().map(|line| format!("  {}\n", visible(line))).collect();
    format!("\n  {fence}\n{lines}  {fence}")
}

/// A line of code without control characters.
pub(super) fn flat_end(line: &str) -> String {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    line.chars().map(visible).collect::<String>().trim_end().to_owned()
}
