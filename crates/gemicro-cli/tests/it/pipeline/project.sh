# Makes the repository of the pipeline's tests in the folder $1: a program of one line with one test.
set -e
mkdir -p "$1/tests"
cd "$1"
echo 'echo hello' > hello.sh
printf '# Words\n\n`hello.sh` says hello.\n' > README.md
echo 'test "$(sh hello.sh)" = hello' > tests/hello_test.sh
cat > tests/run.sh <<'TEXT'
n=0
failed=0
for test in tests/*_test.sh; do
    n=$((n + 1))
    if sh "$test"; then echo "ok $n - $test"; else echo "not ok $n - $test"; failed=1; fi
done
echo "1..$n"
exit $failed
TEXT
git init --quiet --initial-branch=main .
git config user.name Ada
git config user.email ada@example.com
git add --all
git commit --quiet --message='hello: say it'
