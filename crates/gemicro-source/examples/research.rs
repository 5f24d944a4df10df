//! Deep research as a library: a question about a folder, answered with citations, without a model and without a key.
//!
//! `cargo run -p gemicro-source --example research -- docs "How does gemicro survive a crash?"`
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example shows what happens"
)]

use std::sync::Arc;

use futures_util::StreamExt;
use gemicro_core::blob::MemoryBlobs;
use gemicro_core::research::events::ResearchReaders;
use gemicro_core::{Agent, AgentContext, DeepResearchAgent, ResearchConfig};
use gemicro_source::{FetchRules, FolderLibrary};

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(question)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: research FOLDER QUESTION");
        return Ok(());
    };
    let index = tempfile::tempdir()?;
    let blobs = Arc::new(MemoryBlobs::default());
    let library = FolderLibrary::new(blobs, index.path().to_owned(), FetchRules::default());
    let agent = DeepResearchAgent::new(ResearchConfig::default()).with_sources([folder]);
    let ctx = AgentContext {
        library: Some(Arc::new(library)),
        ..AgentContext::default()
    };
    // Events come as they happen; dropping the stream would cancel the run.
    let mut events = agent.execute(&question, ctx);
    while let Some(event) = events.next().await {
        match event {
            Ok(update) => {
                println!("{:<24} {}", update.event_type, update.message);
                if let Some(result) = update.as_final_result() {
                    println!("\n{}", result.answer);
                }
            }
            Err(error) => eprintln!("it could not be done: {error}"),
        }
    }
    Ok(())
}
