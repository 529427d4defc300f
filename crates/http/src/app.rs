//! The interface of one process, and how a request comes to its route.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::{
    Router,
    extract::Request,
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::on,
};
use segue_channel::Channel;
use segue_flow::Flows;
use tokio::{sync::watch, task::AbortHandle};
use tower::ServiceExt;

use crate::{
    call::Call,
    error::{ApiError, RequestError},
    guard, pages, routes, spelling,
    table::{Method, Route},
    token::Token,
};

/// What an interface is made of.
#[derive(Debug)]
pub struct Setup {
    pub channel: Channel,
    pub flows: Flows,
    /// Shown to clients, as the contract wants.
    pub state_root: PathBuf,
    /// It is the one that commands find by themselves, so that it need not be named to them.
    pub state_is_usual: bool,
    /// Without one, only processes that are seen to be the user's are let in.
    pub token: Option<Token>,
}

/// See the module's documentation. A handle: clones are the same.
#[derive(Debug, Clone)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    setup: Setup,
    /// True once the server is to stop: then live events end.
    stopping: watch::Sender<bool>,
}

impl App {
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self(Arc::new(Inner { setup, stopping: watch::Sender::new(false) }))
    }

    #[must_use]
    pub fn channel(&self) -> &Channel {
        &self.0.setup.channel
    }

    #[must_use]
    pub fn flows(&self) -> &Flows {
        &self.0.setup.flows
    }

    #[must_use]
    pub fn state_root(&self) -> &Path {
        &self.0.setup.state_root
    }

    pub(crate) fn state_is_usual(&self) -> bool {
        self.0.setup.state_is_usual
    }

    pub(crate) fn token(&self) -> Option<&Token> {
        self.0.setup.token.as_ref()
    }

    /// Ends live events, which would otherwise never end.
    pub(crate) fn stop(&self) {
        self.0.stopping.send_replace(true);
    }

    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.0.stopping.subscribe()
    }

    /// Everything that is answered by a server on `port`, behind the guard. A request of a connection whose other end
    /// is known carries a [`Caller`](crate::Caller) as an extension.
    pub fn router(&self, port: u16) -> Router {
        let guarded = self
            .resources()
            .fallback(pages::answer)
            .method_not_allowed_fallback(|| async { ApiError::from(RequestError::Method) })
            .layer(from_fn_with_state((self.clone(), port), guard::guard));
        // Before a route is looked for: a layer comes after that.
        Router::new().fallback_service(guarded.map_request(spelling::plain as fn(Request) -> Request))
    }

    /// The resources without a guard, for requests of this process itself.
    pub(crate) fn resources(&self) -> Router {
        routes::all().fold(Router::new(), |router, route| {
            let app = self.clone();
            let handler = move |request: Request| answer(app.clone(), route, request);
            router.route(route.path, on(route.method.filter(), handler))
        })
    }
}

async fn answer(app: App, route: &'static Route, request: Request) -> Response {
    let call = match Call::read(app, route, request).await {
        Ok(call) => call,
        Err(error) => return ApiError::from(error).into_response(),
    };
    // A job of its own: what changes something is carried through when the client goes away, and a fault in one
    // route is the answer to one request.
    let job = tokio::spawn((route.call)(call));
    let _reading = (route.method == Method::Get).then(|| Abandoned(job.abort_handle()));
    match job.await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => error.into_response(),
        Err(error) => {
            tracing::error!(route = route.name, "{error}");
            ApiError::from(RequestError::Panicked).into_response()
        }
    }
}

/// Ends a job that nobody waits for any more.
struct Abandoned(AbortHandle);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.abort();
    }
}
