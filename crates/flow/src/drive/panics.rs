//! A job that panics: a fault of Segue, which must not leave a Run that says it is running and that nobody drives.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
};

use super::RunJob;
use crate::{recover, shared};

/// What the future gives, or what it said as it panicked. It is not polled again then.
pub(super) async fn caught<T>(work: impl Future<Output = T>) -> Result<T, String> {
    let mut work = pin!(work);
    std::future::poll_fn(move |cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(shared::panic_text(&*panic).to_owned())),
    })
    .await
}

impl RunJob {
    /// The first time the Run is let go, and taken over from its record as if the server had died. What panics again
    /// would do so for ever: that Run is set aside.
    pub(super) async fn broke_off(&mut self, panic: &str) {
        let run = self.own.run.clone();
        // Nothing of it works beside who goes on.
        self.working.shutdown().await;
        if self.shared.panicked_first(&run) {
            tracing::error!(%run, "the job of the run panicked, and the run is taken over: {panic}");
            return;
        }
        let why = format!("its job panicked again: {panic}");
        recover::quarantine(&self.shared, self.record.row_written(), self.record.position(), &why).await;
    }
}
