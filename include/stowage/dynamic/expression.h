// SPDX-License-Identifier: Apache-2.0
// Evaluates integer expressions, which compute a size from parameters.
//
//   const std::vector<std::string> names = {"batch", "seq"};
//   StatusOr<Expression> size = Expression::Parse("4*batch*seq*768", names);
//   size->Evaluate({8, 128}).value;  // 3145728
//
// An expression consists of whole numbers, parameters, + - * // ( ) min(a, b)
// and max(a, b), and the comparisons < <= == >= >. A quotient is rounded down.
// A comparison is 1 if it holds and 0 otherwise. Numbers are signed 64-bit
// integers, and every step is checked for overflow. To plan with sizes that are
// expressions, use dynamic_problem.h.
#ifndef STOWAGE_DYNAMIC_EXPRESSION_H_
#define STOWAGE_DYNAMIC_EXPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage {

// All numbers from `low` to `high`, both included.
struct NumberRange {
  int64_t low = 0;
  int64_t high = 0;
};

class Expression {
 public:
  // The reason why the evaluation of an expression fails.
  enum class Fault : uint8_t { kNone, kDivisionByZero, kOverflow };

  struct Result {
    int64_t value = 0;  // is 0 after a fault
    Fault fault = Fault::kNone;
  };

  // Parses a text. A parameter is identified by its position in `names`. Error:
  // InvalidArgument with a message such as "column 5: ...", where columns are
  // counted from 1. O(bytes).
  static StatusOr<Expression> Parse(string_view text,
                                    Span<const std::string> names);

  // Returns an expression that is only this number.
  static Expression Constant(int64_t number);

  // Returns the value of the expression. Requires a value for each parameter.
  // O(steps).
  Result Evaluate(Span<const uint64_t> values) const;

  // Returns a range that contains every value of the expression for parameters
  // in these ranges, or nullopt if a fault is possible. If Rises() is true, the
  // expression attains both ends of the range. O(steps).
  optional<NumberRange> RangeOver(Span<const NumberRange> parameters) const;

  // Returns whether it is certain that the value of the expression does not
  // fall when a parameter rises within these ranges. This is certain if the
  // expression subtracts only constants, divides only by constants, and
  // multiplies only factors that are not negative. O(steps).
  bool Rises(Span<const NumberRange> parameters) const;

  // If the expression is linear, which means that it is the sum of a constant
  // and a multiple of each parameter, returns the constant followed by the
  // factors. Otherwise returns nullopt. `parameters` is the number of
  // parameters. O(steps * parameters).
  optional<std::vector<int64_t>> LinearForm(size_t parameters) const;

  // Returns whether the outermost operation is a comparison.
  bool IsComparison() const;
  // Returns whether the expression uses no parameter.
  bool IsConstant() const;

  // Returns the expression as C code of type int64_t, in which the parameters
  // have the given `names`. The code calls the functions PREFIX_min, PREFIX_max
  // and PREFIX_divide, which must be defined elsewhere and have two parameters
  // of type int64_t. PREFIX_divide must round down. O(steps).
  std::string ToC(Span<const std::string> names, string_view prefix) const;

 private:
  // The steps are in postfix order.
  enum class Operation : uint8_t {
    kNumber,
    kParameter,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kMin,
    kMax,
    kLess,
    kLessOrEqual,
    kEqual,
    kGreaterOrEqual,
    kGreater,
  };
  struct Step {
    Operation operation = Operation::kNumber;
    int64_t number = 0;  // the number, or the position of the parameter
  };
  class Parser;

  // The maximum number of values that an evaluation keeps on its stack.
  static constexpr size_t kMaxDepth = 64;

  // Computes a value of the expression from its steps. Calls `of_step(step)`
  // for numbers and parameters, and `combine(operation, a, b)` for all other
  // steps. `combine` must set `a` to the result, and return false if there is
  // no result.
  template <typename T, typename OfStep, typename Combine>
  optional<T> Fold(const OfStep& of_step, const Combine& combine) const;

  static Result Apply(Operation operation, int64_t a, int64_t b);
  static optional<NumberRange> ApplyToRanges(Operation operation,
                                             const NumberRange& a,
                                             const NumberRange& b);

  std::vector<Step> steps_;
};

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_EXPRESSION_H_
