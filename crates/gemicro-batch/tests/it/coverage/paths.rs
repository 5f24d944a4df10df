//! Paths of reports: from the project's folder on, whoever wrote them where.

use gemicro_batch::coverage::{FileScope, GatheredCoverage};
use gemicro_event::ErrorKind;

use super::project::{Project, lcov};

const LINES: &[(u32, u64)] = &[(1, 1), (2, 0)];

fn paths(gathered: &GatheredCoverage) -> Vec<&str> {
    gathered
        .coverage
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect()
}

fn project(sources: &[&str]) -> Project {
    let project = Project::new();
    for source in sources {
        project.write(source, "");
        project.written(source, 60);
    }
    project
}

fn report(paths: &[&str]) -> String {
    paths.iter().map(|path| lcov(path, LINES)).collect()
}

#[test]
fn paths_of_this_folder_lose_its_name() {
    let project = project(&["src/a.c", "src/b.c", "lib/c.rs"]);
    let here = |name: &str| project.path(name).to_string_lossy().into_owned();
    let text = report(&[
        &here("src/a.c"),
        "./src//b.c",
        "src/../lib/c.rs",
        "/usr/include/c++/14/string",
        "../x.c",
    ]);
    project.write("lcov.info", text);
    let gathered = project.all();
    assert_eq!(paths(&gathered), ["lib/c.rs", "src/a.c", "src/b.c"]);
    let expected =
        "lcov.info: 2 files are outside the project and left out: /usr/include/c++/14/string, ../x.c"
            .to_owned();
    assert_eq!(gathered.warnings, [expected]);
    assert_eq!(gathered.reports[0].files, 3);
}

#[test]
fn a_report_of_another_checkout_is_mapped_by_its_ends() {
    let project = project(&["src/a.c", "src/b.c", "config.h", "main.c"]);
    project.write(
        "lcov.info",
        report(&[
            "/ci/work/src/a.c",
            "/ci/work/src/b.c",
            "/ci/work/main.c",
            "/ci/work/src/gone.c",
            "/opt/tool/config.h",
            "/usr/include/config.h",
        ]),
    );
    let gathered = project.all();
    assert_eq!(paths(&gathered), ["main.c", "src/a.c", "src/b.c", "src/gone.c"]);
    let expected = [
        "lcov.info was made in /ci/work; files there count as this project's",
        "lcov.info: 2 files are outside the project and left out: /opt/tool/config.h, /usr/include/config.h",
        "lcov.info: 1 file is not in the project any more (moved or deleted): src/gone.c",
    ];
    assert_eq!(gathered.warnings, expected);
}

#[test]
fn a_neighbour_with_the_same_names_is_not_this_project() {
    let project = project(&["src/lib.rs"]);
    let here = project.path("src/lib.rs").to_string_lossy().into_owned();
    project.write(
        "lcov.info",
        report(&[&here, "/srv/neighbour/src/lib.rs", "../neighbour/src/lib.rs"]),
    );
    let gathered = project.all();
    assert_eq!(paths(&gathered), ["src/lib.rs"]);
    assert_eq!(gathered.coverage.files[0].lines[&1], 1, "counted once");
}

#[test]
fn drives_and_backslashes_are_paths_too() {
    let project = project(&["src/a.cpp"]);
    project.write("coverage.info", report(&["C:\\work\\shapes\\src\\a.cpp"]));
    assert_eq!(paths(&project.all()), ["src/a.cpp"]);
}

#[test]
fn sources_of_cobertura_begin_the_paths() {
    let project = project(&["lib/core/a.c", "b.c"]);
    let class = |name: &str| {
        format!(r#"<class filename="{name}"><lines><line number="1" hits="1"/></lines></class>"#)
    };
    let text = |source: &str, name: &str| {
        format!(
            "<coverage><sources><source>{source}</source></sources><packages>{}</packages></coverage>",
            class(name)
        )
    };
    let root = project.root().to_string_lossy().into_owned();
    for (source, name, expected) in [
        (format!("{root}/lib"), "core/a.c", "lib/core/a.c"),
        ("lib".to_owned(), "core/a.c", "lib/core/a.c"),
        ("/ci/work/lib".to_owned(), "core/a.c", "lib/core/a.c"),
        ("/ci/work".to_owned(), "b.c", "b.c"),
        (".".to_owned(), "gone.c", "gone.c"),
    ] {
        project.write("coverage.xml", text(&source, name));
        assert_eq!(paths(&project.all()), [expected], "{source} {name}");
    }
}

#[test]
fn a_relative_path_can_begin_where_the_report_lies() {
    let project = project(&["src/a.c"]);
    project.write("build/coverage.info", report(&["../src/a.c"]));
    assert_eq!(paths(&project.all()), ["src/a.c"]);
}

#[test]
fn a_report_outside_the_project_is_refused_also_through_a_link() {
    let outside = Project::new();
    outside.write("lcov.info", report(&["a.c"]));
    let project = project(&["a.c"]);
    std::os::unix::fs::symlink(outside.root(), project.path("linked")).unwrap();
    std::os::unix::fs::symlink(outside.path("lcov.info"), project.path("one.info")).unwrap();
    let absolute = outside.path("lcov.info").to_string_lossy().into_owned();
    for name in [
        absolute.as_str(),
        "linked/lcov.info",
        "one.info",
        "../x/lcov.info",
        "/etc/passwd",
        "a/../../b",
    ] {
        let error = project.gather(&[name], FileScope::All).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{name}: {error}");
    }
    // In a usual place it is passed over.
    std::os::unix::fs::symlink(outside.path("lcov.info"), project.path("lcov.info")).unwrap();
    assert_eq!(
        project.gather(&[], FileScope::All).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    // A link inside the project is as good as its target, and both are one report.
    project.write("real.info", report(&["a.c"]));
    std::os::unix::fs::symlink("real.info", project.path("also.info")).unwrap();
    let gathered = project
        .gather(&["real.info", "also.info", "./real.info"], FileScope::All)
        .unwrap();
    assert_eq!(gathered.reports.len(), 1);
}

#[test]
fn a_folder_or_a_pipe_is_no_report() {
    let project = project(&["a.c"]);
    std::fs::create_dir(project.path("lcov.dir")).unwrap();
    assert!(project.gather(&["lcov.dir"], FileScope::All).is_err());
    let made = std::process::Command::new("mkfifo")
        .arg(project.path("pipe.info"))
        .status()
        .unwrap();
    assert!(made.success());
    let error = project.gather(&["pipe.info"], FileScope::All).unwrap_err();
    assert!(error.to_string().contains("it is not a plain file"), "{error}");
}

#[test]
fn the_project_may_be_named_through_a_link() {
    let project = project(&["src/a.c"]);
    let beside = Project::new();
    let link = beside.path("link");
    std::os::unix::fs::symlink(project.root(), &link).unwrap();
    let named = link.join("src/a.c").to_string_lossy().into_owned();
    project.write("lcov.info", report(&[&named]));
    let gathered = gemicro_batch::coverage::gather(&gemicro_batch::coverage::CoverageRequest {
        reports: vec![link.join("lcov.info").to_string_lossy().into_owned()],
        root: link,
        scope: FileScope::All,
    });
    assert_eq!(paths(&gathered.unwrap()), ["src/a.c"]);
}
