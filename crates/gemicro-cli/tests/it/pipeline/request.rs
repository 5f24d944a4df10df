//! What a run says about its branch in the end.

use super::scene::{BRANCH, Scene};

#[test]
fn documents_are_named_where_they_are() {
    let scene = Scene::new();
    let ran = scene.run(&["--no-push"]);
    ran.assert_completed();
    let result = &ran.all("final_result")[0]["data"];
    let documents = result["documents"].as_object().unwrap();
    assert!(documents.len() >= 4, "{documents:?}");
    let of_phases = result["phases"].as_array().unwrap().iter();
    let of_phases = of_phases.filter_map(|phase| phase["document"].as_str());
    let text = result["answer"].as_str().unwrap();
    for path in documents
        .values()
        .filter_map(|path| path.as_str())
        .chain(of_phases)
    {
        scene.git(&["cat-file", "-e", &format!("{BRANCH}:{path}")]);
        assert!(text.contains(path), "{path}: {text}");
    }
    for line in text.lines().filter(|line| line.contains("docs/dev_docs/")) {
        assert!(line.contains("/archived/"), "{line}");
    }
}
