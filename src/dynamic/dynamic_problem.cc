// SPDX-License-Identifier: Apache-2.0
#include "stowage/dynamic/dynamic_problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/dynamic/dynamic_state.h"
#include "src/dynamic/error_line.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/dynamic/expression.h"
#include "stowage/error_payload.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

using Fault = Expression::Fault;

// The first value at which a size has a fault, for each kind of fault.
struct SizeFaults {
  struct Found {
    size_t record = 0;
    ParameterValues values;
    int64_t size = 0;
  };
  optional<Found> division;
  optional<Found> overflow;
  optional<Found> negative;

  void Add(size_t record, const ParameterValues& values,
           const Expression::Result& size) {
    optional<Found>* const kind = size.fault == Fault::kDivisionByZero
                                      ? &division
                                  : size.fault == Fault::kOverflow ? &overflow
                                                                   : &negative;
    if (!*kind) *kind = Found{record, values, size.value};
  }
};

}  // namespace

std::string RecordName(const ProblemSpec& problem, size_t record) {
  return record < problem.names.size() ? FileText(problem.names[record])
                                       : StrCat("record ", record);
}

string_view LargestRuleName(LargestRule rule) {
  switch (rule) {
    case LargestRule::kRising:
      return "rising";
    case LargestRule::kCorner:
      return "corner";
    case LargestRule::kAllValues:
      return "all values";
    case LargestRule::kUnion:
      break;
  }
  return "union";
}

// Builds the state of a problem. Stops at the first error.
class DynamicProblem::Builder {
 public:
  explicit Builder(DynamicSpec spec) { state_.spec = std::move(spec); }

  StatusOr<DynamicProblem> Build() {
    Status status = CheckParameters(state_.spec);
    if (status.ok()) status = CheckSupported(state_.spec.problem);
    if (status.ok()) status = ParseAll();
    if (status.ok()) status = Prove();
    if (!status.ok()) return status;
    DynamicProblem problem(std::make_shared<const State>(std::move(state_)));
    const ProblemSpec largest = problem.SpecWithSizes(problem.largest_sizes());
    status = CheckStacks(largest);
    if (status.ok()) status = Problem::Create(largest).status();
    if (!status.ok()) return status;
    return problem;
  }

 private:
  Status ParseAll();
  Status ParseLimits(Span<const std::string> names);
  Status Prove();
  Status ProveOfScenarios();
  // Determines which facts about sizes and limits follow from the ranges of the
  // parameters alone.
  void Bound();
  void FindCorners();
  // Tries all values. Returns the error of the first fault.
  Status TryAll();
  Status ErrorOf(const SizeFaults& faults) const;
  Status TooMany(string_view what) const;

  State state_;
  bool sizes_rise_ = true;
  // The first size, and all limits, for which the ranges of the parameters
  // alone do not prove that they are valid numbers at every value.
  optional<size_t> open_size_;
  std::vector<size_t> open_limits_;
};

Status DynamicProblem::Builder::ParseLimits(Span<const std::string> names) {
  for (size_t i = 0; i < state_.spec.where.size(); ++i) {
    StatusOr<Expression> limit = Expression::Parse(state_.spec.where[i], names);
    if (!limit.ok()) {
      return WithLimit(InvalidArgumentError(StrCat("where[", i, "]: syntax: ",
                                                   limit.status().message())),
                       i);
    }
    if (!limit->IsComparison()) {
      return WithLimit(
          InvalidArgumentError(StrCat("where[", i,
                                      "]: no comparison; expected one, as in "
                                      "batch*seq <= 4096")),
          i);
    }
    state_.where.push_back(*std::move(limit));
  }
  return OkStatus();
}

