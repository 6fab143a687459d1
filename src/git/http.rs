//! git's `http.*` settings for the HTTP client: gitoxide reads them, but hands few of them on.
//!
//! Credentials are not its matter.

use super::error::{During, Error};
use gix::protocol::transport::client::blocking_io::http;
use reqwest::blocking::ClientBuilder;
use std::any::Any;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

/// What gitoxide's transport is configured with for `url`.
pub(super) fn options(
    repo: &gix::Repository,
    url: &gix::Url,
    remote: Option<&str>,
    connect_timeout: Duration,
) -> Result<Option<Box<dyn Any>>, Error> {
    install_tls();
    let url = url.to_bstring();
    let read = repo
        .transport_options(url.as_ref() as &bstr::BStr, remote.map(Into::into))
        .during("read the settings for http")?;
    let Some(Ok(mut options)) = read.map(|options| options.downcast::<http::Options>()) else {
        return Ok(None);
    };
    let client = Client {
        authorities: options.ssl_ca_info.clone(),
        verify: options.ssl_verify,
        proxy: options.proxy.clone(),
        no_proxy: options.no_proxy.clone(),
        connect_timeout: options.connect_timeout.unwrap_or(connect_timeout),
    };
    options.backend = Some(Arc::new(Mutex::new(http::reqwest::Options {
        configure_client: Some(Box::new(move |builder| client.configure(builder))),
        configure_request: None,
    })));
    Ok(Some(options))
}

/// The one TLS implementation of this program; without it the client cannot be made.
fn install_tls() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // an error means that it is installed already
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

struct Client {
    authorities: Option<PathBuf>,
    verify: bool,
    proxy: Option<String>,
    no_proxy: Option<String>,
    connect_timeout: Duration,
}

impl Client {
    fn configure(&self, builder: ClientBuilder) -> gix::Result<ClientBuilder> {
        // a whole push may take longer than the client's default of 30 s: only connecting is limited
        let mut builder = builder
            .connect_timeout(self.connect_timeout)
            .timeout(None)
            .tcp_keepalive(Duration::from_secs(30));
        if let Some(path) = &self.authorities {
            let pem = std::fs::read(path).map_err(gix::Error::from_error)?;
            let authorities = reqwest::Certificate::from_pem_bundle(&pem).map_err(gix::Error::from_error)?;
            builder = builder.tls_certs_only(authorities);
        }
        if !self.verify {
            builder = builder.tls_danger_accept_invalid_certs(true);
        }
        match self.proxy.as_deref() {
            // as in git, an empty value means none
            Some("") => builder = builder.no_proxy(),
            Some(proxy) => {
                let except = self.no_proxy.as_deref().and_then(reqwest::NoProxy::from_string);
                let proxy = reqwest::Proxy::all(proxy).map_err(gix::Error::from_error)?;
                builder = builder.proxy(proxy.no_proxy(except));
            }
            None => {}
        }
        Ok(builder)
    }
}
