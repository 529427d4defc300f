//! What can be said of finished and running Runs.
