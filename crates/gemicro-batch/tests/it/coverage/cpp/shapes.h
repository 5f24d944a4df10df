// Shapes, of which not all are asked for.

#pragma once
#include <string>

inline int twice(int value) {
    return value * 2;
}

inline int never_called(int value) {
    return value - 1;
}

template <typename T> T largest(T one, T other) {
    if (one > other) {
        return one;
    }
    return other;
}

std::string name_of(int n_sides);
int area(int width, int height);
