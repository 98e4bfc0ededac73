// SPDX-License-Identifier: Apache-2.0
// Checks those parts of a problem with parameters that can be checked without
// evaluating expressions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "src/base/ascii.h"
#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/dynamic/dynamic_state.h"
#include "src/dynamic/error_line.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/problem.h"

namespace stowage {
namespace {

constexpr uint64_t kLargestValue = std::numeric_limits<int64_t>::max();

bool IsName(string_view name) {
  return !name.empty() && !ascii_isdigit(static_cast<unsigned char>(name[0])) &&
         name != "min" && name != "max" &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

Status CheckParameter(const SizeParameter& parameter) {
  const std::string& name = parameter.name;
  if (!IsName(name)) {
    return InvalidArgumentError(StrCat(
        "bad name: ", name.empty() ? "\"\"" : FileText(name),
        "; expected letters, digits and '_', not beginning with a digit, and "
        "neither min nor max"));
  }
  if (parameter.max > kLargestValue) {
    return InvalidArgumentError(
        StrCat("parameter ", name, ": max ", parameter.max,
               ": too many values; expected at most ", kLargestValue));
  }
  if (parameter.min > parameter.max) {
    return InvalidArgumentError(StrCat("empty range: ", name, " has min ",
                                       parameter.min, " and max ",
                                       parameter.max, "; expected min <= max"));
  }
  if (parameter.step == 0) {
    return InvalidArgumentError(
        StrCat("parameter ", name, ": step 0; expected at least 1"));
  }
  if (parameter.step > kLargestValue) {
    return InvalidArgumentError(StrCat("parameter ", name, ": step ",
                                       parameter.step, "; expected at most ",
                                       kLargestValue));
  }
  return OkStatus();
}

Status CheckCount(string_view what, size_t count, size_t expected,
                  string_view of_what) {
  if (count == expected) return OkStatus();
  return InvalidArgumentError(StrCat(what, ": ", count, " given; expected ",
                                     expected, ", one for each ", of_what));
}

Status CheckNamesDiffer(string_view what, Span<const std::string> names) {
  flat_hash_set<string_view> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    return InvalidArgumentError(StrCat(what, " ", FileText(name),
                                       ": given twice; expected unique names"));
  }
  return OkStatus();
}

Status CheckScenarios(const DynamicSpec& spec) {
  if (!spec.parameters.empty() || !spec.where.empty() || !spec.sizes.empty()) {
    return InvalidArgumentError(
        "scenarios and parameters; expected one of the two");
  }
  for (const std::string& name : spec.scenarios) {
    if (!name.empty()) continue;
    return InvalidArgumentError(
        "a scenario without a name; expected a name for each");
  }
  if (Status s = CheckNamesDiffer("scenario", spec.scenarios); !s.ok()) {
    return s;
  }
  for (size_t i = 0; i < spec.tables.size(); ++i) {
    if (spec.tables[i].size() == spec.scenarios.size()) continue;
    return InvalidArgumentError(
        StrCat("record ", i, ": ", spec.tables[i].size(), " sizes; expected ",
               spec.scenarios.size(), ", one for each scenario"));
  }
  return CheckCount("tables", spec.tables.size(), spec.problem.records.size(),
                    "record");
}

}  // namespace

Status CheckParameters(const DynamicSpec& spec) {
  if (!spec.scenarios.empty()) return CheckScenarios(spec);
  if (spec.parameters.empty()) {
    return InvalidArgumentError(
        "no parameters and no scenarios; expected some, or a problem whose "
        "sizes are numbers");
  }
  if (spec.parameters.size() > kMaxSizeParameters) {
    return UnimplementedError(StrCat(spec.parameters.size(),
                                     " parameters; expected at most ",
                                     kMaxSizeParameters));
  }
  for (size_t k = 0; k < spec.parameters.size(); ++k) {
    Status s = CheckParameter(spec.parameters[k]);
    if (!s.ok()) return WithParameter(std::move(s), k);
  }
  const std::vector<std::string> names = ParameterNames(spec);
  if (Status s = CheckNamesDiffer("parameter", names); !s.ok()) return s;
  if (!spec.tables.empty()) {
    return InvalidArgumentError(
        "tables of sizes without scenarios; expected an expression for each "
        "record");
  }
  return CheckCount("sizes", spec.sizes.size(), spec.problem.records.size(),
                    "record");
}

bool HasNoGroups(const ProblemSpec& problem) {
  return problem.constraints.places.empty() && !HasFixedOffsets(problem);
}

Status CheckSupported(const ProblemSpec& problem) {
  const Constraints& constraints = problem.constraints;
  struct Part {
    bool is_there;
    const char* name;
  };
  const Part parts[] = {
      {problem.kind != PlanKind::kOffsets, "shared objects"},
      {problem.reallocation_graph.has_value(), "a reallocation graph"},
      {!problem.place_first.empty(), "records to place first"},
      {std::any_of(
           constraints.places.begin(), constraints.places.end(),
           [](const RecordPlace& place) { return place.min > 0 || place.max; }),
       "ranges of offsets"},
      {problem.groups_are_optional, "optional groups"},
      {!constraints.holes.empty(), "holes"},
      {!constraints.apart.empty(), "sets that are apart"},
      {!constraints.never.empty(), "pairs that are never live together"},
      {!constraints.prefer_apart.empty(), "preferences"},
      {!constraints.same_or_apart.empty(), "pairs in one place or apart"},
      {!constraints.pools.empty() || !constraints.choices.empty(), "pools"},
      {constraints.order.has_value(), "streams"},
      {problem.free_order.has_value(), "a free order"},
  };
  std::string found;
  for (const Part& part : parts) {
    if (part.is_there) StrAppend(&found, found.empty() ? "" : ", ", part.name);
  }
  if (found.empty()) return OkStatus();
  return UnimplementedError(
      StrCat("sizes with parameters do not support: ", found,
             "; expected lifetimes, alignments, groups, fixed offsets and a "
             "capacity alone"));
}

}  // namespace stowage
