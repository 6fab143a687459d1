//! Whom a server on this machine answers. A browser names the site of a page in `Origin`, and the name that it looked up in
//! `Host`; the port of either may be another one's, which leads here.

use super::exchange::{HttpResponse, plain};
use hyper::StatusCode;
use hyper::header::{self, HeaderMap, HeaderName};

/// Which pages may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginRule {
    /// Pages of any server on this machine.
    ThisMachine,
    /// Pages of this server alone.
    ThisServer,
}

/// The refusal of a request that names another host, or comes from a page of another site.
pub fn refusal(headers: &HeaderMap, rule: OriginRule) -> Option<HttpResponse> {
    // of two values some programs read the first, some the last
    let one = |name: HeaderName| -> Result<Option<&str>, ()> {
        let mut values = headers.get_all(name).iter();
        let value = values.next().map(|value| value.to_str().map_err(drop)).transpose()?;
        if values.next().is_some() { Err(()) } else { Ok(value) }
    };
    let host = one(header::HOST).ok().flatten().filter(|host| is_here(host));
    let Some(host) = host else {
        return Some(plain(StatusCode::FORBIDDEN, "the name of this host is not served"));
    };
    let is_ours = |origin: &str| match rule {
        OriginRule::ThisServer => origin.strip_prefix("http://").is_some_and(|site| site == host),
        OriginRule::ThisMachine => {
            let site = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            site.is_some_and(is_here)
        }
    };
    match one(header::ORIGIN) {
        Ok(origin) if origin.is_none_or(is_ours) => None,
        _ => Some(plain(StatusCode::FORBIDDEN, "pages of other sites are not served")),
    }
}

/// Whether a name with or without a port is one of this machine.
fn is_here(host: &str) -> bool {
    let (name, is_port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port.parse::<u16>().is_ok()),
        _ => (host, true),
    };
    is_port && ["localhost", "127.0.0.1", "[::1]"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    #[test]
    fn only_names_of_this_machine_are_served() {
        for host in ["localhost:80", "127.0.0.1:9999", "[::1]:80", "LOCALHOST:80", "localhost", "[::1]"] {
            assert!(is_here(host), "{host}");
        }
        for host in ["evil.example:80", "127.0.0.1.evil.example:80", "a.localhost", "localhost:x", "", "::1"]
        {
            assert!(!is_here(host), "{host}");
        }
    }

    #[test]
    fn a_page_of_another_site_and_a_host_that_is_named_twice_are_refused() {
        let is_refused = |hosts: &[&'static str], origins: &[&'static str], rule| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(header::HOST, HeaderValue::from_static(host));
            }
            for origin in origins {
                headers.append(header::ORIGIN, HeaderValue::from_static(origin));
            }
            refusal(&headers, rule).is_some()
        };
        let [machine, server] = [OriginRule::ThisMachine, OriginRule::ThisServer];
        for (hosts, origins, by_machine, by_server) in [
            (&["127.0.0.1:5"][..], &[][..], false, false),
            (&["127.0.0.1:5"], &["http://127.0.0.1:5"], false, false),
            (&["127.0.0.1:5"], &["http://127.0.0.1:6"], false, true),
            (&["127.0.0.1:5"], &["http://localhost:5"], false, true),
            (&["localhost:5"], &["https://localhost:5"], false, true),
            (&["127.0.0.1:5"], &["null"], true, true),
            (&["127.0.0.1:5"], &["http://evil.example"], true, true),
            (&["127.0.0.1:5"], &["http://127.0.0.1:5", "http://evil.example"], true, true),
            (&[], &[], true, true),
            (&["127.0.0.1:5", "evil.example"], &[], true, true),
            (&["evil.example"], &["http://evil.example"], true, true),
        ] {
            assert_eq!(is_refused(hosts, origins, machine), by_machine, "{hosts:?} {origins:?}");
            assert_eq!(is_refused(hosts, origins, server), by_server, "{hosts:?} {origins:?}");
        }
    }
}
