# What the agents of the example do. A forgetful Developer leaves out what makes the box show the setting, and its test.

write_plan() {
    write "$document" <<'TEXT'
# Plan: a dark mode toggle

## List of Reference Documents

`README.md`.

## Detailed Logic

The settings get a flag `dark`. The settings page has a checkbox for it, and names its theme in `data-theme`: `dark` with
the flag, else `light`. `src/theme.css` has the colours of both.

## Test Scenarios

- Without the flag the theme is `light`, with it `dark`.
- The page has a checkbox named `dark`.

## Documentation to Update

`README.md` names the field; `CHANGELOG.md` and `VERSION` say 1.3.0.

## Expected Deliverables

`src/settings.js`, `src/theme.css` and `test/dark_mode.test.js`.

## Completion Checklist

- The settings page has a checkbox for dark mode
- The page has the theme that the setting says
- Tests hold both

```json gemicro-plan
{
  "deliverables": ["src/settings.js", "src/theme.css", "test/dark_mode.test.js"],
  "docs": ["README.md"],
  "tests": ["test/dark_mode.test.js"],
  "checklist": [
    "The settings page has a checkbox for dark mode",
    "The page has the theme that the setting says",
    "Tests hold both"
  ]
}
```
TEXT
}

write_page() {
    write src/settings.js <<TEXT
// The main settings page.
export function settingsPage(settings) {
  const theme = settings.dark ? "dark" : "light";
  return \`<form id="settings" data-theme="\${theme}">
  <label>Name <input name="name" value="\${settings.name}"></label>
  <label><input type="checkbox" name="dark"$1> Dark mode</label>
</form>\`;
}
TEXT
}
write_toggle() {
    write_page ""
    write src/theme.css <<'TEXT'
[data-theme="light"] { background: white; color: black; }
[data-theme="dark"] { background: black; color: white; }
TEXT
    write test/dark_mode.test.js <<'TEXT'
import assert from "node:assert";
import test from "node:test";
import { settingsPage } from "../src/settings.js";

test("the page has the theme that the setting says", () => {
  assert.match(settingsPage({ name: "Ada" }), /data-theme="light"/);
  assert.match(settingsPage({ name: "Ada", dark: true }), /data-theme="dark"/);
});

test("the page has a checkbox for dark mode", () => {
  assert.match(settingsPage({ name: "Ada" }), /type="checkbox" name="dark"/);
});
TEXT
}
tick_the_box() {
    write_page '${settings.dark ? " checked" : ""}'
    cat >> test/dark_mode.test.js <<'TEXT'

test("the box is ticked when dark mode is on", () => {
  assert.match(settingsPage({ name: "Ada", dark: true }), /name="dark" checked>/);
  assert.doesNotMatch(settingsPage({ name: "Ada" }), /checked/);
});
TEXT
}
write_documents() {
    printf '# Settings\n\nThe page has two fields: the name, and dark mode.\n' > README.md
    sed -i 's/^## 1.2.0$/## 1.3.0\n\n- There is a dark mode.\n\n## 1.2.0/' CHANGELOG.md
    echo 1.3.0 > VERSION
    write "$document" <<'TEXT'
# Verification

- [x] The settings page has a checkbox for dark mode
- [x] The page has the theme that the setting says
- [x] Tests hold both

`npm test` was run; every test passed.
TEXT
}
develop() {
    if [ ! -f src/theme.css ]; then
        write_toggle
        [ "$forgetful" ] || tick_the_box
        commit "settings: add a dark mode toggle"
        write_documents
        commit "docs: describe dark mode, for 1.3.0"
    else
        tick_the_box
        commit "settings: tick the box when dark mode is on"
    fi
    if npm test > /dev/null; then
        claim
    else
        answer "A test fails." '{"status": "failed", "reason": "npm test fails"}'
    fi
}

audit() {
    if ! grep -q checked src/settings.js; then
        write "$document" <<'TEXT'
# Review

- With dark mode on, the page shows an empty box: whoever saves it turns dark mode off. Tick the box, and add a test.
TEXT
        answer "Review failed." "{\"verdict\": \"FAIL\", \"review_path\": \"$document\", \"backlog_items\": [\"Follow the theme of the system\"]}"
        return
    fi
    case $document in
        *merge_review*) seen="Both entries of the changelog are there, and every test passes." ;;
        *) seen="The page has the checkbox and the theme of the plan; tests hold both. Nothing else has changed." ;;
    esac
    printf '# Review\n\n%s\n' "$seen" | write "$document"
    pass
}

resolve() {
    sed -i '/^<<<<<<< /d; /^>>>>>>> /d; s/^=======$//' CHANGELOG.md
    git add -A && git commit -q --no-edit
    answer "Both entries stay." "{\"status\": \"success\", \"commit_hash\": \"$(git rev-parse HEAD)\"}"
}
