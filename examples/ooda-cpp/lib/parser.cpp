#include "parser.h"

#include <cctype>

namespace mzn {

namespace {

// A place in a text, and what can be read there.
class Reader {
public:
    explicit Reader(const std::string& text, std::size_t place = 0) : text_(text), place_(place) {}

    std::size_t place() const { return place_; }

    bool at_end() const { return place_ >= text_.size(); }

    // Passes over spaces and comments, which begin with `%` and end with the line.
    void skip_space() {
        while (!at_end()) {
            if (text_[place_] == '%') {
                while (!at_end() && text_[place_] != '\n') {
                    ++place_;
                }
            } else if (std::isspace(static_cast<unsigned char>(text_[place_])) != 0) {
                ++place_;
            } else {
                return;
            }
        }
    }

    // Takes a text if it stands here.
    bool take(const std::string& wanted) {
        skip_space();
        if (text_.compare(place_, wanted.size(), wanted) != 0) {
            return false;
        }
        place_ += wanted.size();
        return true;
    }

    // Takes a word if it stands here and goes no further.
    bool take_word(const std::string& wanted) {
        const std::size_t before = place_;
        if (!take(wanted)) {
            return false;
        }
        if (!at_end() && is_name(text_[place_])) {
            place_ = before;
            return false;
        }
        return true;
    }

    void expect(const std::string& wanted) {
        if (!take(wanted)) {
            fail("`" + wanted + "` was expected");
        }
    }

    std::string name() {
        skip_space();
        const std::size_t first = place_;
        while (!at_end() && is_name(text_[place_])) {
            ++place_;
        }
        if (first == place_ || std::isdigit(static_cast<unsigned char>(text_[first])) != 0) {
            fail("a name was expected");
        }
        return text_.substr(first, place_ - first);
    }

    long number() {
        skip_space();
        const std::size_t first = place_;
        if (!at_end() && text_[place_] == '-') {
            ++place_;
        }
        const std::size_t digits = place_;
        while (!at_end() && std::isdigit(static_cast<unsigned char>(text_[place_])) != 0) {
            ++place_;
        }
        if (digits == place_) {
            fail("a number was expected");
        }
        return std::stol(text_.substr(first, place_ - first));
    }

    // Everything up to the end of the declaration.
    std::string value() {
        skip_space();
        const std::size_t first = place_;
        while (!at_end() && text_[place_] != ';') {
            ++place_;
        }
        std::size_t last = place_;
        while (last > first && std::isspace(static_cast<unsigned char>(text_[last - 1])) != 0) {
            --last;
        }
        if (first == last) {
            fail("a value was expected");
        }
        return text_.substr(first, last - first);
    }

    [[noreturn]] void fail(const std::string& message) const { throw ParseError(message, place_); }

private:
    static bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

    const std::string& text_;
    std::size_t place_;
};

// Reads the type of a variable.
void read_kind(Reader& reader, Variable& variable) {
    if (reader.take_word("bool")) {
        variable.kind = Kind::Bool;
    } else if (reader.take_word("float")) {
        variable.kind = Kind::Float;
    } else if (reader.take_word("int")) {
        variable.kind = Kind::Int;
    } else {
        variable.kind = Kind::Range;
        variable.low = reader.number();
        reader.expect("..");
        variable.high = reader.number();
        if (variable.high < variable.low) {
            reader.fail("the range is empty");
        }
    }
}

Variable read_variable(Reader& reader) {
    Variable variable;
    variable.is_decision = reader.take_word("var");
    if (!variable.is_decision) {
        reader.take_word("par");
    }
    read_kind(reader, variable);
    reader.expect(":");
    variable.name = reader.name();
    if (reader.take("=")) {
        variable.value = reader.value();
    } else if (!variable.is_decision) {
        reader.fail("a parameter needs a value");
    }
    reader.expect(";");
    return variable;
}

}  // namespace

Variable parse_variable(const std::string& text) {
    Reader reader(text);
    Variable variable = read_variable(reader);
    reader.skip_space();
    if (!reader.at_end()) {
        reader.fail("nothing more was expected");
    }
    return variable;
}

std::vector<Variable> parse_variables(const std::string& text) {
    std::vector<Variable> variables;
    Reader reader(text);
    reader.skip_space();
    while (!reader.at_end()) {
        variables.push_back(read_variable(reader));
        reader.skip_space();
    }
    return variables;
}

std::optional<long> domain_size(const Variable& variable) {
    switch (variable.kind) {
        case Kind::Bool:
            return 2;
        case Kind::Range:
            return variable.high - variable.low + 1;
        case Kind::Int:
        case Kind::Float:
            return std::nullopt;
    }
    return std::nullopt;
}

std::string to_text(const Variable& variable) {
    std::string text = variable.is_decision ? "var " : "";
    if (variable.kind == Kind::Bool) {
        text += "bool";
    } else if (variable.kind == Kind::Float) {
        text += "float";
    } else if (variable.kind == Kind::Int) {
        text += "int";
    } else {
        text += std::to_string(variable.low) + ".." + std::to_string(variable.high);
    }
    text += ": " + variable.name;
    if (variable.value.has_value()) {
        text += " = " + *variable.value;
    }
    return text + ";";
}

}  // namespace mzn
