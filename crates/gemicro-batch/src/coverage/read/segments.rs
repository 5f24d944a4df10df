//! Converts the segments of a file to line counts, as llvm-cov does.
//!
//! A segment applies from its position to the next one. A line has code if a counted region reaches into it or begins
//! on it; its count is the highest of these. A skipped region hides the line that it begins on. `llvm-cov show` and
//! its LCOV export count the same way. `llvm-cov report` sums over functions instead: a line that two functions
//! share, such as that of a closure, counts twice there and once here.

#[derive(Debug, Clone, Copy)]
pub(super) struct CoverageSegment {
    pub(super) line: u32,
    pub(super) count: u64,
    pub(super) has_count: bool,
    pub(super) is_entry: bool,
    pub(super) is_gap: bool,
}

/// Computes line counts from segments, in their order.
#[derive(Debug, Default)]
pub(super) struct SegmentLines {
    /// The last segment of the lines before, which reaches into this one.
    wrapped: Option<CoverageSegment>,
    line: Option<SegmentLine>,
}

/// The segments that begin on a line so far.
#[derive(Debug, Clone, Copy)]
struct SegmentLine {
    first: CoverageSegment,
    last: CoverageSegment,
    /// The highest count of the regions that begin here.
    most: Option<u64>,
    /// Whether anything with a count begins here, including gaps.
    has_entry: bool,
}

impl SegmentLines {
    /// Takes the next segment; adds finished lines to `lines`.
    pub(super) fn take(
        &mut self,
        segment: CoverageSegment,
        lines: &mut Vec<(u32, u64)>,
    ) -> Result<(), String> {
        match self.line {
            Some(line) if segment.line < line.first.line => {
                return Err("the segments of a file are not in order".to_owned());
            }
            Some(line) if segment.line > line.first.line => {
                self.close(line, lines);
                if line.last.has_count {
                    let between = line.first.line + 1..segment.line;
                    lines.extend(between.map(|between| (between, line.last.count)));
                }
                self.line = None;
            }
            Some(_) | None => {}
        }
        let line = self.line.get_or_insert(SegmentLine {
            first: segment,
            last: segment,
            most: None,
            has_entry: false,
        });
        line.last = segment;
        if segment.is_entry && segment.has_count {
            line.has_entry = true;
            if !segment.is_gap {
                line.most = line.most.max(Some(segment.count));
            }
        }
        Ok(())
    }

    /// Adds the last line.
    pub(super) fn finish(mut self, lines: &mut Vec<(u32, u64)>) {
        if let Some(line) = self.line.take() {
            self.close(line, lines);
        }
    }

    fn close(&mut self, line: SegmentLine, lines: &mut Vec<(u32, u64)>) {
        let is_skipped = line.first.is_entry && !line.first.has_count;
        let reaches_in = self.wrapped.is_some_and(|wrapped| wrapped.has_count);
        if line.has_entry || (!is_skipped && reaches_in) {
            let wrapped = self.wrapped.map_or(0, |wrapped| wrapped.count);
            lines.push((line.first.line, line.most.unwrap_or(0).max(wrapped)));
        }
        self.wrapped = Some(line.last);
    }
}
