// SPDX-License-Identifier: Apache-2.0
#include "src/command/stack_header.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "src/command/plan_header.h"
#include "stowage/base/span.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/expression.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/stack_table.h"

namespace stowage::cli {
namespace {

// Placeholders such as $name and $NAME are replaced by values of the plan.
constexpr char kStackTemplate[] =
    R"(/* The order in which the memory of $path is stacked, for any sizes. Written by
 * stowage offline header --stack, for stowage/micro/stack.h. */
#ifndef $NAME_STACK_H_
#define $NAME_STACK_H_

/* NOLINTBEGIN: this is C. */
#include <stddef.h>
#include <stdint.h>

/* The bytes that suffice for all sizes of $name_sizes(), and the alignment of
 * the arena. */
#define $NAME_RESERVE_BYTES $reserve
#define $NAME_ALIGNMENT $alignment

/* Does not compile if `arena`, an array, is smaller than that. */
#define $NAME_REQUIRE_ARENA(arena) \
  void $name_require_arena( \
      char (*is_large_enough)[sizeof(arena) >= $NAME_RESERVE_BYTES ? 1 : -1])

/* The position of each record in the order, from the bottom: the index of its
 * size and of its offset. */
#define $NAME_RECORDS $records
enum {$positions};

/* The table for stowage_micro_stack_check(). */
#define $NAME_TABLE_BYTES $table_bytes
static const uint8_t $name_table[$NAME_TABLE_BYTES] = {$table};

$sizes
/* NOLINTEND */

#elif $NAME_STACK_HASH != $hash
#error "another plan has the name $name; expected another --name"
#endif /* $NAME_STACK_H_ */
)";

// Defines a function that computes the sizes from expressions of the
// parameters.
constexpr char kParameterTemplate[] =
    R"(#define $NAME_STACK_HASH $hash

static inline int64_t $name_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t $name_max(int64_t a, int64_t b) { return a > b ? a : b; }
/* Rounds down. */
static inline int64_t $name_divide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/* Sets the size of each record in bytes, by position, and returns 1. Returns 0
 * if a parameter is outside of its range, or not a multiple of its step above
 * the lowest value, if a limit does not hold, or if a size does not fit in
 * size_t. Within the ranges and limits no number below overflows and nothing is
 * divided by 0: that was proved before this was written, so sums and products
 * are not checked. */
static inline int $name_sizes($arguments, size_t* sizes) {
$checks$assignments  return 1;
}
)";

// Defines a function that copies the sizes of a scenario.
constexpr char kScenarioTemplate[] =
    R"(#define $NAME_STACK_HASH $hash

/* The scenarios. */
#define $NAME_SCENARIOS $count
enum {$scenarios};

/* The size of each record in bytes, by position, in each scenario. */
static const $type $name_scenario_sizes[$NAME_SCENARIOS][$length] = {$rows};

/* Sets the size of each record in bytes, by position, and returns 1. Returns 0
 * for a scenario that does not exist, or if a size does not fit in size_t. */
static inline int $name_sizes(uint32_t scenario, size_t* sizes) {
  uint32_t i;
  if (scenario >= $NAME_SCENARIOS) return 0;
  for (i = 0; i < $NAME_RECORDS; ++i) {
    const $type size = $name_scenario_sizes[scenario][i];
    sizes[i] = (size_t)size;
    if (sizes[i] != size) return 0;
  }
  return 1;
}
)";

// Returns a number as a C literal, with a suffix that fixes its type for all
// compilers.
std::string Literal(uint64_t number) {
  return absl::StrCat(number, number > 0xFFFFFFFF ? "ull" : "u");
}

// Returns the FNV-1a hash of a text as a C literal.
std::string HashText(absl::string_view text) {
  uint32_t hash = 2166136261U;
  for (const char byte : text) {
    hash = (hash ^ static_cast<uint8_t>(byte)) * 16777619U;
  }
  return absl::StrFormat("0x%08xu", hash);
}

