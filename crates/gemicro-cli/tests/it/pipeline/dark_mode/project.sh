# Makes the repository of the example in the folder $1: a web page of settings, with a test.
set -e
mkdir -p "$1/src" "$1/test"
cd "$1"
cat > package.json <<'TEXT'
{
  "name": "settings",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
TEXT
cat > src/settings.js <<'TEXT'
// The main settings page.
export function settingsPage(settings) {
  return `<form id="settings">
  <label>Name <input name="name" value="${settings.name}"></label>
</form>`;
}
TEXT
cat > test/settings.test.js <<'TEXT'
import assert from "node:assert";
import test from "node:test";
import { settingsPage } from "../src/settings.js";

test("the page shows the name", () => {
  assert.match(settingsPage({ name: "Ada" }), /value="Ada"/);
});
TEXT
printf '# Settings\n\nThe page has one field, the name.\n' > README.md
printf '# Changelog\n\n## 1.2.0\n\n- The name can be changed.\n' > CHANGELOG.md
echo 1.2.0 > VERSION
git init --quiet --initial-branch=main .
git config user.name Ada
git config user.email ada@example.com
git add --all
git commit --quiet --message='settings: show the name'
