// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/families.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/kit/family_row.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

struct Table {
  std::vector<FamilyRow> rows;  // row k describes the k-th family
  std::vector<FamilyInfo> infos;
};

const Table& AllRows() {
  static const auto* const table = [] {
    auto* const all = new Table();
    for (const auto& group : {NetworkFamilies(), SizeFamilies(),
                              IntervalFamilies(), HardFamilies()}) {
      all->rows.insert(all->rows.end(), group.begin(), group.end());
    }
    for (const FamilyRow& row : all->rows) all->infos.push_back(row.info);
    return all;
  }();
  return *table;
}

const FamilyRow& RowOf(Family family) {
  return AllRows().rows[static_cast<size_t>(family)];
}

uint64_t CountOfAlignments(const Parameters& parameters) {
  uint64_t count = 1;
  while (count < 33 && (size_t{1} << count) <= parameters.max_alignment) {
    ++count;
  }
  return count;
}

Parameters Clamp(Parameters parameters) {
  parameters.max_size =
      std::min(std::max<size_t>(parameters.max_size, 1), size_t{1} << 40);
  return parameters;
}

}  // namespace

TaskId AddTasks(TaskId task, TaskId forward) {
  return task + std::min(forward, std::numeric_limits<TaskId>::max() - task);
}

Sample UsualLimits(const Parameters& parameters, uint64_t kinds) {
  const auto below = [](uint64_t max) {
    return max == std::numeric_limits<uint64_t>::max() ? max : max + 1;
  };
  return {parameters.max_size, below(parameters.max_gap),
          below(parameters.max_life), kinds, CountOfAlignments(parameters)};
}

Sample OneKind(const Parameters& parameters) { return UsualLimits(parameters); }

void SpecBuilder::Add(const Sample& sample, size_t size, TaskId first,
                      TaskId last) {
  spec_.records.emplace_back(size, first, last);
  if (has_alignments_) {
    spec_.alignments.push_back(size_t{1} << sample.alignment);
  }
}

void SpecBuilder::Reorder(Span<const size_t> order) {
  const ProblemSpec before = spec_;
  for (size_t i = 0; i < order.size(); ++i) {
    spec_.records[i] = before.records[order[i]];
    if (has_alignments_) spec_.alignments[i] = before.alignments[order[i]];
  }
}

void SpecBuilder::SortByFirstTask() {
  std::vector<size_t> order(spec_.records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return BeginsBefore()(spec_.records[a], spec_.records[b]);
  });
  Reorder(order);
}

ProblemSpec SpecBuilder::Finish() && { return std::move(spec_); }

Span<const FamilyInfo> AllFamilies() { return AllRows().infos; }

const FamilyInfo& InfoOf(Family family) {
  return AllRows().infos[static_cast<size_t>(family)];
}

StatusOr<Family> FindFamily(string_view name) {
  for (const FamilyInfo& info : AllFamilies()) {
    if (info.name == name) return info.family;
  }
  const std::string names = StrJoin(
      AllFamilies(), ", ", [](std::string* out, const FamilyInfo& info) {
        StrAppend(out, info.name);
      });
  return NotFoundError(
      StrCat("no family is called \"", name, "\"; expected one of ", names));
}

Sample SampleLimits(Family family, const Parameters& parameters) {
  return RowOf(family).limits(Clamp(parameters));
}

ProblemSpec FromSamples(Family family, Span<const Sample> samples,
                        const Parameters& parameters) {
  if (samples.empty()) return ProblemSpec();
  const Sample limits = SampleLimits(family, parameters);
  std::vector<Sample> below(samples.begin(), samples.end());
  for (Sample& sample : below) {
    sample.size %= limits.size;
    sample.gap %= limits.gap;
    sample.life %= limits.life;
    sample.kind %= limits.kind;
    sample.alignment %= limits.alignment;
  }
  return RowOf(family).build(below, Clamp(parameters));
}

}  // namespace stowage::testing
