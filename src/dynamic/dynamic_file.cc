// SPDX-License-Identifier: Apache-2.0
#include "stowage/dynamic/dynamic_file.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/dynamic/dynamic_state.h"
#include "src/dynamic/error_line.h"
#include "src/io/line_json.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/expression.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/error_payload.h"
#include "stowage/io/problem_file.h"
#include "stowage/io/record_json.h"
#include "stowage/problem.h"

namespace stowage {
namespace {

// Keeps keys in the order in which they are added.
using Json = nlohmann::ordered_json;

// The keys that identify the format must occur within this many bytes at the
// start of a file.
constexpr size_t kStartBytes = size_t{1} << 16;

std::string TextOf(const Json& json) {
  // Invalid UTF-8 is replaced, because names that come from models may contain
  // it.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Returns a list as JSON, with each entry on its own line.
template <typename TextOfEntry>
std::string LinesOf(size_t count, TextOfEntry text_of) {
  std::string text = "[";
  for (size_t i = 0; i < count; ++i) {
    StrAppend(&text, i == 0 ? "\n" : ",\n", text_of(i));
  }
  return StrCat(text, "]");
}

// Returns a JSON number if the text is a number, or a JSON string if it is not.
Json ExpressionJson(const std::string& text) {
  const StatusOr<Expression> number = Expression::Parse(text, {});
  if (number.ok()) {
    const Expression::Result result = number->Evaluate({});
    if (StrCat(result.value) == text) return result.value;
  }
  return text;
}

Json SizeJson(const DynamicSpec& problem, size_t record) {
  if (problem.scenarios.empty()) return ExpressionJson(problem.sizes[record]);
  const std::vector<size_t>& table = problem.tables[record];
  if (std::all_of(table.begin(), table.end(),
                  [&](size_t size) { return size == table[0]; })) {
    return table[0];
  }
  return table;
}

}  // namespace

std::string FormatDynamicJson(const DynamicFile& file) {
  const DynamicSpec& problem = file.problem;
  std::string text;
  const auto add = [&](string_view key, string_view value) {
    StrAppend(&text, text.empty() ? "{" : ",\n", "\"", key, "\":", value);
  };
  if (problem.scenarios.empty()) {
    Json parameters = Json::object();
    for (const SizeParameter& each : problem.parameters) {
      parameters[each.name] = {{"min", each.min}, {"max", each.max}};
      if (each.step != 1) parameters[each.name]["step"] = each.step;
    }
    add("parameters", TextOf(parameters));
    if (!problem.where.empty()) add("where", TextOf(problem.where));
  } else {
    add("scenarios", TextOf(problem.scenarios));
  }
  ProblemFile records;
  records.problem = problem.problem;
  const bool has_one_alignment = records.problem.alignments.empty();
  if (has_one_alignment && records.problem.alignment != 1) {
    add("alignment", StrCat(records.problem.alignment));
    records.problem.alignment = 1;
  }
  if (records.problem.capacity) {
    add("capacity", StrCat(*records.problem.capacity));
  }
  if (file.reserve) add("reserve", StrCat(*file.reserve));
  if (!file.ratio.empty()) add("ratio", TextOf(file.ratio));
  if (!file.worst.empty()) add("worst", TextOf(file.worst));
  std::vector<size_t> positions(file.order.size());
  for (size_t k = 0; k < file.order.size(); ++k) positions[file.order[k]] = k;
  add("records", LinesOf(records.problem.records.size(), [&](size_t i) {
        Json record = Json::parse(FormatRecordJson(records, i));
        record["size"] = SizeJson(problem, i);
        if (!positions.empty()) record["stack"] = positions[i];
        if (!file.offsets.empty()) {
          record["offset"] = ExpressionJson(file.offsets[i]);
        }
        return TextOf(record);
      }));
  const std::vector<std::string>& operators = problem.problem.labels.operators;
  if (!operators.empty()) add("operators", TextOf(operators));
  return StrCat(text, "}\n");
}

DynamicFile FileOfPlan(const DynamicProblem& problem, const DynamicPlan& plan) {
  DynamicFile file;
  file.problem = problem.spec();
  const Span<const size_t> order = plan.stack.order();
  file.order.assign(order.begin(), order.end());
  file.reserve = plan.reserve;
  file.ratio = RatioText(plan.worst);
  file.worst = problem.Describe(plan.worst.values);
  return file;
}

bool IsDynamic(string_view start) {
  return HasOutermostKey(start, {"parameters", "scenarios"});
}

StatusOr<DynamicProblem> ReadDynamicProblem(string_view json, string_view name,
                                            DynamicFile* file) {
  StatusOr<DynamicFile> parsed = ParseDynamicJson(json, name);
  if (!parsed.ok()) return parsed.status();
  StatusOr<DynamicProblem> problem = DynamicProblem::Create(parsed->problem);
  if (!problem.ok()) return AtLine(json, name, problem.status());
  *file = *std::move(parsed);
  return problem;
}

StatusOr<ProblemFile> ProblemFileAt(const DynamicProblem& problem,
                                    const DynamicFile& file, string_view at) {
  const StatusOr<ParameterValues> values = problem.ParseValues(at);
  if (!values.ok()) return values.status();
  const StatusOr<std::vector<size_t>> sizes = problem.SizesAt(*values);
  if (!sizes.ok()) return sizes.status();
  ProblemFile result;
  result.problem = problem.SpecWithSizes(*sizes);
  result.note = StrCat("sizes at ", problem.Describe(*values));
  if (!file.order.empty()) {
    const StatusOr<StackPlan> stack =
        StackPlan::Create(result.problem, file.order);
    if (!stack.ok()) return stack.status();
    result.plan.offsets.resize(problem.size());
    const StatusOr<size_t> height =
        stack->Offsets(*sizes, MakeSpan(result.plan.offsets));
    if (!height.ok()) return height.status();
  }
  const std::vector<std::string> names = ParameterNames(problem.spec());
  for (size_t i = 0; i < file.offsets.size(); ++i) {
    const StatusOr<Expression> formula =
        Expression::Parse(file.offsets[i], names);
    const Expression::Result offset =
        formula.ok() ? formula->Evaluate(*values) : Expression::Result();
    if (!formula.ok() || offset.fault != Expression::Fault::kNone ||
        offset.value < 0) {
      return InvalidArgumentError(StrCat("the offset of record ", i, ", ",
                                         file.offsets[i], ", has no value at ",
                                         problem.Describe(*values),
                                         "; expected a number of bytes"));
    }
    result.plan.offsets.push_back(static_cast<size_t>(offset.value));
  }
  return result;
}

FileFormat DynamicFormat(const optional<std::string>& at) {
  FileFormat format;
  format.name = "dynamic";
  format.start_bytes = kStartBytes;
  format.detect = [](string_view start, const std::string&) {
    return IsDynamic(start);
  };
  format.parse = [at](string_view bytes,
                      string_view name) -> StatusOr<ProblemFile> {
    DynamicFile file;
    const StatusOr<DynamicProblem> problem =
        ReadDynamicProblem(bytes, name, &file);
    if (!problem.ok()) return problem.status();
    if (!at) {
      const ParameterValues example = problem->SampleValues(64).front();
      return InvalidArgumentError(
          StrCat(name, ": its sizes depend on parameters; expected --at ",
                 problem->Describe(example), " or another value"));
    }
    StatusOr<ProblemFile> result = ProblemFileAt(*problem, file, *at);
    if (!result.ok()) {
      return AtPlace(name, result.status());
    }
    return result;
  };
  return format;
}

}  // namespace stowage
