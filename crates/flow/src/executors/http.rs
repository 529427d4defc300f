//! `http`: one request to one URL (contract §14.7).

use segue_model::{
    flow::{
        Object,
        capability::{Capability, Config, config::Method},
        json::object,
    },
    run::{Outcome, attempt::Loss},
};

use super::{
    Answer, Call, Executor, Start, Surroundings, Terms, real,
    request::{self, Request},
    table::unbound,
    web,
};

#[derive(Debug)]
pub struct Http;

/// The body of a POST: what is fixed, and the accepted input under the context key.
#[must_use]
pub fn request_of(body: &Object, context_key: Option<&str>, input: &Object) -> Vec<u8> {
    request::bytes(request::with_context(body, context_key, input))
}

#[must_use]
pub fn interpret(capability: &Capability, status: u16, body: &[u8]) -> Outcome {
    if let Some(failed) = web::refused(status) {
        return failed;
    }
    let mut output = object([("http_status", u32::from(status).into())]);
    output.extend(request::said(&String::from_utf8_lossy(body)));
    output.extend(request::called(capability));
    real(output)
}

impl Executor for Http {
    fn needs_host(&self) -> bool {
        false
    }

    fn execute<'a>(&'a self, call: &'a Call, _: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            // The request of a dead process may have been carried out.
            if call.start == Start::Again {
                return Outcome::Lost(Loss::Crash);
            }
            let Some((capability, _)) = call.bound() else { return unbound() };
            run(capability, Request::of(call), &call.terms()).await
        })
    }
}

/// Makes the request; also when the capability is only tried.
pub(super) async fn run(capability: &Capability, request: Request<'_>, terms: &Terms) -> Outcome {
    let Config::Http { url, method, body, context_key } = &capability.config else { return unbound() };
    let exchange = async {
        let url = web::url(url)?;
        let client = web::client(&url)?;
        let asked = match method {
            Method::Get => web::in_json(client.get(url)),
            Method::Post => {
                web::in_json(client.post(url)).body(request_of(body, context_key.as_deref(), request.input))
            }
        };
        web::exchange(asked).await
    };
    match web::within(&terms.stop, terms.timeout, exchange).await {
        Ok(Ok(reply)) => interpret(capability, reply.status, &reply.body),
        Ok(Err(trouble)) => trouble.outcome(),
        Err(outcome) => outcome,
    }
}
