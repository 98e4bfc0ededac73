// SPDX-License-Identifier: Apache-2.0
// Parses expressions by recursive descent and converts them to steps in postfix
// order.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/dynamic/expression.h"

namespace stowage {
namespace {

constexpr char kOperators[] = "one of + - * // < <= == >= >";
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

bool IsNameByte(char c) {
  return ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool IsDigit(char c) { return ascii_isdigit(static_cast<unsigned char>(c)); }

}  // namespace

// Parses one expression. Keeps the first error; after an error, functions
// return false.
class Expression::Parser {
 public:
  Parser(string_view text, Span<const std::string> names)
      : text_(text), names_(names) {}

  StatusOr<Expression> Parse() {
    if (ParseComparison()) {
      SkipSpaces();
      if (next_ == text_.size()) return std::move(expression_);
      Fail(is_compared_ ? "the end of the comparison" : kOperators);
    }
    return status_;
  }

 private:
  struct Operator {
    string_view text;
    Operation operation;
  };

  bool Fail(string_view expected) {
    SkipSpaces();
    const string_view rest = text_.substr(next_);
    size_t length = rest.empty() ? 0 : 1;
    if (!rest.empty() && IsNameByte(rest[0])) {
      while (length < rest.size() && IsNameByte(rest[length])) ++length;
    }
    return FailAt(
        next_, StrCat(length == 0 ? "the end" : Quoted(rest.substr(0, length)),
                      "; expected ", expected));
  }
  bool FailAt(size_t position, string_view message) {
    if (status_.ok()) {
      status_ =
          InvalidArgumentError(StrCat("column ", position + 1, ": ", message));
    }
    return false;
  }

  void SkipSpaces() {
    while (next_ < text_.size() &&
           (text_[next_] == ' ' || text_[next_] == '\t')) {
      ++next_;
    }
  }
  // Consumes `word` and returns true if it comes next in the text.
  bool Take(string_view word) {
    SkipSpaces();
    if (!StartsWith(text_.substr(next_), word)) return false;
    next_ += word.size();
    return true;
  }
  bool Expect(string_view word) {
    return Take(word) || Fail(StrCat("\"", word, "\""));
  }

  // PushValue adds a value. PushOperation adds an operation that replaces two
  // values by one.
  bool PushValue(Operation operation, int64_t number) {
    if (++depth_ > kMaxDepth) {
      return FailAt(next_,
                    StrCat("operations nested too deeply; expected at most ",
                           kMaxDepth, " pending values"));
    }
    expression_.steps_.push_back({operation, number});
    return true;
  }
  bool PushOperation(Operation operation) {
    --depth_;
    expression_.steps_.push_back({operation, 0});
    return true;
  }

  // Parses a sequence of operands that are separated by any of `operators`.
  // `parse` parses one operand.
  template <size_t kCount>
  bool ParseChain(bool (Parser::*parse)(),
                  const std::array<Operator, kCount>& operators) {
    if (!(this->*parse)()) return false;
    while (true) {
      const auto* const found =
          std::find_if(operators.begin(), operators.end(),
                       [&](const Operator& each) { return Take(each.text); });
      if (found == operators.end()) return true;
      if (!(this->*parse)() || !PushOperation(found->operation)) return false;
    }
  }

  bool ParseComparison() {
    // Longer operators come first, because `<` also matches the start of `<=`.
    static constexpr std::array<Operator, 5> kComparisons = {
        {{"<=", Operation::kLessOrEqual},
         {">=", Operation::kGreaterOrEqual},
         {"==", Operation::kEqual},
         {"<", Operation::kLess},
         {">", Operation::kGreater}}};
    if (!ParseSum()) return false;
    for (const Operator& each : kComparisons) {
      if (!Take(each.text)) continue;
      is_compared_ = true;
      return ParseSum() && PushOperation(each.operation);
    }
    return true;
  }
  bool ParseSum() {
    static constexpr std::array<Operator, 2> kSums = {
        {{"+", Operation::kAdd}, {"-", Operation::kSubtract}}};
    return ParseChain(&Parser::ParseProduct, kSums);
  }
  bool ParseProduct() {
    static constexpr std::array<Operator, 2> kProducts = {
        {{"*", Operation::kMultiply}, {"//", Operation::kDivide}}};
    return ParseChain(&Parser::ParseOperand, kProducts);
  }

  bool ParseOperand() {
    SkipSpaces();
    if (next_ == text_.size()) return Fail("a number, a parameter or \"(\"");
    if (IsDigit(text_[next_])) return ParseNumber();
    if (Take("(")) return ParseNested() && Expect(")");
    if (!IsNameByte(text_[next_])) {
      return Fail("a number, a parameter or \"(\"");
    }
    return ParseName();
  }
  // Parses the text between parentheses. Counts the depth of recursion, which
  // would otherwise be limited only by the length of the text.
  bool ParseNested() {
    if (nesting_ == kMaxDepth) {
      return FailAt(next_,
                    StrCat("parentheses nested too deeply; expected at most ",
                           kMaxDepth));
    }
    ++nesting_;
    const bool is_parsed = ParseComparison();
    --nesting_;
    return is_parsed;
  }
  bool ParseNumber() {
    const size_t begin = next_;
    int64_t number = 0;
    for (; next_ < text_.size() && IsDigit(text_[next_]); ++next_) {
      const int64_t digit = text_[next_] - '0';
      if (number > (kLargest - digit) / 10) {
        return FailAt(begin, StrCat("a number above ", kLargest,
                                    "; expected at most that"));
      }
      number = number * 10 + digit;
    }
    if (next_ < text_.size() && IsNameByte(text_[next_])) {
      return Fail(kOperators);
    }
    return PushValue(Operation::kNumber, number);
  }
  bool ParseName() {
    const size_t begin = next_;
    while (next_ < text_.size() && IsNameByte(text_[next_])) ++next_;
    const string_view name = text_.substr(begin, next_ - begin);
    if ((name == "min" || name == "max") && Take("(")) {
      return ParseNested() && Expect(",") && ParseNested() && Expect(")") &&
             PushOperation(name == "min" ? Operation::kMin : Operation::kMax);
    }
    const auto* const found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) {
      return PushValue(Operation::kParameter, found - names_.begin());
    }
    const std::string known =
        names_.empty() ? "a number" : StrJoin(names_, ", ");
    return FailAt(begin,
                  StrCat("unknown parameter ", name, "; expected ", known));
  }

  const string_view text_;
  const Span<const std::string> names_;
  size_t next_ = 0;
  size_t depth_ = 0;
  size_t nesting_ = 0;
  bool is_compared_ = false;
  Expression expression_;
  Status status_;
};

StatusOr<Expression> Expression::Parse(string_view text,
                                       Span<const std::string> names) {
  return Parser(text, names).Parse();
}

Expression Expression::Constant(int64_t number) {
  Expression expression;
  expression.steps_.push_back({Operation::kNumber, number});
  return expression;
}

}  // namespace stowage
