//! Settings of agents in a repository: a reviewer's checkout holds none of them, and the branch keeps them as they are.

use super::scene::{BRANCH, Scene};

/// Files that any agent CLI would load.
const SETTINGS: [&str; 6] = [
    ".claude/settings.json",
    ".gemini/settings.json",
    ".codex/config.toml",
    ".agents/skills/planted/SKILL.md",
    ".mcp.json",
    "part/.claude/settings.json",
];

/// A reviewer that says so when it can see one of them, or when its checkout differs from the commit.
fn auditor() -> String {
    let names = SETTINGS.join(" ");
    format!(
        "audit() {{
            seen=$(ls -d {names} GEMINI.md 2>/dev/null; git status --porcelain; git diff --cached --name-only)
            diff=$(found 's/^- `\\([^`]*changes.diff\\)`.*$/\\1/p')
            grep -q planted-by-the-developer \"$diff\" || seen=\"$seen no diff in $diff\"
            review
            if [ \"$seen\" ]; then
                answer 'No.' \"{{\\\"verdict\\\": \\\"FAIL\\\", \\\"review_path\\\": \\\"$document\\\", \\\"feedback\\\": \\\"$(echo $seen)\\\"}}\"
            else
                pass
            fi
        }}"
    )
}

#[test]
fn a_reviewer_sees_settings_of_agents_only_as_text() {
    let mut scene = Scene::new();
    scene.workflow("rounds: 4", "rounds: 1");
    for name in SETTINGS {
        let path = scene.project(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "{}\n").unwrap();
    }
    scene.commit_all("agents: settings of the project");
    let plant: String = SETTINGS
        .iter()
        .filter(|name| !name.starts_with(".gemini") && !name.starts_with(".agents"))
        .map(|name| format!("echo planted-by-the-developer > {name}; "))
        .collect();
    scene.agents(&format!(
        "develop() {{ change; verify; {plant} echo planted-by-the-developer > GEMINI.md; commit 'bye: say farewell'; claim; }}\n{}",
        auditor()
    ));
    let ran = scene.run(&["--no-push"]);
    ran.assert_completed();
    let at = |name: &str| scene.git(&["show", &format!("{BRANCH}:{name}")]);
    assert_eq!(at(".mcp.json"), "planted-by-the-developer");
    // What Gemini CLI must not load is not in the developer's checkout either, and no commit of it deletes that.
    assert_eq!(at(".gemini/settings.json"), "{}");
    assert_eq!(at(".agents/skills/planted/SKILL.md"), "{}");
    scene.assert_main_untouched();
}
