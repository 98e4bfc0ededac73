// SPDX-License-Identifier: Apache-2.0
// Lists and samples the parameter values of a problem, converts values from and
// to text, and computes the sizes at given values.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "src/base/str_split.h"
#include "src/dynamic/dynamic_state.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/expression.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

// Returns at most `wanted` of the indices below `count`, in rising order; at
// least two if `count` is at least two. The result has the first and the last
// index, indices that repeatedly halve the distance to the first one, and
// equally spaced indices.
std::vector<size_t> SampleIndices(size_t count, size_t wanted) {
  if (count <= wanted) {
    std::vector<size_t> all(count);
    std::iota(all.begin(), all.end(), size_t{0});
    return all;
  }
  std::vector<size_t> indices = {0};
  const size_t halves = wanted / 2;
  for (size_t distance = count - 1; distance > 0; distance /= 2) {
    if (indices.size() > 1 && indices.size() > halves) break;
    indices.push_back(distance);
  }
  const size_t others = wanted - std::min(wanted, indices.size());
  for (size_t i = 0; i < others; ++i) {
    indices.push_back(count / (others + 1) * (i + 1));
  }
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

}  // namespace

std::vector<std::string> ParameterNames(const DynamicSpec& spec) {
  std::vector<std::string> names;
  names.reserve(spec.parameters.size());
  for (const SizeParameter& parameter : spec.parameters) {
    names.push_back(parameter.name);
  }
  return names;
}

bool NextIndices(Span<const size_t> counts, std::vector<size_t>* indices) {
  for (size_t k = counts.size(); k > 0; --k) {
    if (++(*indices)[k - 1] < counts[k - 1]) return true;
    (*indices)[k - 1] = 0;
  }
  return false;
}

size_t DynamicProblem::State::dimensions() const {
  return spec.scenarios.empty() ? spec.parameters.size() : 1;
}

size_t DynamicProblem::State::CountOf(size_t parameter) const {
  if (!spec.scenarios.empty()) return spec.scenarios.size();
  const SizeParameter& each = spec.parameters[parameter];
  return static_cast<size_t>((each.max - each.min) / each.step) + 1;
}

uint64_t DynamicProblem::State::ValueOf(size_t parameter, size_t index) const {
  if (!spec.scenarios.empty()) return index;
  const SizeParameter& each = spec.parameters[parameter];
  return each.min + each.step * index;
}

bool DynamicProblem::State::IsWithinLimits(
    const ParameterValues& values) const {
  return std::all_of(where.begin(), where.end(), [&](const Expression& limit) {
    return limit.Evaluate(values).value != 0;
  });
}

void DynamicProblem::State::WriteSizes(const ParameterValues& values,
                                       std::vector<size_t>* written) const {
  if (!spec.scenarios.empty()) {
    written->clear();
    for (const std::vector<size_t>& table : spec.tables) {
      written->push_back(table[static_cast<size_t>(values[0])]);
    }
    return;
  }
  written->resize(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    (*written)[i] = static_cast<size_t>(sizes[i].Evaluate(values).value);
  }
}

ParameterValues DynamicProblem::State::ValuesOf(
    Span<const size_t> indices) const {
  ParameterValues values;
  for (size_t k = 0; k < indices.size(); ++k) {
    values.push_back(ValueOf(k, indices[k]));
  }
  return values;
}

std::vector<size_t> DynamicProblem::State::Counts() const {
  std::vector<size_t> counts;
  for (size_t k = 0; k < dimensions(); ++k) counts.push_back(CountOf(k));
  return counts;
}

optional<size_t> DynamicProblem::State::CountValues() const {
  size_t count = 1;
  for (const size_t each : Counts()) {
    const optional<size_t> product = CheckedMultiply(count, each);
    if (!product || *product > kMaxTriedValues) return nullopt;
    count = *product;
  }
  return count;
}

ParameterValues DynamicProblem::State::LowerCorner() const {
  return ValuesOf(std::vector<size_t>(dimensions(), 0));
}

ParameterValues DynamicProblem::State::UpperCorner() const {
  std::vector<size_t> last = Counts();
  for (size_t& index : last) --index;
  return ValuesOf(last);
}

