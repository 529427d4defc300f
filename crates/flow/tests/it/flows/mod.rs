//! The service over the journal in memory and on disk, with executors that do what a script says.

mod admission;
mod clock;
mod crash;
mod driving;
mod dying;
mod forks;
mod frames;
mod graph;
mod journal;
mod letting_go;
mod people;
mod real;
mod recovery;
mod saving;
mod schedules;
mod subruns;
mod volume;
mod world;