// Converts texts from files to distinct C names in capital letters.
class CNames {
 public:
  explicit CNames(std::string prefix) : prefix_(std::move(prefix)) {}

  std::string NameOf(absl::string_view text, size_t index) {
    std::string name = prefix_;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      name.push_back(absl::ascii_isalnum(byte) ? absl::ascii_toupper(byte)
                                               : '_');
    }
    while (!used_.insert(name).second) absl::StrAppend(&name, "_", index);
    return name;
  }

 private:
  std::string prefix_;
  std::set<std::string> used_;
};

std::string Positions(const std::string& upper, const DynamicProblem& problem,
                      const DynamicPlan& plan) {
  const std::vector<std::string>& ids = problem.spec().problem.names;
  CNames names(absl::StrCat(upper, "_AT_"));
  // The enumeration always contains END, since an enumeration in C cannot be
  // empty.
  std::string text =
      absl::StrCat("\n  ", names.NameOf("END", 0), " = ", problem.size());
  // Two ids may give the same name. The names are chosen in the order of the
  // records, so that each keeps its name in every plan.
  std::vector<std::string> of_record(plan.stack.size());
  for (size_t record = 0; record < of_record.size(); ++record) {
    of_record[record] = names.NameOf(
        record < ids.size() ? ids[record] : absl::StrCat(record), record);
  }
  for (size_t i = 0; i < plan.stack.size(); ++i) {
    absl::StrAppend(&text, ",\n  ", of_record[plan.stack.order()[i]], " = ", i);
  }
  return absl::StrCat(text, "\n");
}

std::string TableBytes(Span<const uint8_t> table) {
  std::string text;
  for (size_t i = 0; i < table.size(); ++i) {
    absl::StrAppend(&text, i % 16 == 0 ? "\n    " : " ", table[i],
                    i + 1 == table.size() ? "" : ",");
  }
  return text;
}

// Returns the parameters as names of C arguments. The prefix ensures that no
// name is a C keyword.
std::vector<std::string> ArgumentNames(const DynamicSpec& spec) {
  std::vector<std::string> names;
  for (const SizeParameter& parameter : spec.parameters) {
    names.push_back(absl::StrCat("p_", parameter.name));
  }
  return names;
}

std::vector<std::string> ParameterNames(const DynamicSpec& spec) {
  std::vector<std::string> names;
  for (const SizeParameter& parameter : spec.parameters) {
    names.push_back(parameter.name);
  }
  return names;
}

std::string RangeCheck(const SizeParameter& parameter,
                       const std::string& argument) {
  std::string condition =
      absl::StrCat(argument, " > INT64_C(", parameter.max, ")");
  condition =
      absl::StrCat(argument, " < INT64_C(", parameter.min, ") || ", condition);
  if (parameter.step > 1 && parameter.min < parameter.max) {
    const std::string above =
        absl::StrCat("(", argument, " - INT64_C(", parameter.min, "))");
    // Most steps are powers of two, for which the check needs no division.
    const bool is_power = (parameter.step & (parameter.step - 1)) == 0;
    absl::StrAppend(&condition, " ||\n      (", above, is_power ? " & " : " % ",
                    "INT64_C(", is_power ? parameter.step - 1 : parameter.step,
                    ")) != 0");
  }
  return absl::StrCat("  if (", condition, ") return 0;\n");
}

