//! Conversations that do not forget: the measures of the conversation corpus, frames, the face, summaries.

mod compressors;
mod corpus;
mod exact;
mod face;
mod frames;
mod measure;
mod recall;
mod replies;
mod retention;
mod shapes;
mod summaries;
mod vocabulary;