void DynamicProblem::State::AddWithinLimits(
    Span<const size_t> indices, std::vector<ParameterValues>* sample) const {
  const ParameterValues values = ValuesOf(indices);
  if (IsWithinLimits(values)) {
    sample->push_back(values);
    return;
  }
  for (size_t k = 0; k < indices.size(); ++k) {
    std::vector<size_t> lowered(indices.begin(), indices.end());
    lowered[k] = 0;
    if (!IsWithinLimits(ValuesOf(lowered))) continue;
    // Binary search. Invariant: the limits hold at `low` and do not hold at
    // `high`.
    size_t low = 0;
    size_t high = indices[k];
    while (high - low > 1) {
      lowered[k] = low + (high - low) / 2;
      (IsWithinLimits(ValuesOf(lowered)) ? low : high) = lowered[k];
    }
    lowered[k] = low;
    sample->push_back(ValuesOf(lowered));
  }
}

const DynamicSpec& DynamicProblem::spec() const { return state_->spec; }

size_t DynamicProblem::size() const {
  return state_->spec.problem.records.size();
}

Span<const size_t> DynamicProblem::largest_sizes() const {
  return state_->largest;
}

optional<ParameterValues> DynamicProblem::LargestValue() const {
  return state_->largest_value;
}

std::vector<ParameterValues> DynamicProblem::Corners() const {
  return state_->corners;
}

StatusOr<std::vector<size_t>> DynamicProblem::SizesAt(
    const ParameterValues& values) const {
  if (values.size() != state_->dimensions()) {
    return InvalidArgumentError(
        StrCat(values.size(), " values; expected ", state_->dimensions()));
  }
  if (has_scenarios()) {
    if (values[0] >= spec().scenarios.size()) {
      return InvalidArgumentError(StrCat("scenario ", values[0],
                                         "; expected one of ",
                                         spec().scenarios.size()));
    }
  }
  for (size_t k = 0; k < spec().parameters.size(); ++k) {
    const SizeParameter& each = spec().parameters[k];
    if (values[k] < each.min || values[k] > each.max ||
        (values[k] - each.min) % each.step != 0) {
      return InvalidArgumentError(StrCat(
          each.name, "=", values[k], "; expected ", each.min, " to ", each.max,
          each.step == 1 ? "" : StrCat(" in steps of ", each.step)));
    }
  }
  for (size_t i = 0; i < state_->where.size(); ++i) {
    if (state_->where[i].Evaluate(values).value != 0) continue;
    return InvalidArgumentError(StrCat(Describe(values),
                                       ": not within the limit; expected ",
                                       spec().where[i]));
  }
  std::vector<size_t> sizes;
  state_->WriteSizes(values, &sizes);
  return sizes;
}

ProblemSpec DynamicProblem::SpecWithSizes(Span<const size_t> sizes) const {
  ProblemSpec problem = spec().problem;
  for (size_t i = 0; i < sizes.size(); ++i) {
    problem.records[i].tensor_size = sizes[i];
  }
  return problem;
}

StatusOr<ProblemSpec> DynamicProblem::SpecAt(
    const ParameterValues& values) const {
  const StatusOr<std::vector<size_t>> sizes = SizesAt(values);
  if (!sizes.ok()) return sizes.status();
  return SpecWithSizes(*sizes);
}

StatusOr<Problem> DynamicProblem::ProblemAt(
    const ParameterValues& values) const {
  StatusOr<ProblemSpec> problem = SpecAt(values);
  if (!problem.ok()) return problem.status();
  return Problem::Create(*std::move(problem));
}

