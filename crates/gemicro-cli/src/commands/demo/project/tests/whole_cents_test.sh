# 100 cents and 20 % are 120 cents.
test "$(sh price.sh 100 20)" = 120
