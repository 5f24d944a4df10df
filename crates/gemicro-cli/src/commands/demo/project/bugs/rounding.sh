# Fails today: 199 cents and 7 % are 212.93 cents, which is 213, not 212.
test "$(sh price.sh 199 7)" = 213
