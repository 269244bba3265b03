//! The server: one loop that accepts, a guard before every answer, and work on threads of its own.

mod routes;
mod stream;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tollgate_index::Index;
use tollgate_store::Log;

use crate::assets;
use crate::desk::Desk;
use crate::feed::Feed;
use crate::guard::{Guard, protect};
use crate::refusal::{Code, Refusal};

pub use crate::guard::Token;

/// Connections at once; the next ones wait.
const CONNECTIONS: usize = 128;
/// How long a client may take for the head of a request.
const PATIENCE: Duration = Duration::from_secs(10);
/// Answers that are computed at once.
const WORKERS: usize = 3;
/// Records that a request takes into the index itself; more are taken in beside it.
const QUICK: u64 = 20_000;
/// The time between two looks at whether the index is behind.
const PAUSE: Duration = Duration::from_millis(500);

/// A server that is bound and not yet serving.
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    token: Token,
    ticket: String,
    state: PathBuf,
}

impl Server {
    /// Binds to a port of the loopback address; 0 takes any that is free.
    ///
    /// # Errors
    /// When the port is taken, or there is no randomness for a token.
    pub fn bind(state: &Path, port: u16) -> std::io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (token, ticket) = (Token::new()?, Token::new()?.text().to_owned());
        Ok(Self { listener, address, token, ticket, state: state.to_owned() })
    }

    /// The page's address, with the token in its fragment.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/#{}", self.address, self.token.text())
    }

    /// An address that leads to the page once: for a browser that is started with it on its command line, which others
    /// can read.
    #[must_use]
    pub fn once(&self) -> String {
        format!("http://{}/open/{}", self.address, self.ticket)
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// When there is no runtime to be had.
    pub fn serve(self, desk: Arc<dyn Desk>) -> std::io::Result<()> {
        let shared = Arc::new(Shared {
            guard: Guard::new(self.token.clone(), self.address),
            fragment: format!("/#{}", self.token.text()),
            ticket: Mutex::new(Some(self.ticket)),
            feed: Feed::start(&self.state),
            workers: Semaphore::new(WORKERS),
            streams: Arc::new(Semaphore::new(CONNECTIONS / 2)),
            building: Arc::new(AtomicBool::new(false)),
            caught_up: Mutex::new(None),
            state: self.state,
            desk,
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(WORKERS + 1)
            .build()?;
        runtime.block_on(accept(TcpListener::from_std_in(self.listener, &runtime)?, router(shared)))
    }
}

/// Turning a listener into one of the runtime needs the runtime around it.
trait FromStd: Sized {
    fn from_std_in(
        listener: std::net::TcpListener,
        runtime: &tokio::runtime::Runtime,
    ) -> std::io::Result<Self>;
}

impl FromStd for TcpListener {
    fn from_std_in(
        listener: std::net::TcpListener,
        runtime: &tokio::runtime::Runtime,
    ) -> std::io::Result<Self> {
        let _inside = runtime.enter();
        Self::from_std(listener)
    }
}

async fn accept(listener: TcpListener, router: Router) -> std::io::Result<()> {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return Ok(()) };
        let Ok((stream, _)) = listener.accept().await else {
            // No more files: others may close theirs.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(64 << 10);
            // A client that goes away, or breaks the protocol, is nobody's loss.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
}

fn router(shared: Arc<Shared>) -> Router {
    routes::api()
        .route("/open/{ticket}", axum::routing::get(open))
        .fallback(fallback)
        .method_not_allowed_fallback(|| async { Refusal::new(Code::NotAllowed, "not this way") })
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), check))
        .with_state(shared)
}

async fn fallback(request: Request) -> Response {
    if request.uri().path().starts_with("/api") {
        return Refusal::new(Code::NotFound, "there is no such address").into_response();
    }
    if request.method() != axum::http::Method::GET && request.method() != axum::http::Method::HEAD {
        return Refusal::new(Code::NotAllowed, "not this way").into_response();
    }
    assets::serve(request.uri().clone()).await
}

