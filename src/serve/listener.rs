//! Accepts connections from this machine, and hands on their requests.

use super::exchange::{HttpResponse, PATIENCE};
use hyper::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// How much a server takes at a time.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    /// Connections; who comes later waits.
    pub connections: usize,
    /// How long a connection takes new requests; `None`: for ever. The last answers have as long again to be read.
    pub life: Option<Duration>,
    /// The bytes of the head of a request, at least 8,192; a longer one is answered with 431.
    pub head: usize,
}

/// Listen at an address of this machine.
///
/// # Errors
/// The address cannot be listened on, or is not of this machine.
pub async fn bind(socket: SocketAddr) -> io::Result<TcpListener> {
    if !socket.ip().is_loopback() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "only addresses of this machine are served"));
    }
    TcpListener::bind(socket).await
}

/// Answer all requests. Never ends.
pub async fn accept<A, F>(listener: &TcpListener, limits: ServerLimits, answer: A)
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = HttpResponse> + Send,
{
    let places = Arc::new(Semaphore::new(limits.connections));
    loop {
        let place = places.clone().acquire_owned().await;
        let Ok((stream, _)) = listener.accept().await else {
            // no file is left, say: those who are connected go on
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let answer = answer.clone();
        tokio::spawn(async move {
            let _place = place;
            let service = hyper::service::service_fn(move |request| {
                let answer = answer(request);
                async move { Ok::<_, Infallible>(answer.await) }
            });
            let mut connection = pin!(
                hyper::server::conn::http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(PATIENCE)
                    .max_buf_size(limits.head)
                    .serve_connection(TokioIo::new(stream), service)
            );
            // the other end of a connection knows what went wrong with it
            match limits.life {
                None => drop(connection.await),
                Some(life) => {
                    if tokio::time::timeout(life, connection.as_mut()).await.is_err() {
                        connection.as_mut().graceful_shutdown();
                        tokio::time::timeout(life, connection).await.ok();
                    }
                }
            }
        });
    }
}
