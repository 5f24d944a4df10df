//! Tests of the workflow file: good ones, bad ones, pictures, prompts.

mod bad_files;
mod bad_phases;
mod good_files;
mod prompts;
