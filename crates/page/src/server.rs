//! The server: every connection has its limits, every request passes the door, and whatever reads a disk does so aside.

use crate::access::{Access, Entry, without_token};
use crate::comments::Comments;
use crate::live::Live;
use crate::peer::Agents;
use crate::rendered::Rendered;
use crate::routes;
use crate::sessions::Sessions;
use crate::{headers, html};
use axum::Router;
use axum::extract::{Extension, Request, State};
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tollgate_desk::{Desk, Orders};

/// More browsers than a person has.
const CONNECTIONS_MAX: usize = 512;
/// A browser sends what it asks for at once; a connection without a request is closed after the same time.
const HEADERS_TAKE: Duration = Duration::from_secs(3);
/// All that goes over one connection, but for a stream.
const CONNECTION_LASTS: Duration = Duration::from_secs(60);
/// Work on the disk at the same time.
const THREADS_MAX: usize = 16;
/// When the machine has no more descriptors, some may be free soon.
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub struct Settings {
    pub bind: SocketAddr,
    /// Names under which people reach this machine, besides its address.
    pub names: Vec<String>,
    /// Programs of this machine are let in that nobody may look into, such as the end of a tunnel.
    pub tunnel: bool,
    pub desk: Desk,
    pub orders: Orders,
    pub state: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("cannot start the server: {0}")]
    Start(io::Error),
}

/// What every page needs.
#[derive(Debug)]
pub struct App {
    pub access: Access,
    pub sessions: Arc<Sessions>,
    pub live: Live,
    pub orders: Orders,
    pub comments: Comments,
    pub rendered: Rendered,
    pub agents: Agents,
    pub state: Option<PathBuf>,
}

/// The connection that a request came by.
#[derive(Debug, Clone)]
pub struct Line {
    peer: SocketAddr,
    own: SocketAddr,
    /// Its answer continues for as long as somebody reads it.
    is_stream: Arc<AtomicBool>,
    /// Whose it is does not change while it is open.
    is_an_agents: Arc<OnceLock<bool>>,
}

impl Line {
    /// `since` is when its request was there.
    fn is_an_agents(&self, agents: &Agents, since: Instant) -> bool {
        *self.is_an_agents.get_or_init(|| agents.hold(self.peer, self.own, since))
    }

    pub fn is_a_stream(&self) {
        self.is_stream.store(true, Ordering::Relaxed);
    }
}

/// Serves until the process ends. `ready` gets the address with the token, which must be shown to the person only.
pub fn serve(settings: Settings, ready: impl FnOnce(&str)) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(THREADS_MAX)
        .build()
        .map_err(ServeError::Start)?;
    runtime.block_on(async {
        let address = settings.bind;
        let listening = TcpListener::bind(address).await;
        let listener = listening.map_err(|source| ServeError::Listen { address, source })?;
        let address = listener.local_addr().map_err(ServeError::Start)?;
        let access = Access::new(address, &settings.names).map_err(ServeError::Start)?;
        ready(&format!("http://{address}/?token={}", access.token()));
        let sessions = Arc::new(Sessions::new(settings.desk));
        let app = App {
            access,
            live: Live::new(sessions.clone()),
            sessions,
            orders: settings.orders,
            comments: Comments::new(settings.state.as_deref()),
            rendered: Rendered::default(),
            agents: Agents::new(settings.tunnel),
            state: settings.state,
        };
        accept(listener, Arc::new(app)).await
    })
}

async fn accept(listener: TcpListener, app: Arc<App>) -> ! {
    let router = routes::all()
        .layer(middleware::from_fn_with_state(app.clone(), door))
        .layer(middleware::map_response(async |response: Response| headers::add(response)))
        .with_state(app);
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let place = places.clone().acquire_owned().await;
        match listener.accept().await {
            Ok((stream, peer)) => {
                let router = router.clone();
                tokio::spawn(async move {
                    talk(stream, peer, router).await;
                    drop(place);
                });
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

async fn talk(stream: TcpStream, peer: SocketAddr, router: Router) {
    let Ok(own) = stream.local_addr() else { return };
    let _delays = stream.set_nodelay(true);
    let line = Line { peer, own, is_stream: Arc::default(), is_an_agents: Arc::default() };
    let is_stream = line.is_stream.clone();
    let service = TowerToHyperService::new(router.layer(Extension(line)));
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(HEADERS_TAKE);
    let talking = connection.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(talking);
    loop {
        tokio::select! {
            _ended = &mut talking => return,
            () = tokio::time::sleep(CONNECTION_LASTS) => {
                if !is_stream.load(Ordering::Relaxed) {
                    return;
                }
            }
        }
    }
}

/// Every request passes here first.
async fn door(
    State(app): State<Arc<App>>,
    Extension(line): Extension<Line>,
    request: Request,
    next: Next,
) -> Response {
    let (method, uri) = (request.method(), request.uri());
    let entry = match app.access.admit(method, uri, request.headers()) {
        Ok(entry) => entry,
        Err(denied) => return (denied.status(), html::closed(denied)).into_response(),
    };
    let (looked_at, since) = (app.clone(), Instant::now());
    let looking = tokio::task::spawn_blocking(move || line.is_an_agents(&looked_at.agents, since));
    // What cannot be looked at counts as an agent.
    if looking.await.unwrap_or(true) {
        return (StatusCode::FORBIDDEN, html::no_agents()).into_response();
    }
    match entry {
        Entry::Open if *method == Method::GET => next.run(request).await,
        Entry::Open => {
            let response = next.run(request).await;
            app.rendered.forget();
            response
        }
        Entry::Exchange => let_in(&app, uri),
    }
}

fn let_in(app: &App, uri: &axum::http::Uri) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let value = |text: &str| HeaderValue::from_str(text).ok();
    let headers = response.headers_mut();
    if let (Some(place), Some(cookie)) =
        (value(&without_token(uri)), value(&app.access.set_cookie()))
    {
        headers.insert(LOCATION, place);
        headers.insert(SET_COOKIE, cookie);
    }
    response
}
