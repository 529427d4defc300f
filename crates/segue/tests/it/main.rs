//! The real `segue` against scripted and real agents.

mod contract;
