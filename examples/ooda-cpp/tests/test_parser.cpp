#include "../lib/parser.h"
#include "check.h"

int main() {
    const mzn::Variable x = mzn::parse_variable("var 1..10: x;");
    CHECK(x.kind == mzn::Kind::Range);
    CHECK(x.is_decision);
    CHECK(x.low == 1);
    CHECK(x.high == 10);
    CHECK(x.name == "x");
    return checks_failed();
}