Status DynamicProblem::Builder::ParseAll() {
  const std::vector<std::string> names = ParameterNames(state_.spec);
  for (const SizeParameter& parameter : state_.spec.parameters) {
    state_.ranges.push_back({static_cast<int64_t>(parameter.min),
                             static_cast<int64_t>(parameter.max)});
  }
  if (Status s = ParseLimits(names); !s.ok()) return s;
  for (size_t i = 0; i < state_.spec.sizes.size(); ++i) {
    StatusOr<Expression> size = Expression::Parse(state_.spec.sizes[i], names);
    const std::string name = RecordName(state_.spec.problem, i);
    if (!size.ok()) {
      return WithRecords(
          InvalidArgumentError(
              StrCat("size of ", name, ": syntax: ", size.status().message())),
          {i});
    }
    if (size->IsComparison()) {
      return WithRecords(
          InvalidArgumentError(StrCat("size of ", name,
                                      ": a comparison; expected a number of "
                                      "bytes")),
          {i});
    }
    state_.sizes.push_back(*std::move(size));
  }
  return OkStatus();
}

void DynamicProblem::Builder::Bound() {
  for (size_t i = 0; i < state_.where.size(); ++i) {
    if (!state_.where[i].RangeOver(state_.ranges)) open_limits_.push_back(i);
  }
  for (size_t i = 0; i < state_.sizes.size(); ++i) {
    const Expression& size = state_.sizes[i];
    const optional<NumberRange> range = size.RangeOver(state_.ranges);
    const bool is_proved = range && range->low >= 0;
    if (!is_proved && !open_size_) open_size_ = i;
    state_.largest.push_back(is_proved ? static_cast<size_t>(range->high) : 0);
    sizes_rise_ = sizes_rise_ && size.Rises(state_.ranges);
  }
}

// Finds the corners of the parameter ranges, but only if heights are convex.
// Heights are convex if sizes are linear and every end is a multiple of the
// alignments, because then nothing is rounded up and a height is a maximum of
// sums of sizes.
void DynamicProblem::Builder::FindCorners() {
  const size_t parameters = state_.ranges.size();
  size_t alignment = 1;
  for (size_t i = 0; i < state_.sizes.size(); ++i) {
    alignment = std::max(alignment, AlignmentsOf(state_.spec.problem).Of(i));
  }
  const auto divisor = static_cast<int64_t>(alignment);
  for (const Expression& size : state_.sizes) {
    const optional<std::vector<int64_t>> form = size.LinearForm(parameters);
    if (!form || divisor <= 0) return;
    for (size_t k = 0; k < parameters; ++k) {
      const SizeParameter& parameter = state_.spec.parameters[k];
      // The product may wrap: the alignment divides 2^64, so the remainder is
      // correct nevertheless.
      const uint64_t per_step =
          static_cast<uint64_t>((*form)[k + 1]) * parameter.step;
      if (parameter.max > parameter.min && per_step % alignment != 0) return;
    }
    if (size.Evaluate(state_.LowerCorner()).value % divisor != 0) return;
  }
  std::vector<ParameterValues> corners;
  std::vector<size_t> indices(parameters, 0);
  std::vector<size_t> counts;
  const ParameterValues lower = state_.LowerCorner();
  const ParameterValues upper = state_.UpperCorner();
  for (size_t k = 0; k < parameters; ++k) {
    counts.push_back(lower[k] < upper[k] ? 2 : 1);
  }
  if (!AreGroupsAligned(state_.spec.problem, alignment)) return;
  do {
    ParameterValues corner;
    for (size_t k = 0; k < parameters; ++k) {
      corner.push_back((indices[k] == 0 ? lower : upper)[k]);
    }
    if (!state_.IsWithinLimits(corner)) return;
    corners.push_back(std::move(corner));
  } while (NextIndices(counts, &indices));
  state_.corners = std::move(corners);
}

Status DynamicProblem::Builder::TooMany(string_view what) const {
  return ResourceExhaustedError(
      StrCat("too many values of ", StrJoin(ParameterNames(state_.spec), ", "),
             ", and no proof that ", what, "; expected at most ",
             kMaxTriedValues, " values, or larger steps"));
}

Status DynamicProblem::Builder::ErrorOf(const SizeFaults& faults) const {
  const auto error = [&](string_view what, const SizeFaults::Found& found,
                         string_view expected) {
    DynamicProblem problem(std::make_shared<const State>(state_));
    const std::string text =
        StrCat(what, ": ", RecordName(state_.spec.problem, found.record),
               " at ", problem.Describe(found.values), expected);
    return WithRecords(InvalidArgumentError(text), {found.record});
  };
  if (faults.division) {
    return error("division by zero", *faults.division,
                 "; expected a divisor that is never 0");
  }
  if (faults.overflow) {
    return error("overflow", *faults.overflow,
                 "; expected at most 2^63 - 1 in every step");
  }
  if (faults.negative) {
    return error(
        "negative size", *faults.negative,
        StrCat(": ", faults.negative->size, " bytes; expected at least 0"));
  }
  return OkStatus();
}

