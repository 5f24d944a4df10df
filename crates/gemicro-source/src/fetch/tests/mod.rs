//! Fetching against tables of URLs, stand-ins for the name service, and servers on loopback.

mod addresses;
mod bodies;
mod names;
mod properties;
mod redirects;
mod server;
mod urls;

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{FetchRules, Fetcher, Lookup};

/// Gives its answers one after the other, the last one for ever, and keeps what it was asked.
#[derive(Default)]
struct ScriptedLookup {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl ScriptedLookup {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self {
            answers: Mutex::new(answers.iter().map(parse).collect()),
            asked: Mutex::default(),
        })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Lookup for ScriptedLookup {
    fn lookup<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(name.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 {
            answers.pop_front()
        } else {
            answers.front().cloned()
        };
        let answer = answer.ok_or_else(|| io::Error::other("no such name"));
        Box::pin(async move { answer })
    }
}

/// Rules that list these hosts.
fn listing(hosts: &[&str]) -> FetchRules {
    FetchRules {
        allowed: hosts.iter().map(|host| host.parse().unwrap()).collect(),
        timeout: Duration::from_secs(10),
        ..FetchRules::default()
    }
}

/// One that knows no names.
fn nameless(rules: FetchRules) -> Fetcher {
    Fetcher::with_lookup(rules, ScriptedLookup::new(&[]))
}
