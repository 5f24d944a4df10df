//! The step of a `query_coverage` task, carried out.

use gemicro_batch::coverage::{COVERAGE_STEP, CoverageExecutor, FileScope, OutputFormat};
use gemicro_batch::types::{CoverageInput, CoverageOutput};
use gemicro_core::budget::Purpose;
use gemicro_core::execute::{Executor, RunAnswers, StepCall, StepReporter};
use gemicro_core::flow::{RetryPolicy, Step};
use gemicro_core::live::LiveHub;
use gemicro_event::{Charge, ErrorKind, Failure, Json, StepKey, StreamId};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::project::{Project, lcov};

fn input(project: &Project, format: OutputFormat) -> CoverageInput {
    CoverageInput {
        directory: project.root().to_string_lossy().into_owned(),
        scope: FileScope::All,
        format,
        reports: Vec::new(),
    }
}

async fn execute(input: &CoverageInput, cancel: CancellationToken) -> Result<Json, Failure> {
    let step = Step {
        key: StepKey::new("s"),
        kind: COVERAGE_STEP.to_owned(),
        input: Json::of(input).unwrap(),
        cost: Charge::ZERO,
        purpose: Purpose::Ordinary,
        retry: RetryPolicy::default(),
        timeout_ms: None,
    };
    let call = StepCall {
        answers: RunAnswers::channel().1,
        run: StreamId::random(),
        live: LiveHub::default().writer(&step.key, 1),
        step,
        attempt: 1,
        handle: None,
        reporter: StepReporter::channel().0,
        cancel,
    };
    let done = CoverageExecutor.execute(call).await;
    done.map(|output| output.output).map_err(|failed| failed.failure)
}

#[tokio::test]
async fn the_output_has_data_summary_reports_and_warnings() {
    let project = Project::new();
    project.write("a.rs", "");
    project.written("a.rs", 60);
    project.write("lcov.info", lcov("a.rs", &[(1, 1), (2, 0)]));
    let output = execute(&input(&project, OutputFormat::Json), CancellationToken::new())
        .await
        .unwrap();
    let summary = json!({ "lines": 2, "covered": 1, "percent": 50.0, "functions": 0, "functions_covered": 0, "files": 1 });
    let expected = json!({
        "coverage_data": {
            "summary": summary,
            "files": [{
                "path": "a.rs", "language": "rust", "lines": 2, "covered": 1, "percent": 50.0, "uncovered": ["2"], "functions": [],
            }],
        },
        "summary": summary,
        "reports": [{ "path": "lcov.info", "format": "lcov", "is_stale": false, "files": 1 }],
        "warnings": [],
    });
    assert_eq!(output.text(), expected.to_string());
    for format in [OutputFormat::MinizincDzn, OutputFormat::TextSummary] {
        let output = execute(&input(&project, format), CancellationToken::new())
            .await
            .unwrap();
        let output: CoverageOutput = output.parse().unwrap();
        assert!(output.coverage_data.is_string());
        assert_eq!(output.summary.lines, 2);
    }
}

#[tokio::test]
async fn what_cannot_be_reported_is_a_failure_of_its_kind() {
    let project = Project::new();
    let all = input(&project, OutputFormat::Json);
    let failed = execute(&all, CancellationToken::new()).await.unwrap_err();
    assert_eq!(failed.kind, ErrorKind::NotFound);
    let cancel = CancellationToken::new();
    cancel.cancel();
    project.write("lcov.info", lcov("a.rs", &[(1, 1)]));
    let failed = execute(&all, cancel).await.unwrap_err();
    assert_eq!(failed.kind, ErrorKind::Cancelled);
    // An answer that is too long says what to ask instead, and that is short enough.
    let name = "x".repeat(1 << 19);
    let functions: String = (1..40).map(|n| format!("FN:{n},{n}{name}\n")).collect();
    project.write(
        "lcov.info",
        format!("SF:a.rs\n{functions}DA:1,1\nend_of_record\n"),
    );
    let failed = execute(&all, CancellationToken::new()).await.unwrap_err();
    assert_eq!(failed.kind, ErrorKind::InvalidInput);
    assert!(
        failed.message.contains("for the format text_summary"),
        "{}",
        failed.message
    );
    let short = execute(
        &input(&project, OutputFormat::TextSummary),
        CancellationToken::new(),
    )
    .await
    .unwrap();
    assert!(short.text().len() < 1 << 20);
}
