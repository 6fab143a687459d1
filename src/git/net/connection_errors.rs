//! Turns connection errors of the system, of http and of TLS into messages.
//!
//! Does not know the host or the proxy.

use rustls::{CertificateError, Error as Tls};
use std::error::Error;
use std::io::ErrorKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Broken {
    #[error("connection refused")]
    Refused,
    #[error("connection closed unexpectedly")]
    Reset,
    #[error("network unreachable")]
    NoWay,
    #[error("cannot resolve the host name")]
    UnknownHost,
    #[error("cannot resolve the host name (temporary failure)")]
    NoNames,
    #[error(
        "its certificate is from an unknown issuer (`http.sslCAInfo` names a file of trusted certificates)"
    )]
    UnknownIssuer,
    #[error(
        "its certificate is a CA certificate, which a server must not use as its own (create one with `CA:FALSE`)"
    )]
    Authority,
    #[error("its certificate is for another host name")]
    OtherName,
    #[error("its certificate has expired")]
    Expired,
    #[error("its certificate is not valid yet")]
    NotYet,
    #[error("its certificate has been revoked")]
    Revoked,
    #[error("its certificate is invalid")]
    Certificate,
    #[error("it requires a client certificate (set `http.sslCert`)")]
    WantsCertificate,
    #[error("the server does not speak https")]
    NoTls,
    #[error("the server does not speak valid http")]
    NoHttp,
    #[error("the server does not speak git's protocol")]
    NoGit,
    #[error("the proxy could not connect to it")]
    Tunnel,
}

/// The first known error among `error` and its causes.
pub(super) fn known(error: &(dyn Error + 'static)) -> Option<Broken> {
    std::iter::successors(Some(error), |error| cause(*error)).find_map(one)
}

/// The error wrapped by an error of the system: the standard library does not list it among the causes.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    wrapped.map(|wrapped| wrapped as &(dyn Error + 'static)).or_else(|| error.source())
}

fn one(error: &(dyn Error + 'static)) -> Option<Broken> {
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
        () if has("Temporary failure in name resolution") => Some(Broken::NoNames),
        () if has("failed to lookup address information") || has("No such host is known") => {
            Some(Broken::UnknownHost)
        }
        () if has("invalid HTTP") || has("message head is too large") => Some(Broken::NoHttp),
        () if has("connection closed before message completed") || has("tls handshake eof") => {
            Some(Broken::Reset)
        }
        // a packet line begins with its length in four hexadecimal digits
        () if has("first four hex bytes") || has("version or service line was expected") => {
            Some(Broken::NoGit)
        }
        () if has("tunnel error: unsuccessful") => Some(Broken::Tunnel),
        () => None,
    }
}

const fn system(kind: ErrorKind) -> Option<Broken> {
    match kind {
        ErrorKind::ConnectionRefused => Some(Broken::Refused),
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => Some(Broken::Reset),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => Some(Broken::NoWay),
        _ => None,
    }
}

fn tls(error: &Tls) -> Broken {
    use rustls::AlertDescription as Alert;
    match error {
        Tls::InvalidCertificate(error) => certificate(error),
        Tls::AlertReceived(Alert::CertificateRequired | Alert::BadCertificate | Alert::UnknownCA) => {
            Broken::WantsCertificate
        }
        Tls::AlertReceived(_) => Broken::Reset,
        _ => Broken::NoTls,
    }
}

fn certificate(error: &CertificateError) -> Broken {
    match error {
        CertificateError::UnknownIssuer => Broken::UnknownIssuer,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            Broken::OtherName
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => Broken::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Broken::NotYet,
        CertificateError::Revoked => Broken::Revoked,
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => Broken::Authority,
        _ => Broken::Certificate,
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
            (Io::from(ErrorKind::ConnectionRefused), Some(Broken::Refused)),
            (Io::other(Io::from(ErrorKind::ConnectionReset)), Some(Broken::Reset)),
            (Io::other(Io::from(ErrorKind::UnexpectedEof)), Some(Broken::Reset)),
            (Io::from(ErrorKind::BrokenPipe), Some(Broken::Reset)),
            (Io::from(ErrorKind::NetworkUnreachable), Some(Broken::NoWay)),
            (
                Io::other("failed to lookup address information: Name or service not known"),
                Some(Broken::UnknownHost),
            ),
            (
                Io::other("failed to lookup address information: Temporary failure in name resolution"),
                Some(Broken::NoNames),
            ),
            (invalid(CertificateError::UnknownIssuer), Some(Broken::UnknownIssuer)),
            (invalid(CertificateError::NotValidForName), Some(Broken::OtherName)),
            (invalid(CertificateError::Expired), Some(Broken::Expired)),
            (invalid(named("CaUsedAsEndEntity")), Some(Broken::Authority)),
            (invalid(CertificateError::BadEncoding), Some(Broken::Certificate)),
            (Io::other(Tls::InvalidMessage(rustls::InvalidMessage::InvalidContentType)), Some(Broken::NoTls)),
            (Io::other("invalid HTTP header parsed"), Some(Broken::NoHttp)),
            (Io::other("tunnel error: unsuccessful"), Some(Broken::Tunnel)),
            (Io::other("something else"), None),
        ] {
            assert_eq!(known(&error), broken, "{error:?}");
        }
    }
}