absl::StatusOr<std::string> ParameterSizes(absl::string_view name,
                                           const DynamicProblem& problem,
                                           const DynamicPlan& plan) {
  const DynamicSpec& spec = problem.spec();
  const std::vector<std::string> names = ParameterNames(spec);
  const std::vector<std::string> arguments = ArgumentNames(spec);
  const auto in_c =
      [&](const std::string& text) -> absl::StatusOr<std::string> {
    const auto parsed = Expression::Parse(text, names);
    if (!parsed.ok()) return parsed.status();
    return parsed->ToC(arguments, name);
  };
  std::string list;
  std::string checks;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::StrAppend(&list, i == 0 ? "" : ", ", "int64_t ", arguments[i]);
    absl::StrAppend(&checks, RangeCheck(spec.parameters[i], arguments[i]));
  }
  for (const std::string& limit : spec.where) {
    const absl::StatusOr<std::string> text = in_c(limit);
    if (!text.ok()) return text.status();
    absl::StrAppend(&checks, "  if ((", *text, ") == 0) return 0;\n");
  }
  std::string assignments = "  int64_t size;\n";
  for (size_t i = 0; i < plan.stack.size(); ++i) {
    const absl::StatusOr<std::string> text =
        in_c(spec.sizes[plan.stack.order()[i]]);
    if (!text.ok()) return text.status();
    absl::StrAppend(&assignments, "  size = ", *text, ";\n  sizes[", i,
                    "] = (size_t)size;\n  if ((int64_t)sizes[", i,
                    "] != size) return 0;\n");
  }
  if (plan.stack.size() == 0) assignments = "  (void)sizes;\n";
  return absl::StrReplaceAll(kParameterTemplate,
                             {{"$arguments", list},
                              {"$checks", checks},
                              {"$assignments", assignments}});
}

std::string ScenarioSizes(const std::string& upper,
                          const DynamicProblem& problem,
                          const DynamicPlan& plan) {
  const DynamicSpec& spec = problem.spec();
  CNames names(absl::StrCat(upper, "_SCENARIO_"));
  std::string list;
  std::string rows;
  size_t largest = 0;
  for (size_t s = 0; s < spec.scenarios.size(); ++s) {
    absl::StrAppend(&list, s == 0 ? "\n  " : ",\n  ",
                    names.NameOf(spec.scenarios[s], s), " = ", s);
    absl::StrAppend(&rows, s == 0 ? "" : ",", "\n    {");
    for (size_t i = 0; i < plan.stack.size(); ++i) {
      const size_t size = spec.tables[plan.stack.order()[i]][s];
      largest = std::max(largest, size);
      absl::StrAppend(&rows, i == 0 ? "" : ", ", Literal(size));
    }
    absl::StrAppend(&rows, plan.stack.size() == 0 ? "0}" : "}");
  }
  return absl::StrReplaceAll(
      kScenarioTemplate,
      {{"$count", Literal(spec.scenarios.size())},
       {"$scenarios", absl::StrCat(list, "\n")},
       {"$type", largest > 0xFFFFFFFF ? "uint64_t" : "uint32_t"},
       {"$length", Literal(std::max(plan.stack.size(), size_t{1}))},
       {"$rows", rows}});
}

}  // namespace

absl::StatusOr<std::string> StackHeader(absl::string_view name,
                                        absl::string_view path,
                                        const DynamicProblem& problem,
                                        const DynamicPlan& plan) {
  const auto table = EncodeStack(plan.stack);
  if (!table.ok()) return table.status();
  const std::string upper = absl::AsciiStrToUpper(name);
  absl::StatusOr<std::string> sizes = problem.has_scenarios()
                                          ? ScenarioSizes(upper, problem, plan)
                                          : ParameterSizes(name, problem, plan);
  if (!sizes.ok()) return sizes.status();
  std::string text = absl::StrReplaceAll(kStackTemplate, {{"$sizes", *sizes}});
  const size_t alignment = size_t{1} << (*table)[3];
  text = absl::StrReplaceAll(text,
                             {{"$path", HeaderComment(path)},
                              {"$NAME", upper},
                              {"$name", std::string(name)},
                              {"$reserve", Literal(plan.reserve)},
                              {"$alignment", Literal(alignment)},
                              {"$records", Literal(plan.stack.size())},
                              {"$positions", Positions(upper, problem, plan)},
                              {"$table_bytes", Literal(table->size())},
                              {"$table", TableBytes(MakeConstSpan(*table))}});
  return absl::StrReplaceAll(text, {{"$hash", HashText(text)}});
}

}  // namespace stowage::cli
