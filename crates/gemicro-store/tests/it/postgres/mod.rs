//! What is PostgreSQL's own: the tables of a database, a server that goes away, workers in several processes.

mod outage;
mod schema;
mod workers;
