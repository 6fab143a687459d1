//! Requests and answers of HTTP: how much is taken, and how long it may take.

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited, combinators::BoxBody};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};
use std::convert::Infallible;
use std::time::Duration;

/// How long a client may take to send a request, its head and its body each.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// An answer with this body.
pub fn answer(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> HttpResponse {
    let mut answer = Response::new(Full::new(body.into()).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// One line of text.
pub fn plain(status: StatusCode, text: &str) -> HttpResponse {
    answer(status, "text/plain; charset=utf-8", format!("{text}\n"))
}

/// The body of a request of at most so many bytes.
///
/// # Errors
/// The refusal of one that is too long, takes too long or is cut off.
pub async fn whole(body: Incoming, most: usize) -> Result<Bytes, HttpResponse> {
    match tokio::time::timeout(PATIENCE, Limited::new(body, most).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let said = format!("a request may have at most {} MB", most >> 20);
            Err(plain(StatusCode::PAYLOAD_TOO_LARGE, &said))
        }
        Ok(Err(_)) => Err(plain(StatusCode::BAD_REQUEST, "the request is cut off")),
        Err(_) => {
            let mut late = plain(StatusCode::REQUEST_TIMEOUT, "the rest of the request did not come");
            late.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            Err(late)
        }
    }
}
