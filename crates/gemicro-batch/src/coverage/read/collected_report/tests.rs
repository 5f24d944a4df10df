//! The bounds of what is collected.

use super::{CollectedReport, FunctionCoverage, ReportBounds, ReportError};

fn collected() -> CollectedReport {
    CollectedReport {
        bounds: ReportBounds {
            files: 2,
            lines: 4,
            functions: 1,
        },
        ..CollectedReport::default()
    }
}

fn refused<T: std::fmt::Debug>(added: Result<T, ReportError>) -> String {
    match added {
        Err(ReportError::TooLarge(what)) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn files_lines_and_functions_are_bounded() {
    let mut collected = collected();
    let first = collected.file("a").unwrap();
    assert_eq!(collected.file("a").unwrap(), first);
    let second = collected.file("b").unwrap();
    assert_eq!(refused(collected.file("c")), "it names more than 2 files");
    collected
        .add_lines(first, &mut vec![(2, 1), (1, 1), (2, 5)])
        .unwrap();
    // The same lines again are no new ones.
    collected.add_lines(first, &mut vec![(2, 1), (1, 1)]).unwrap();
    assert_eq!(collected.files[first].lines, [(1, 2), (2, 7)].into());
    collected.add_lines(second, &mut vec![(1, 0), (2, 0)]).unwrap();
    let beyond = collected.add_lines(second, &mut vec![(3, 0)]);
    assert_eq!(refused(beyond), "it has more than 4 lines of code");
    let function = FunctionCoverage {
        name: "f".to_owned(),
        line: 1,
        count: 0,
    };
    collected.add_function(first, function.clone()).unwrap();
    assert_eq!(
        refused(collected.add_function(first, function)),
        "it has more than 1 functions"
    );
}