StatusOr<ParameterValues> DynamicProblem::ParseValues(string_view text) const {
  if (has_scenarios()) {
    const auto& names = spec().scenarios;
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
      return InvalidArgumentError(StrCat("no scenario ", Quoted(text),
                                         "; expected one of ",
                                         StrJoin(names, ", ")));
    }
    return ParameterValues{static_cast<uint64_t>(found - names.begin())};
  }
  std::vector<optional<uint64_t>> given(spec().parameters.size());
  for (const string_view part : StrSplit(text, ',')) {
    const string_view word = StripAsciiWhitespace(part);
    const size_t equals = word.find('=');
    uint64_t value = 0;
    if (equals == string_view::npos ||
        !SimpleAtoi(word.substr(equals + 1), &value)) {
      return InvalidArgumentError(
          StrCat(Quoted(word), "; expected NAME=VALUE with a whole number"));
    }
    const string_view name = word.substr(0, equals);
    size_t k = 0;
    while (k < given.size() && spec().parameters[k].name != name) ++k;
    if (k == given.size() || given[k]) {
      return InvalidArgumentError(StrCat(
          "parameter ", Quoted(name),
          k == given.size() ? " is not in the problem; expected its parameters"
                            : " is given twice; expected one value"));
    }
    given[k] = value;
  }
  ParameterValues values;
  for (size_t k = 0; k < given.size(); ++k) {
    if (!given[k]) {
      return InvalidArgumentError(StrCat("no value of ",
                                         spec().parameters[k].name,
                                         "; expected one for each parameter"));
    }
    values.push_back(*given[k]);
  }
  const StatusOr<std::vector<size_t>> sizes = SizesAt(values);
  if (!sizes.ok()) return sizes.status();
  return values;
}

std::string DynamicProblem::Describe(const ParameterValues& values) const {
  if (has_scenarios()) {
    return spec().scenarios[static_cast<size_t>(values[0])];
  }
  std::string text;
  for (size_t k = 0; k < values.size(); ++k) {
    StrAppend(&text, k == 0 ? "" : ",", spec().parameters[k].name, "=",
              values[k]);
  }
  return text;
}

optional<size_t> DynamicProblem::CountValues() const {
  return state_->CountValues();
}

void DynamicProblem::VisitValues(
    const std::function<bool(const ParameterValues&, Span<const size_t>)>&
        visit) const {
  const std::vector<size_t> counts = state_->Counts();
  std::vector<size_t> indices(counts.size(), 0);
  std::vector<size_t> sizes;
  do {
    const ParameterValues values = state_->ValuesOf(indices);
    if (!state_->IsWithinLimits(values)) continue;
    state_->WriteSizes(values, &sizes);
    if (!visit(values, sizes)) return;
  } while (NextIndices(counts, &indices));
}

std::vector<ParameterValues> DynamicProblem::SampleValues(size_t count) const {
  const size_t dimensions = state_->dimensions();
  std::vector<ParameterValues> sample;
  if (const optional<size_t> all = CountValues(); all) {
    VisitValues([&](const ParameterValues& values, Span<const size_t>) {
      sample.push_back(values);
      return sample.size() <= count;
    });
    if (sample.size() <= count) return sample;
    sample.clear();
  }
  // Samples fewer and fewer indices of each parameter until the number of
  // combinations is at most `count`.
  size_t wanted = count;
  std::vector<std::vector<size_t>> indices(dimensions);
  const auto product = [&] {
    size_t result = 1;
    for (size_t k = 0; k < dimensions; ++k) {
      indices[k] = SampleIndices(state_->CountOf(k), wanted);
      result = std::min(result * indices[k].size(), kMaxTriedValues);
    }
    return result;
  };
  while (product() > count && wanted > 2) wanted -= 1 + wanted / 8;
  std::vector<size_t> counts;
  counts.reserve(dimensions);
  for (const std::vector<size_t>& each : indices) counts.push_back(each.size());
  std::vector<size_t> at(dimensions, 0);
  do {
    std::vector<size_t> point;
    for (size_t k = 0; k < dimensions; ++k) point.push_back(indices[k][at[k]]);
    state_->AddWithinLimits(point, &sample);
  } while (NextIndices(counts, &at));
  if (sample.empty()) {
    // No sampled value is within the limits, so the first values within the
    // limits are used instead.
    VisitValues([&](const ParameterValues& values, Span<const size_t>) {
      sample.push_back(values);
      return sample.size() < count;
    });
  }
  std::sort(sample.begin(), sample.end());
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
  return sample;
}

}  // namespace stowage
