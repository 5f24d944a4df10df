//! From the segments of a file to its lines, as llvm-cov itself counts them.
//!
//! A segment says what holds from its place on. A line has code when something with a count reaches into it or begins
//! on it, and ran as often as the most of these; a region that is skipped hides the line that it begins on. This is how
//! `llvm-cov show` and its LCOV count. `llvm-cov report` sums over functions instead: a line that two functions share,
//! such as that of a closure, is two lines there and one here.

#[derive(Debug, Clone, Copy)]
pub(super) struct CoverageSegment {
    pub(super) line: u32,
    pub(super) count: u64,
    pub(super) has_count: bool,
    pub(super) is_entry: bool,
    pub(super) is_gap: bool,
}

/// Lines that grow while segments go by, in their order.
#[derive(Debug, Default)]
pub(super) struct SegmentLines {
    /// What the lines before left open.
    wrapped: Option<CoverageSegment>,
    line: Option<SegmentLine>,
}

/// What begins on a line so far.
#[derive(Debug, Clone, Copy)]
struct SegmentLine {
    first: CoverageSegment,
    last: CoverageSegment,
    /// The highest count of the regions that begin here.
    most: Option<u64>,
    /// Whether anything with a count begins here, be it a gap.
    has_entry: bool,
}

impl SegmentLines {
    /// Takes the next segment; what is known for certain goes to `lines`.
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

    /// Ends with the last line.
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
