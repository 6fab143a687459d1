//! The TLS implementation, and the proxy that the environment names: what every HTTP client of brv begins with.
//!
//! Makes no connection, and does not know what a client is for.

use brv_base::environment::Environment;
use std::sync::Once;

/// Installs the TLS implementation, without which no client can be made.
pub fn install_tls() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // an error means that it is already installed
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Http,
    Https,
}

/// The proxy for a scheme. As in curl, upper-case `HTTP_PROXY` is ignored, since a web server sets it from a request's
/// header.
pub fn proxy(scheme: Scheme, environment: &Environment) -> Option<&str> {
    let names: &[&str] = match scheme {
        Scheme::Https => &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
        Scheme::Http => &["http_proxy", "all_proxy", "ALL_PROXY"],
    };
    names.iter().find_map(|name| environment.get_filled(name))
}

/// The hosts that are reached without the proxy.
pub fn no_proxy(environment: &Environment) -> Option<&str> {
    environment.get_filled("no_proxy").or_else(|| environment.get_filled("NO_PROXY"))
}

/// `[protocol://][user[:password]@]host[:port]`
///
/// # Errors
/// What is wrong with it.
pub fn proxy_url(text: &str) -> Result<reqwest::Url, &'static str> {
    let text = text.trim();
    let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url = reqwest::Url::parse(&whole).map_err(|_| "is not a proxy URL")?;
    match url.scheme() {
        "http" | "https" | "socks4" | "socks4a" | "socks5" | "socks5h" => Ok(url),
        _ => Err("names an unsupported protocol"),
    }
}
