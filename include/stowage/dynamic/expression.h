// SPDX-License-Identifier: Apache-2.0
// Evaluates integer expressions. With such an expression, a size is computed
// from parameters.
//
//   const std::vector<std::string> names = {"batch", "seq"};
//   StatusOr<Expression> size = Expression::Parse("4*batch*seq*768", names);
//   size->Evaluate({8, 128}).value;  // 3145728
//
// An expression consists of whole numbers, parameters, + - * // ( ) min(a, b)
// and max(a, b), and the comparisons < <= == >= >. A quotient is rounded down.
// A comparison is 1 if it holds and 0 otherwise. Numbers have 64 bits with a
// sign, and every step is checked. To plan with sizes that are expressions, use
// dynamic_problem.h.
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
  // Says why the evaluation of an expression fails.
  enum class Fault : uint8_t { kNone, kDivisionByZero, kOverflow };

  struct Result {
    int64_t value = 0;  // is 0 after a fault
    Fault fault = Fault::kNone;
  };

  // Parses a text. A parameter is identified by its position in `names`. Error:
  // InvalidArgument, as in "column 5: ...", where columns are counted from 1.
  // O(bytes).
  static StatusOr<Expression> Parse(string_view text,
                                    Span<const std::string> names);

  // Returns an expression that consists of this number alone.
  static Expression Constant(int64_t number);

  // Computes the value. Requires a value for each parameter. O(steps).
  Result Evaluate(Span<const uint64_t> values) const;

  // Returns a range that contains every value of the expression for parameters
  // in these ranges. Returns nothing if a fault is possible. If Rises() is
  // true, both ends of the range are values of the expression. O(steps).
  optional<NumberRange> RangeOver(Span<const NumberRange> parameters) const;

  // Returns whether the value of the expression is known never to fall when a
  // parameter rises within these ranges. This is known if the expression
  // subtracts only constants, divides only by constants, and multiplies only
  // factors that are not negative. O(steps).
  bool Rises(Span<const NumberRange> parameters) const;

  // If the expression is a constant plus a multiple of each parameter, returns
  // the constant followed by the factors. `parameters` is the number of
  // parameters. O(steps * parameters).
  optional<std::vector<int64_t>> LinearForm(size_t parameters) const;

  // Returns whether the outermost operation is a comparison.
  bool IsComparison() const;
  // Returns whether the expression uses no parameter.
  bool IsConstant() const;

  // Returns the expression as C code of type int64_t, in which the parameters
  // have the given `names`. The code uses the functions PREFIX_min, PREFIX_max
  // and PREFIX_divide, which must be defined elsewhere, with two arguments of
  // type int64_t each. PREFIX_divide must round down. O(steps).
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

  // The maximum number of values that wait for an operation at the same time.
  static constexpr size_t kMaxDepth = 64;

  // Computes a value of the expression from the values of its steps. Calls
  // `of_step(step)` for numbers and parameters, and `combine(operation, a, b)`
  // for all other steps. `combine` sets `a` to the result, and returns false if
  // there is no result.
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
