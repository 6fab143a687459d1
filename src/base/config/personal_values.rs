//! What the values of `served.*` and `ui.*` mean.

/// For how long receipts are kept unless the user says less, in days.
pub(super) const MOST_DAYS: u16 = 90;

/// The schemes that run or show something else than an editor, in lower case.
const NO_EDITORS: [&str; 9] =
    ["about", "blob", "data", "file", "http", "https", "javascript", "vbscript", "view-source"];

/// A whole number up to [`MOST_DAYS`].
pub(super) fn days(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|days| *days <= MOST_DAYS)
}

/// `on` or `off`; YAML may have `true` or `false` for it.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text.trim() {
        "on" | "true" => Some(true),
        "off" | "false" => Some(false),
        _ => None,
    }
}

/// A port that can be listened on.
pub(super) fn port(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|port| *port > 0)
}

/// An address of an editor: it names a scheme of its own, and where the path goes.
pub(super) fn editor(text: &str) -> Option<String> {
    let text = text.trim();
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        && !NO_EDITORS.contains(&scheme.to_ascii_lowercase().as_str());
    let is_address =
        rest.contains("{path}") && rest.chars().all(|c| c.is_ascii_graphic() && !"\"'<>`\\".contains(c));
    (is_scheme && is_address).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_is_a_scheme_of_its_own_with_a_place_for_the_path() {
        for good in [
            "vscode://file/{path}:{line}",
            " zed://file{path} ",
            "x-my.ed+1:{path}",
            "idea://open?file={path}",
        ] {
            assert_eq!(editor(good).as_deref(), Some(good.trim()), "{good}");
        }
        for bad in [
            "",
            "{path}",
            "vscode://file/",
            "javascript:open('{path}')",
            "JavaScript:{path}",
            "data:text/html,{path}",
            "file://{path}",
            "http://x/{path}",
            "HTTPS://x/{path}",
            " javascript:{path}",
            "java\tscript:{path}",
            "1vscode://{path}",
            ":{path}",
            "vscode://file/{path}\"onclick",
            "vscode://file/{path} x",
        ] {
            assert_eq!(editor(bad), None, "{bad}");
        }
    }

    #[test]
    fn days_ports_and_switches_have_bounds() {
        assert_eq!(["0", " 90 ", "91", "-1", "x"].map(days), [Some(0), Some(90), None, None, None]);
        assert_eq!(["1", "65535", "0", "65536"].map(port), [Some(1), Some(65535), None, None]);
        assert_eq!(["on", "off", "false", "yes"].map(switch), [Some(true), Some(false), Some(false), None]);
    }
}
