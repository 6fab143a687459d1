//! The form in which a client of the protocol wants its answer.

use crate::serve::exchange::{HttpResponse, plain};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Response, StatusCode};

/// The largest body of a request, in bytes.
pub const LARGEST: usize = 11 * 1024 * 1024;

pub const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// How a client wants its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseForm {
    /// As the protocol sends it: as events, or a refusal.
    Unchanged,
    /// As one document, since the client named no events.
    Json,
}

impl ResponseForm {
    /// `*/*` and `application/json` alone are JSON, and so is no word at all.
    pub fn accepted(headers: &HeaderMap) -> Self {
        let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let ranges: Vec<&str> = values.flat_map(|value| value.split(',')).collect();
        let is_refused = |range: &str| {
            let quality = range.split(';').skip(1).find_map(|one| one.trim().strip_prefix("q="));
            quality.is_some_and(|quality| quality.parse() == Ok(0.0))
        };
        let takes = |kinds: &[&str]| {
            ranges.iter().filter(|range| !is_refused(range)).any(|range| {
                let kind = range.split(';').next().unwrap_or_default().trim();
                kinds.iter().any(|known| kind.eq_ignore_ascii_case(known))
            })
        };
        let takes_json = ranges.is_empty() || takes(&[JSON, "application/*", "*/*"]);
        if takes_json && !takes(&[EVENTS]) { Self::Json } else { Self::Unchanged }
    }
}

/// An answer of events as its last message, which is the answer to the request; any other answer as it is.
pub async fn last_event(answer: HttpResponse) -> HttpResponse {
    let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with(EVENTS)) {
        return answer;
    }
    let (mut head, body) = answer.into_parts();
    let Ok(body) = body.collect().await;
    let events = String::from_utf8_lossy(&body.to_bytes()).into_owned();
    let mut data = events.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let Some(message) = data.rfind(|data| !data.is_empty()) else {
        return plain(StatusCode::INTERNAL_SERVER_ERROR, "there is no answer");
    };
    head.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    Response::from_parts(head, Full::new(Bytes::from(message.to_owned())).boxed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_names_no_events_gets_json() {
        let form = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::ACCEPT, HeaderValue::from_static(value));
            }
            ResponseForm::accepted(&headers)
        };
        for json in [&["*/*"][..], &[], &[JSON], &["application/json;q=0.9, text/plain, */*;q=0.1"]] {
            assert_eq!(form(json), ResponseForm::Json, "{json:?}");
        }
        for json in [&["application/*"][..], &["text/event-stream;q=0, */*"], &["text/html", "*/*; q=0.5"]] {
            assert_eq!(form(json), ResponseForm::Json, "{json:?}");
        }
        for unchanged in [&["application/json, text/event-stream"][..], &[EVENTS], &["text/html"]] {
            assert_eq!(form(unchanged), ResponseForm::Unchanged, "{unchanged:?}");
        }
        for unchanged in [&["*/*, Text/Event-Stream"][..], &["*/*;q=0"], &[JSON, EVENTS]] {
            assert_eq!(form(unchanged), ResponseForm::Unchanged, "{unchanged:?}");
        }
    }
}
