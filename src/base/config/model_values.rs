//! What the values of `model.*` mean: the interface, the address, the words of a program.

/// The interface of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Api {
    /// Chat completions, as OpenAI began them and most servers have them.
    #[default]
    OpenAi,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Anthropic,
    /// A program of the user's: the prompt on its input, the answer on its output.
    Command,
}

impl Api {
    pub const fn word(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
            Self::Command => "command",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::OpenAi, Self::Responses, Self::Anthropic, Self::Command];
        all.into_iter().find(|api| api.word() == text.trim())
    }
}

/// The words of a program, from a JSON list.
pub(super) fn words(text: &str) -> Option<Vec<String>> {
    let words: Vec<String> = serde_json::from_str(text).ok()?;
    (words.first().is_some_and(|word| !word.is_empty()) && !words.iter().any(|word| word.contains('\0')))
        .then_some(words)
}

pub(super) fn tokens(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

pub(super) fn is_variable(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= 200 && !text.contains(char::is_control)
}

pub(super) fn params(text: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
    serde_json::from_str(text).ok()
}

/// The address that the path of the interface is appended to: without a slash at its end, and with `/v1` if nothing is
/// after the host.
pub(super) fn base(text: &str) -> Option<String> {
    let (origin, path) = address(text)?;
    Some(format!("{origin}{}", if path.is_empty() { "/v1" } else { path }))
}

/// The address of a search engine, without a slash at its end.
pub(super) fn engine(text: &str) -> Option<String> {
    address(text).map(|(origin, path)| format!("{origin}{path}"))
}

/// Whether what stands after a host's colon, if there is one, is a port.
fn is_port(host: &str) -> bool {
    let after = host.rsplit_once(']').map_or(host, |(_, after)| after);
    after.split_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_ok())
}

/// The scheme and host of an address, and its path without a slash at its end. Plain http is only for this machine; an
/// address has no user, query or fragment.
fn address(text: &str) -> Option<(String, &str)> {
    let text = text.trim();
    let (scheme, rest) = text.split_once("://")?;
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let is_plain = !rest.is_empty()
        && rest.chars().all(|c| c.is_ascii_graphic() && !"@?#\\\"<>".contains(c))
        && !host.starts_with(':')
        && !host.is_empty()
        && is_port(host);
    let is_safe = match scheme.to_ascii_lowercase().as_str() {
        "https" => true,
        "http" => is_here(host),
        _ => false,
    };
    let origin = format!("{}://{host}", scheme.to_ascii_lowercase());
    (is_plain && is_safe).then(|| (origin, path.trim_end_matches('/')))
}

/// Whether a host, with or without its port, is this machine.
pub fn is_here(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let address: Option<std::net::IpAddr> = name.parse().ok();
    name.eq_ignore_ascii_case("localhost") || address.is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_safe_and_has_a_path() {
        for (written, read) in [
            ("https://api.openai.com", Some("https://api.openai.com/v1")),
            ("https://api.openai.com/", Some("https://api.openai.com/v1")),
            ("HTTP://localhost:8080/v1/", Some("http://localhost:8080/v1")),
            ("http://[::1]:80/api", Some("http://[::1]:80/api")),
            ("http://127.0.0.1:1", Some("http://127.0.0.1:1/v1")),
            ("http://example.com/v1", None),
            ("http://localhost.example.com/v1", None),
            ("http://127.0.0.1@example.com/v1", None),
            ("api.openai.com/v1", None),
            ("ftp://localhost", None),
            ("https://", None),
            ("https://host/v1?key=1", None),
            ("https://user:pass@host/v1", None),
        ] {
            assert_eq!(base(written).as_deref(), read, "{written}");
        }
    }
}
