# Without tax nothing changes.
test "$(sh price.sh 250 0)" = 250