/// Leads to the page, once.
async fn open(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let given = request.uri().path().strip_prefix("/open/").unwrap_or_default();
    let mut ticket = shared.ticket.lock().unwrap_or_else(PoisonError::into_inner);
    let fits = ticket
        .as_ref()
        .is_some_and(|ticket| blake3::hash(ticket.as_bytes()) == blake3::hash(given.as_bytes()));
    if !fits {
        return Refusal::new(Code::NotFound, "this address led to the page once, and does not again")
            .hint("Open the URL that `tollgate ui` printed")
            .into_response();
    }
    *ticket = None;
    axum::response::Redirect::to(&shared.fragment).into_response()
}

/// Everything that a request may be refused for before anything is looked at.
async fn check(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match allowed(&shared, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    protect(response.headers_mut());
    response
}

fn allowed(shared: &Shared, request: &Request) -> Result<(), Refusal> {
    let (headers, path) = (request.headers(), request.uri().path());
    shared.guard.check_host(headers)?;
    if !path.starts_with("/api") {
        return Ok(());
    }
    shared.guard.check_origin(request.method(), headers)?;
    if path == "/api/health" {
        return Ok(());
    }
    shared.guard.check_token(headers)
}

/// What every request may use.
struct Shared {
    guard: Guard,
    fragment: String,
    ticket: Mutex<Option<String>>,
    feed: Arc<Feed>,
    workers: Semaphore,
    streams: Arc<Semaphore>,
    /// The index is far behind, and being caught up.
    building: Arc<AtomicBool>,
    caught_up: Mutex<Option<Instant>>,
    state: PathBuf,
    desk: Arc<dyn Desk>,
}

impl Shared {
    fn log(&self) -> Log {
        Log::at(&self.state)
    }

    /// The index, as far as it can be had soon: one that is far behind is caught up beside the requests.
    fn index(&self) -> Result<Index, Refusal> {
        let wait = || Refusal {
            retry_after_s: Some(2),
            ..Refusal::new(
                Code::Wait,
                "the index of the log is being built; this takes a minute for 5 million events",
            )
        };
        if self.building.load(Ordering::SeqCst) {
            return Err(wait());
        }
        let mut index = Index::open(&self.state)
            .or_else(|fault| if fault.is_out_of_reach() { Index::in_memory(&self.state) } else { Err(fault) })
            .map_err(Refusal::failed)?;
        let head = self.log().head().map_or(0, |head| head.seq).max(self.feed.head());
        if head == index.last() || !self.is_time_to_catch_up() {
            return Ok(index);
        }
        if head.saturating_sub(index.last()) <= QUICK {
            index.catch_up(|_| {}).map_err(Refusal::failed)?;
            return Ok(index);
        }
        if !self.building.swap(true, Ordering::SeqCst) {
            let building = Arc::clone(&self.building);
            std::thread::spawn(move || {
                // The next request tells of a fault.
                let _ = index.catch_up(|_| {});
                building.store(false, Ordering::SeqCst);
            });
        }
        Err(wait())
    }

    /// Catching up looks at the log's last part: once in a while is enough, however many ask.
    fn is_time_to_catch_up(&self) -> bool {
        let mut last = self.caught_up.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|last| last.elapsed() >= PAUSE);
        if is_due {
            *last = Some(Instant::now());
        }
        is_due
    }
}

/// Does work that waits for disks on a thread of its own; so many at once.
async fn work(
    shared: Arc<Shared>,
    job: impl FnOnce(&Shared) -> Result<Response, Refusal> + Send + 'static,
) -> Response {
    let Ok(_place) = shared.workers.acquire().await else {
        return Refusal::failed("the server is ending").into_response();
    };
    let worker = Arc::clone(&shared);
    match tokio::task::spawn_blocking(move || job(&worker)).await {
        Ok(Ok(response)) => response,
        Ok(Err(refusal)) => refusal.into_response(),
        Err(_) => Refusal::failed("this could not be computed").into_response(),
    }
}
