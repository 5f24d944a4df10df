// A small program that misses something: what coverage tools are held against.

#include "shapes.h"

int main() {
    int sum = 0;
    for (int side = 1; side < 5; ++side) {
        sum += area(side, side);
    }
    sum += largest(1, 2) + largest<long>(3, 2);
    sum += name_of(4) == "square" ? twice(1) : 0;
    return sum == 30 + 2 + 3 + 2 ? 0 : 1;
}