Status DynamicProblem::Builder::TryAll() {
  const std::vector<size_t> counts = state_.Counts();
  std::vector<size_t> indices(counts.size(), 0);
  std::vector<size_t> largest(state_.sizes.size(), 0);
  SizeFaults faults;
  bool is_satisfied = false;
  do {
    const ParameterValues values = state_.ValuesOf(indices);
    for (const size_t limit : open_limits_) {
      if (state_.where[limit].Evaluate(values).fault == Fault::kNone) continue;
      DynamicProblem problem(std::make_shared<const State>(state_));
      return WithLimit(
          InvalidArgumentError(StrCat(
              "where[", limit, "] has no value at ", problem.Describe(values),
              "; expected no division by zero and at most 2^63 - 1 in "
              "every step")),
          limit);
    }
    if (!state_.IsWithinLimits(values)) continue;
    is_satisfied = true;
    for (size_t i = 0; i < state_.sizes.size(); ++i) {
      const Expression::Result size = state_.sizes[i].Evaluate(values);
      if (size.fault != Fault::kNone || size.value < 0) {
        faults.Add(i, values, size);
      } else {
        largest[i] = std::max(largest[i], static_cast<size_t>(size.value));
      }
    }
  } while (NextIndices(counts, &indices));
  if (!is_satisfied) {
    return WithLimit(
        InvalidArgumentError(
            "no value satisfies where; expected limits that some values keep"),
        0);
  }
  state_.largest = std::move(largest);
  return ErrorOf(faults);
}

Status DynamicProblem::Builder::ProveOfScenarios() {
  for (const std::vector<size_t>& table : state_.spec.tables) {
    state_.largest.push_back(*std::max_element(table.begin(), table.end()));
  }
  // A scenario in which every record has its largest size is the largest value.
  for (size_t k = 0; k < state_.spec.scenarios.size(); ++k) {
    const auto is_largest = [&](size_t record) {
      return state_.spec.tables[record][k] == state_.largest[record];
    };
    size_t record = 0;
    while (record < state_.largest.size() && is_largest(record)) ++record;
    if (record == state_.largest.size()) {
      state_.largest_value = ParameterValues{k};
      break;
    }
  }
  return OkStatus();
}

Status DynamicProblem::Builder::Prove() {
  if (!state_.spec.scenarios.empty()) return ProveOfScenarios();
  Bound();
  const ParameterValues corner = state_.UpperCorner();
  const bool keeps_corner = state_.IsWithinLimits(corner);
  const bool is_proved = !open_size_ && open_limits_.empty();
  if (is_proved && sizes_rise_ && keeps_corner) {
    state_.largest_value = corner;
    // The step may skip the declared maximum of a parameter, so the largest
    // sizes are computed again from the largest values that the parameters can
    // have.
    state_.WriteSizes(corner, &state_.largest);
    FindCorners();
    return OkStatus();
  }
  if (state_.CountValues()) {
    if (Status s = TryAll(); !s.ok()) return s;
  } else if (open_size_) {
    return WithRecords(
        TooMany(StrCat("the size of ",
                       RecordName(state_.spec.problem, *open_size_),
                       " is a number of bytes")),
        {*open_size_});
  } else if (!open_limits_.empty()) {
    return WithLimit(TooMany("where always has a value"), open_limits_.front());
  } else if (!keeps_corner && !state_.IsWithinLimits(state_.LowerCorner())) {
    return TooMany("some satisfy where");
  }
  FindCorners();
  return OkStatus();
}

DynamicProblem::DynamicProblem(std::shared_ptr<const State> state)
    : state_(std::move(state)) {}

StatusOr<DynamicProblem> DynamicProblem::Create(DynamicSpec spec) {
  return Builder(std::move(spec)).Build();
}

}  // namespace stowage
