// Reads declarations of MiniZinc variables, such as `var 1..10: x;`. A small library whose tests leave gaps, for
// `gemicro ooda`.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mzn {

// What a variable can be.
enum class Kind { Bool, Int, Float, Range };

// One declaration.
struct Variable {
    Kind kind = Kind::Int;
    bool is_decision = false;
    std::string name;
    long low = 0;
    long high = 0;
    std::optional<std::string> value;
};

// A text that is no declaration: what was expected, and where.
class ParseError : public std::runtime_error {
public:
    ParseError(const std::string& message, std::size_t place)
        : std::runtime_error(message), place(place) {}

    std::size_t place;
};

// Reads one declaration.
Variable parse_variable(const std::string& text);

// Reads declarations that follow each other.
std::vector<Variable> parse_variables(const std::string& text);

// How many values a variable can have; nothing where there are too many to count.
std::optional<long> domain_size(const Variable& variable);

// The declaration as text.
std::string to_text(const Variable& variable);

}  // namespace mzn
