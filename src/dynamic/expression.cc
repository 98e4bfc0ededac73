// SPDX-License-Identifier: Apache-2.0
#include "stowage/dynamic/expression.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/int128.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage {
namespace {

using Fault = Expression::Fault;

// Returns the number, or kOverflow if it does not fit in 64 bits.
Expression::Result Narrowed(int128 number) {
  if (number > std::numeric_limits<int64_t>::max() ||
      number < std::numeric_limits<int64_t>::min()) {
    return {0, Fault::kOverflow};
  }
  return {static_cast<int64_t>(number), Fault::kNone};
}

Expression::Result Quotient(int64_t a, int64_t b) {
  if (b == 0) return {0, Fault::kDivisionByZero};
  const int128 dividend = a;
  const int128 quotient = dividend / b;
  const bool is_rounded_up = quotient * b != dividend && (a < 0) != (b < 0);
  return Narrowed(is_rounded_up ? quotient - 1 : quotient);
}

}  // namespace

Expression::Result Expression::Apply(Operation operation, int64_t a,
                                     int64_t b) {
  const auto holds = [](bool is_true) {
    return Result{is_true ? 1 : 0, Fault::kNone};
  };
  switch (operation) {
    case Operation::kAdd:
      return Narrowed(int128(a) + b);
    case Operation::kSubtract:
      return Narrowed(int128(a) - b);
    case Operation::kMultiply:
      return Narrowed(int128(a) * b);
    case Operation::kDivide:
      return Quotient(a, b);
    case Operation::kMin:
      return {std::min(a, b), Fault::kNone};
    case Operation::kMax:
      return {std::max(a, b), Fault::kNone};
    case Operation::kLess:
      return holds(a < b);
    case Operation::kLessOrEqual:
      return holds(a <= b);
    case Operation::kEqual:
      return holds(a == b);
    case Operation::kGreaterOrEqual:
      return holds(a >= b);
    case Operation::kGreater:
      return holds(a > b);
    case Operation::kNumber:
    case Operation::kParameter:
      break;
  }
  return {};
}

template <typename T, typename OfStep, typename Combine>
optional<T> Expression::Fold(const OfStep& of_step,
                             const Combine& combine) const {
  std::array<T, kMaxDepth> values;
  size_t count = 0;
  for (const Step& step : steps_) {
    if (step.operation == Operation::kNumber ||
        step.operation == Operation::kParameter) {
      values[count++] = of_step(step);
      continue;
    }
    --count;
    if (!combine(step.operation, &values[count - 1], values[count])) {
      return nullopt;
    }
  }
  return std::move(values[0]);
}

Expression::Result Expression::Evaluate(Span<const uint64_t> values) const {
  Fault fault = Fault::kNone;
  const optional<int64_t> value = Fold<int64_t>(
      [&](const Step& step) {
        return step.operation == Operation::kNumber
                   ? step.number
                   : static_cast<int64_t>(
                         values[static_cast<size_t>(step.number)]);
      },
      [&](Operation operation, int64_t* a, int64_t b) {
        const Result result = Apply(operation, *a, b);
        *a = result.value;
        fault = result.fault;
        return fault == Fault::kNone;
      });
  return {value.value_or(0), fault};
}

optional<NumberRange> Expression::ApplyToRanges(Operation operation,
                                                const NumberRange& a,
                                                const NumberRange& b) {
  if (operation == Operation::kDivide && b.low <= 0 && b.high >= 0) {
    return nullopt;
  }
  if (operation >= Operation::kLess) return NumberRange{0, 1};
  // Each of these operations is monotone in each operand while the other
  // operand is fixed. Its extremes are therefore at the ends of the ranges.
  NumberRange range = {std::numeric_limits<int64_t>::max(),
                       std::numeric_limits<int64_t>::min()};
  for (const int64_t x : {a.low, a.high}) {
    for (const int64_t y : {b.low, b.high}) {
      const Result result = Apply(operation, x, y);
      if (result.fault != Fault::kNone) return nullopt;
      range.low = std::min(range.low, result.value);
      range.high = std::max(range.high, result.value);
    }
  }
  return range;
}

optional<NumberRange> Expression::RangeOver(
    Span<const NumberRange> parameters) const {
  return Fold<NumberRange>(
      [&](const Step& step) {
        return step.operation == Operation::kNumber
                   ? NumberRange{step.number, step.number}
                   : parameters[static_cast<size_t>(step.number)];
      },
      [](Operation operation, NumberRange* a, const NumberRange& b) {
        const optional<NumberRange> range = ApplyToRanges(operation, *a, b);
        if (range) *a = *range;
        return range.has_value();
      });
}

bool Expression::Rises(Span<const NumberRange> parameters) const {
  // An expression rises if each of its operations rises with its operands.
  const auto rises = [](Operation operation, const NumberRange& a,
                        const NumberRange& b) {
    switch (operation) {
      case Operation::kAdd:
      case Operation::kMin:
      case Operation::kMax:
        return true;
      case Operation::kSubtract:
        return b.low == b.high;
      case Operation::kMultiply:
        return a.low >= 0 && b.low >= 0;
      case Operation::kDivide:
        return b.low == b.high && b.low > 0;
      default:
        return false;
    }
  };
  return Fold<NumberRange>(
             [&](const Step& step) {
               return step.operation == Operation::kNumber
                          ? NumberRange{step.number, step.number}
                          : parameters[static_cast<size_t>(step.number)];
             },
             [&](Operation operation, NumberRange* a, const NumberRange& b) {
               const optional<NumberRange> range =
                   ApplyToRanges(operation, *a, b);
               if (!range || !rises(operation, *a, b)) return false;
               *a = *range;
               return true;
             })
      .has_value();
}

optional<std::vector<int64_t>> Expression::LinearForm(size_t parameters) const {
  using Form = std::vector<int64_t>;
  const auto is_constant = [](const Form& form) {
    return std::all_of(form.begin() + 1, form.end(),
                       [](int64_t factor) { return factor == 0; });
  };
  return Fold<Form>(
      [&](const Step& step) {
        Form form(parameters + 1, 0);
        if (step.operation == Operation::kNumber) {
          form[0] = step.number;
        } else {
          form[static_cast<size_t>(step.number) + 1] = 1;
        }
        return form;
      },
      [&](Operation operation, Form* a, Form& b) {
        if (operation == Operation::kMultiply) {
          if (!is_constant(b)) std::swap(*a, b);
          if (!is_constant(b)) return false;
          b.assign(b.size(), int64_t{b[0]});
        } else if (operation != Operation::kAdd &&
                   operation != Operation::kSubtract) {
          if (!is_constant(*a) || !is_constant(b)) return false;
          b.resize(1);
        }
        for (size_t i = 0; i < b.size(); ++i) {
          const Result result = Apply(operation, (*a)[i], b[i]);
          if (result.fault != Fault::kNone) return false;
          (*a)[i] = result.value;
        }
        return true;
      });
}

bool Expression::IsComparison() const {
  return steps_.back().operation >= Operation::kLess;
}

bool Expression::IsConstant() const {
  return std::none_of(steps_.begin(), steps_.end(), [](const Step& step) {
    return step.operation == Operation::kParameter;
  });
}

}  // namespace stowage
