// Checks that print where they fail; the program ends with 1 if any did.
#pragma once

#include <cstdio>

inline int& n_failed() {
    static int count = 0;
    return count;
}

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);     \
            ++n_failed();                                                   \
        }                                                                   \
    } while (false)

inline int checks_failed() { return n_failed() == 0 ? 0 : 1; }
