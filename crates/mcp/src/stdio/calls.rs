//! Calls whose answer is not on its way to the client yet, and who made them.
//!
//! A call ends in three places: its handler is done, the library passes the answer on, the answer is written. A client
//! that cancels it before the last of them never hears what came of it, and the library tells the handler only until
//! the first. So a call is followed here from the line that asks to the line that answers.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId};
use segue_channel::Caller;

#[derive(Debug, Default)]
pub struct Calls(Mutex<HashMap<RequestId, Caller>>);

impl Calls {
    /// A message that the library is about to see.
    pub fn hear(&self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(asked) if matches!(asked.request, ClientRequest::CallToolRequest(_)) => {
                self.open().insert(asked.id.clone(), Caller::default());
            }
            JsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                    && let Some(caller) = cancelled.params.request_id.as_ref().and_then(|id| self.open().remove(id))
                {
                    caller.gone();
                }
            }
            _ => {}
        }
    }

    /// Who made the call with this id.
    pub fn caller(&self, id: &RequestId) -> Caller {
        self.open().get(id).cloned().unwrap_or_default()
    }

    /// The line that answers is about to be written. A cancel that comes from here on is one for a finished call: the
    /// client will have the answer, or has it already.
    pub fn answer(&self, id: &RequestId) {
        self.open().remove(id);
    }

    /// The map is changed whole, so that a panic elsewhere leaves it usable.
    fn open(&self) -> MutexGuard<'_, HashMap<RequestId, Caller>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
