//! Creates the HTTP client with the proxy, certificates and limits from the settings.
//!
//! Reads certificates; does not connect.

use super::settings::{Proxy, Settings, Verification};
use crate::error::{During, Error as GitError};
use crate::net::network::Error;
use reqwest::blocking::{Client, ClientBuilder};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(super) fn build(settings: &Settings, connect_timeout: Duration) -> Result<Client, Error> {
    crate::http::install_tls();
    let mut builder = ClientBuilder::new()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .http1_title_case_headers()
        .connect_timeout(connect_timeout)
        // a large push may take longer than any total limit, so silence is limited instead
        .timeout(None)
        .tcp_keepalive(Duration::from_secs(30))
        // the environment was read with the settings
        .no_proxy();
    if let Proxy::Through { url, except } = &settings.proxy {
        let except = except.as_deref().and_then(reqwest::NoProxy::from_string);
        let proxy = reqwest::Proxy::all(url.clone()).during("use `http.proxy`")?;
        builder = builder.proxy(proxy.no_proxy(except));
    }
    if !settings.authorities.is_empty() {
        let mut authorities = Vec::new();
        for path in &settings.authorities {
            authorities.extend(certificates(path)?);
        }
        builder = builder.tls_certs_only(authorities);
    }
    if settings.verification == Verification::Waived {
        builder = builder.tls_danger_accept_invalid_certs(true);
    }
    if let Some(version) = settings.oldest_tls {
        builder = builder.tls_version_min(version);
    }
    if let Some((certificate, key)) = &settings.certificate {
        builder = builder.identity(identity(certificate, key.as_deref())?);
    }
    Ok(builder.build().during("set up http")?)
}

/// The certificates in a file, or in all files of a folder that hold some.
fn certificates(path: &Path) -> Result<Vec<reqwest::Certificate>, GitError> {
    let act = || format!("read the certificates of `{}`", path.display());
    let read = |file: &Path| {
        let pem = std::fs::read(file).during(act)?;
        reqwest::Certificate::from_pem_bundle(&pem).during(act)
    };
    if !path.is_dir() {
        return read(path);
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(path).during(act)? {
        files.push(entry.during(act)?.path());
    }
    files.sort();
    // the folder may hold other files: revocation lists, notes
    Ok(files.iter().filter(|file| file.is_file()).filter_map(|file| read(file).ok()).flatten().collect())
}

fn identity(certificate: &Path, key: Option<&Path>) -> Result<reqwest::Identity, GitError> {
    let mut pem = Vec::new();
    for path in [Some(certificate), key].into_iter().flatten() {
        pem.extend(std::fs::read(path).during(|| format!("read `{}`", path.display()))?);
        pem.push(b'\n');
    }
    let act = "use `http.sslCert` and `http.sslKey` (PEM, the key without a password)";
    reqwest::Identity::from_pem(&pem).during(act)
}
