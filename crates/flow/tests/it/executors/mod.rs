
mod again;
mod harness;
mod process;

