// SPDX-License-Identifier: Apache-2.0
// Converts expressions to C. Each leaf of an expression, which is a number or a
// parameter, stores the text that surrounds it. Operations are added from the
// innermost to the outermost, so the text of their operands is never copied.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"
#include "stowage/dynamic/expression.h"

namespace stowage {
namespace {

// The precedence of an operator in C, from the loosest to the tightest binding.
enum class Binding : uint8_t { kComparison, kSum, kProduct, kWhole };

struct Leaf {
  std::string separator;           // written first, between two operands
  std::vector<std::string> opens;  // from the inside to the outside
  std::string text;
  std::string closes;
};

// An operand: its first and its last leaf, and the binding of its outermost
// operator.
struct Operand {
  size_t first = 0;
  size_t last = 0;
  Binding binding = Binding::kWhole;
};

struct OperatorInC {
  string_view separator;
  string_view function;  // is empty for an operator between its operands
  Binding binding = Binding::kWhole;
};

std::string NumberInC(int64_t number) {
  if (number == std::numeric_limits<int64_t>::min()) return "INT64_MIN";
  if (number < 0) return StrCat("(-INT64_C(", -number, "))");
  return StrCat("INT64_C(", number, ")");
}

class WriterInC {
 public:
  explicit WriterInC(string_view prefix) : prefix_(prefix) {}

  Operand AddLeaf(std::string text) {
    leaves_.emplace_back();
    leaves_.back().text = std::move(text);
    return {leaves_.size() - 1, leaves_.size() - 1, Binding::kWhole};
  }

  void Combine(const OperatorInC& with, Operand* a, Operand b) {
    if (with.function.empty()) {
      const bool is_chain =
          a->binding == with.binding && with.binding != Binding::kComparison;
      if (a->binding <= with.binding && !is_chain) Enclose("(", *a);
      if (b.binding <= with.binding) Enclose("(", b);
    }
    leaves_[b.first].separator = std::string(with.separator);
    *a = {a->first, b.last, with.binding};
    if (!with.function.empty()) {
      Enclose(StrCat(prefix_, "_", with.function, "("), *a);
    }
  }

  std::string Text() const {
    std::string text;
    for (const Leaf& leaf : leaves_) {
      text += leaf.separator;
      for (size_t i = leaf.opens.size(); i > 0; --i) text += leaf.opens[i - 1];
      text += leaf.text;
      text += leaf.closes;
    }
    return text;
  }

 private:
  void Enclose(std::string open, const Operand& operand) {
    leaves_[operand.first].opens.push_back(std::move(open));
    leaves_[operand.last].closes += ')';
  }

  string_view prefix_;
  std::vector<Leaf> leaves_;
};

}  // namespace

std::string Expression::ToC(Span<const std::string> names,
                            string_view prefix) const {
  // The operators are in the order of the enumerators of Operation, from kAdd
  // on.
  static constexpr OperatorInC kOperators[] = {
      {" + ", "", Binding::kSum},         {" - ", "", Binding::kSum},
      {" * ", "", Binding::kProduct},     {", ", "divide", Binding::kWhole},
      {", ", "min", Binding::kWhole},     {", ", "max", Binding::kWhole},
      {" < ", "", Binding::kComparison},  {" <= ", "", Binding::kComparison},
      {" == ", "", Binding::kComparison}, {" >= ", "", Binding::kComparison},
      {" > ", "", Binding::kComparison}};
  WriterInC writer(prefix);
  std::vector<Operand> operands;
  for (const Step& step : steps_) {
    if (step.operation == Operation::kNumber) {
      operands.push_back(writer.AddLeaf(NumberInC(step.number)));
    } else if (step.operation == Operation::kParameter) {
      operands.push_back(
          writer.AddLeaf(names[static_cast<size_t>(step.number)]));
    } else {
      const Operand last = operands.back();
      operands.pop_back();
      const auto row = static_cast<size_t>(step.operation) -
                       static_cast<size_t>(Operation::kAdd);
      writer.Combine(kOperators[row], &operands.back(), last);
    }
  }
  return writer.Text();
}

}  // namespace stowage
