//! The journal as its users see it: the common suite on both backends, and what only files and
//! processes can show.

mod suite;
