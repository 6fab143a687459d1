//! Turns connection errors of the system, of http and of TLS into messages.
//!
//! Does not know the host or the proxy.

use rustls::{CertificateError, Error as Tls};
use std::error::Error;
use std::io::ErrorKind;

/// What to say of the first known error among `error` and its causes.
pub(super) fn known(error: &(dyn Error + 'static)) -> Option<&'static str> {
    std::iter::successors(Some(error), |error| cause(*error)).find_map(one)
}

/// The error wrapped by an error of the system: the standard library does not list it among the causes.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    wrapped.map(|wrapped| wrapped as &(dyn Error + 'static)).or_else(|| error.source())
}

fn one(error: &(dyn Error + 'static)) -> Option<&'static str> {
    if let Some(error) = error.downcast_ref::<Tls>() {
        return Some(tls(error));
    }
    if let Some(error) = error.downcast_ref::<std::io::Error>()
        && let Some(known) = system(error.kind())
    {
        return Some(known);
    }
    // these errors have no public type
    let text = error.to_string();
    let has = |sign: &str| text.contains(sign);
    match () {
        () if has("Temporary failure in name resolution") => {
            Some("cannot resolve the host name (temporary failure)")
        }
        () if has("failed to lookup address information") || has("No such host is known") => {
            Some("cannot resolve the host name")
        }
        () if has("invalid HTTP") || has("message head is too large") => {
            Some("the server does not speak valid http")
        }
        () if has("connection closed before message completed") || has("tls handshake eof") => {
            Some("connection closed unexpectedly")
        }
        // a packet line begins with its length in four hexadecimal digits
        () if has("first four hex bytes") || has("version or service line was expected") => {
            Some("the server does not speak git's protocol")
        }
        () if has("tunnel error: unsuccessful") => Some("the proxy could not connect to it"),
        () => None,
    }
}

const fn system(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::ConnectionRefused => Some("connection refused"),
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => Some("connection closed unexpectedly"),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => Some("network unreachable"),
        _ => None,
    }
}

fn tls(error: &Tls) -> &'static str {
    use rustls::AlertDescription as Alert;
    match error {
        Tls::InvalidCertificate(error) => certificate(error),
        Tls::AlertReceived(Alert::CertificateRequired | Alert::BadCertificate | Alert::UnknownCA) => {
            "it requires a client certificate (set `http.sslCert`)"
        }
        Tls::AlertReceived(_) => "connection closed unexpectedly",
        _ => "the server does not speak https",
    }
}

fn certificate(error: &CertificateError) -> &'static str {
    match error {
        CertificateError::UnknownIssuer => {
            "its certificate is from an unknown issuer (`http.sslCAInfo` names a file of trusted certificates)"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another host name"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "its certificate has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet"
        }
        CertificateError::Revoked => "its certificate has been revoked",
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            "its certificate is a CA certificate, which a server must not use as its own (create one with `CA:FALSE`)"
        }
        _ => "its certificate is invalid",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Error as Io;

    fn named(name: &str) -> CertificateError {
        CertificateError::Other(rustls::OtherError(std::sync::Arc::new(Io::other(name.to_owned()))))
    }

    #[test]
    fn what_is_known_has_a_sentence_of_its_own_wherever_it_hides() {
        let invalid = |error| Io::other(Io::new(ErrorKind::InvalidData, Tls::InvalidCertificate(error)));
        for (error, broken) in [
            (Io::from(ErrorKind::ConnectionRefused), Some("connection refused")),
            (Io::other(Io::from(ErrorKind::ConnectionReset)), Some("connection closed unexpectedly")),
            (Io::other(Io::from(ErrorKind::UnexpectedEof)), Some("connection closed unexpectedly")),
            (Io::from(ErrorKind::BrokenPipe), Some("connection closed unexpectedly")),
            (Io::from(ErrorKind::NetworkUnreachable), Some("network unreachable")),
            (
                Io::other("failed to lookup address information: Name or service not known"),
                Some("cannot resolve the host name"),
            ),
            (
                Io::other("failed to lookup address information: Temporary failure in name resolution"),
                Some("cannot resolve the host name (temporary failure)"),
            ),
            (
                invalid(CertificateError::UnknownIssuer),
                Some(
                    "its certificate is from an unknown issuer (`http.sslCAInfo` names a file of trusted certificates)",
                ),
            ),
            (invalid(CertificateError::NotValidForName), Some("its certificate is for another host name")),
            (invalid(CertificateError::Expired), Some("its certificate has expired")),
            (
                invalid(named("CaUsedAsEndEntity")),
                Some(
                    "its certificate is a CA certificate, which a server must not use as its own (create one with `CA:FALSE`)",
                ),
            ),
            (invalid(CertificateError::BadEncoding), Some("its certificate is invalid")),
            (
                Io::other(Tls::InvalidMessage(rustls::InvalidMessage::InvalidContentType)),
                Some("the server does not speak https"),
            ),
            (Io::other("invalid HTTP header parsed"), Some("the server does not speak valid http")),
            (Io::other("tunnel error: unsuccessful"), Some("the proxy could not connect to it")),
            (Io::other("something else"), None),
        ] {
            assert_eq!(known(&error), broken, "{error:?}");
        }
    }
}
