//! Measured times and their statistics: median, 90th percentile, count, and comparison with a bar.

use std::time::{Duration, Instant};

use anyhow::Result;

/// Times of one measurement, in the order in which they were taken.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The median; zero if there are no samples.
    pub(crate) fn median(&self) -> Duration {
        self.sorted().get(self.len() / 2).copied().unwrap_or_default()
    }

    /// The 90th percentile; zero if there are no samples.
    pub(crate) fn p90(&self) -> Duration {
        self.percentile(90)
    }

    /// The 95th percentile; zero if there are no samples.
    pub(crate) fn p95(&self) -> Duration {
        self.percentile(95)
    }

    fn percentile(&self, percent: usize) -> Duration {
        let idx = (self.len() * percent).div_ceil(100).saturating_sub(1);
        self.sorted().get(idx).copied().unwrap_or_default()
    }

    /// Median, 90th percentile and count.
    pub(crate) fn spread(&self) -> String {
        let (median, p90) = (milliseconds(self.median()), milliseconds(self.p90()));
        format!("median {median}, p90 {p90}, n {}", self.len())
    }

    fn sorted(&self) -> Vec<Duration> {
        let mut times = self.0.clone();
        times.sort();
        times
    }
}

/// The duration of work that must succeed.
pub(crate) fn measure_time(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let started_at = Instant::now();
    work()?;
    Ok(started_at.elapsed())
}

/// A time for people to read.
pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

/// The bar, and whether the measured time met it.
pub(crate) fn at_most(measured: Duration, bar: Duration) -> String {
    let verdict = verdict(measured <= bar);
    format!("(bar {}: {verdict})", milliseconds(bar))
}

/// Whether a bar was met.
pub(crate) fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(times: impl IntoIterator<Item = u64>) -> Samples {
        Samples(times.into_iter().map(Duration::from_millis).collect())
    }

    #[test]
    fn figures() {
        assert_eq!(samples([]).spread(), "median 0.0 ms, p90 0.0 ms, n 0");
        assert_eq!(samples([7]).spread(), "median 7.0 ms, p90 7.0 ms, n 1");
        assert_eq!(
            samples((1..=10).rev()).spread(),
            "median 6.0 ms, p90 9.0 ms, n 10"
        );
        assert_eq!(samples(1..=100).p95(), Duration::from_millis(95));
        assert_eq!(samples(0..=100).spread(), "median 50.0 ms, p90 90.0 ms, n 101");
    }

    #[test]
    fn bars() {
        let ms = Duration::from_millis;
        assert_eq!(at_most(ms(5), ms(5)), "(bar 5.0 ms: met)");
        assert_eq!(at_most(ms(6), ms(5)), "(bar 5.0 ms: MISSED)");
    }
}
