//! Metrics of the server, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hyper::{Method, StatusCode};

/// The counters of one server.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<AnswerLabels, u64>>,
    connections: Arc<AtomicU64>,
}

/// The labels of an answer. Routes are templates, so there are only a few.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct AnswerLabels {
    route: String,
    method: &'static str,
    status: u16,
}

impl Metrics {
    /// Counts an answered request; `route` is the matched template.
    pub(crate) fn count_answer(&self, route: Option<&str>, method: &Method, status: StatusCode) {
        let answered = AnswerLabels {
            route: route.unwrap_or("none").to_owned(),
            method: method_label(method),
            status: status.as_u16(),
        };
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry(answered).or_default() += 1;
    }

    /// The number of open connections, which the listener counts.
    pub(crate) fn connections(&self) -> Arc<AtomicU64> {
        self.connections.clone()
    }

    /// Returns the metrics page. `runs` holds the number of open runs by status, if they could be counted.
    pub(crate) fn page(&self, n_waiting: usize, runs: &[(&str, usize)]) -> String {
        let mut page = String::new();
        let head =
            |name: &str, kind: &str, help: &str| format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        page += &head("gemicro_http_requests_total", "counter", "Requests answered.");
        for (it, count) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(
                page,
                "gemicro_http_requests_total{{route=\"{}\",method=\"{}\",status=\"{}\"}} {count}",
                it.route, it.method, it.status
            );
        }
        page += &head("gemicro_http_connections", "gauge", "Open connections.");
        let _ = writeln!(
            page,
            "gemicro_http_connections {}",
            self.connections.load(Ordering::Relaxed)
        );
        page += &head(
            "gemicro_http_waiting",
            "gauge",
            "Long polls and streams of events.",
        );
        let _ = writeln!(page, "gemicro_http_waiting {n_waiting}");
        if !runs.is_empty() {
            page += &head("gemicro_runs", "gauge", "Open runs, by status.");
        }
        for (status, count) in runs {
            let _ = writeln!(page, "gemicro_runs{{status=\"{status}\"}} {count}");
        }
        page
    }
}

/// Returns the label of a known method, so that callers cannot create labels.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page() {
        let metrics = Metrics::default();
        metrics.count_answer(Some("/v1/runs/{id}"), &Method::GET, StatusCode::OK);
        metrics.count_answer(Some("/v1/runs/{id}"), &Method::GET, StatusCode::OK);
        metrics.count_answer(
            None,
            &Method::from_bytes(b"BREW").expect("a method"),
            StatusCode::NOT_FOUND,
        );
        metrics.connections().fetch_add(1, Ordering::Relaxed);
        let expected = "\
# HELP gemicro_http_requests_total Requests answered.
# TYPE gemicro_http_requests_total counter
gemicro_http_requests_total{route=\"/v1/runs/{id}\",method=\"GET\",status=\"200\"} 2
gemicro_http_requests_total{route=\"none\",method=\"other\",status=\"404\"} 1
# HELP gemicro_http_connections Open connections.
# TYPE gemicro_http_connections gauge
gemicro_http_connections 1
# HELP gemicro_http_waiting Long polls and streams of events.
# TYPE gemicro_http_waiting gauge
gemicro_http_waiting 2
# HELP gemicro_runs Open runs, by status.
# TYPE gemicro_runs gauge
gemicro_runs{status=\"running\"} 3
";
        assert_eq!(metrics.page(2, &[("running", 3)]), expected);
        metrics.connections().fetch_sub(1, Ordering::Relaxed);
        assert!(metrics.page(0, &[]).contains("gemicro_http_connections 0\n"));
    }
}
