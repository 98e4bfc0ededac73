// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "src/io/check_file.h"
#include "src/io/columns.h"
#include "src/io/line_reader.h"
#include "src/io/pool_cell.h"
#include "src/io/tensor_columns.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/io/problem_file.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

bool NeedsQuotes(string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  return text.find_first_of(",\"\r\n") != string_view::npos ||
         text.front() == '#' || is_blank(text.front()) || is_blank(text.back());
}

std::string CellText(string_view text) {
  if (text.empty() || !NeedsQuotes(text)) return std::string(text);
  return StrCat("\"", StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}
std::string CellText(size_t number) { return StrCat(number); }
std::string CellText(optional<size_t> number) {
  return number ? StrCat(*number) : "";
}

// How much of the description of a tensor is written to its row. If the row
// would be too long, part of the description is omitted, because a long name
// must not prevent a trace from being written.
enum class Detail { kAll, kShortTexts, kNothing };

// The length in bytes to which texts are shortened if their row would be too
// long.
constexpr size_t kShortText = 256;

std::string InfoText(string_view text, Detail detail) {
  if (detail == Detail::kNothing) return "";
  const bool is_cut = detail == Detail::kShortTexts && text.size() > kShortText;
  if (!is_cut) return CellText(FileText(text));
  return CellText(StrCat(FileText(FirstBytes(text, kShortText)), "..."));
}

// Visits the columns of a trace after the first four, in the order in which
// they are written.
class OptionalColumns {
 public:
  explicit OptionalColumns(const ProblemFile& file)
      : problem_(file.problem), plan_(file.plan) {
    for (const RecordPlace& place : problem_.constraints.places) {
      has_min_ = has_min_ || place.min > 0;
      has_max_ = has_max_ || place.max.has_value();
      has_group_ = has_group_ || place.group != kNoGroup;
    }
    for (const auto& choices : problem_.constraints.choices) {
      has_pool_ = has_pool_ || !choices.empty();
    }
    for (const TensorInfo& info : problem_.labels.tensors) {
      has_name_ = has_name_ || !info.name.empty();
      has_type_ = has_type_ || !info.type.empty();
      has_shape_ = has_shape_ || !info.shape.empty();
      has_producer_ = has_producer_ || info.producer.has_value();
      has_consumers_ = has_consumers_ || !info.consumers.empty();
    }
    // Names of operators for tasks at or above the limit are not written,
    // because the reader refuses them.
    operators_ = MakeConstSpan(problem_.labels.operators)
                     .subspan(0, NamedTaskLimit(problem_.records.size()));
  }

  // Calls visit(column, cell_of) for each column that the trace has. cell_of(i)
  // returns the cell of record i in this column.
  template <typename Visit>
  void ForEach(Detail detail, Visit visit) const {
    const auto list = [&](Column column, const auto& entries) {
      if (entries.empty()) return;
      visit(column, [&](size_t i) { return CellText(entries[i]); });
    };
    if (!problem_.alignments.empty() || problem_.alignment != 1) {
      const Alignments alignments = AlignmentsOf(problem_);
      visit(kAlignment, [&](size_t i) { return CellText(alignments.Of(i)); });
    }
    list(kFixed, problem_.fixed_offsets);
    ForEachConstraint(visit);
    list(kOffset, plan_.offsets);
    list(kObject, plan_.objects);
    if (!plan_.chosen_pools.empty()) {
      visit(kChosenPool, [&](size_t i) {
        return CellText(problem_.constraints.pools[plan_.chosen_pools[i]].name);
      });
    }
    ForEachInfo(detail, visit);
  }

 private:
  template <typename Visit>
  void ForEachConstraint(Visit visit) const {
    const std::vector<RecordPlace>& places = problem_.constraints.places;
    if (has_min_) {
      visit(kMin, [&](size_t i) { return CellText(places[i].min); });
    }
    if (has_max_) {
      visit(kMax, [&](size_t i) { return CellText(places[i].max); });
    }
    const auto is_in_none = [&](size_t i) {
      return places[i].group == kNoGroup;
    };
    if (has_group_) {
      visit(kGroup, [&](size_t i) {
        return is_in_none(i) ? ""
                             : CellText(GroupName(problem_, places[i].group));
      });
      visit(kAt, [&](size_t i) {
        return is_in_none(i) ? "" : CellText(places[i].at);
      });
    }
    if (!has_pool_) return;
    visit(kPool, [&](size_t i) {
      return CellText(FormatPoolCell(problem_.constraints.choices[i],
                                     problem_.constraints.pools));
    });
  }

  template <typename Visit>
  void ForEachInfo(Detail detail, Visit visit) const {
    const auto text = [&](bool has_any, Column column,
                          std::string TensorInfo::*member) {
      if (!has_any) return;
      visit(column, [&](size_t i) {
        return InfoText(problem_.labels.tensors[i].*member, detail);
      });
    };
    text(has_name_, kName, &TensorInfo::name);
    text(has_type_, kType, &TensorInfo::type);
    text(has_shape_, kShape, &TensorInfo::shape);
    const auto tasks = [&](Span<const TaskId> list) {
      return detail == Detail::kNothing
                 ? ""
                 : CellText(FormatTaskCell(list, operators_));
    };
    if (has_producer_) {
      visit(kProducer, [&](size_t i) {
        const optional<TaskId>& producer = problem_.labels.tensors[i].producer;
        return producer ? tasks({*producer}) : "";
      });
    }
    if (!has_consumers_) return;
    visit(kConsumers, [&](size_t i) {
      return tasks(problem_.labels.tensors[i].consumers);
    });
  }

  const ProblemSpec& problem_;
  const FilePlan& plan_;
  Span<const std::string> operators_;
  bool has_min_ = false;
  bool has_max_ = false;
  bool has_group_ = false;
  bool has_pool_ = false;
  bool has_name_ = false;
  bool has_type_ = false;
  bool has_shape_ = false;
  bool has_producer_ = false;
  bool has_consumers_ = false;
};

// Returns whether a reader of the rows would number the pools as in the
// problem. The reader numbers pools in the order of their first occurrence in
// the cells.
bool AreDeclaredByCells(const ProblemSpec& problem, const FilePlan& plan) {
  const std::vector<MemoryPool>& pools = problem.constraints.pools;
  size_t declared = 0;
  const auto declare = [&](uint32_t pool) {
    if (pool > declared) return false;
    declared = std::max(declared, size_t{pool} + 1);
    return true;
  };
  for (size_t i = 0; i < problem.records.size(); ++i) {
    if (!problem.constraints.choices.empty()) {
      for (const PoolChoice& choice : problem.constraints.choices[i]) {
        if (!declare(choice.pool)) return false;
      }
    }
    if (!plan.chosen_pools.empty() && !declare(plan.chosen_pools[i])) {
      return false;
    }
  }
  return declared == pools.size();
}

// Returns the name of a feature of the trace that a CSV file cannot express, or
// an empty string if a CSV file can express the whole trace.
string_view BeyondCsv(const ProblemFile& file) {
  const ProblemSpec& problem = file.problem;
  const Constraints& constraints = problem.constraints;
  if (!constraints.holes.empty()) return "holes";
  if (!constraints.apart.empty()) return "sets of records apart";
  if (!constraints.never.empty()) return "records that are never live together";
  if (!constraints.prefer_apart.empty()) return "preferences to lie apart";
  if (!constraints.same_or_apart.empty()) {
    return "pairs that may lie in one place";
  }
  if (constraints.order) return "a partial order";
  if (problem.free_order || !file.plan.execution_order.empty()) {
    return "a free order";
  }
  if (problem.capacity) return "a capacity";
  for (const MemoryPool& pool : constraints.pools) {
    if (pool.capacity) return "a pool with a capacity";
    if (!FitsPoolCell(pool.name)) return "a name of a pool with ':' or '|'";
  }
  if (!AreDeclaredByCells(problem, file.plan)) {
    return "pools in an order of their own";
  }
  return "";
}

void AppendHeader(const OptionalColumns& columns, std::string* csv) {
  StrAppend(csv, "id,lower,upper,size");
  columns.ForEach(Detail::kAll, [csv](Column column, const auto& /*cell*/) {
    StrAppend(csv, ",", kColumnNames[column]);
  });
  *csv += '\n';
}

void AppendRecord(const ProblemSpec& problem, const OptionalColumns& columns,
                  size_t i, Detail detail, std::string* csv) {
  const TensorUsageRecord<size_t>& record = problem.records[i];
  StrAppend(csv, CellText(problem.names[i]), ",", record.first_task, ",",
            record.last_task + 1, ",", record.tensor_size);
  columns.ForEach(detail, [csv, i](Column /*column*/, const auto& cell) {
    StrAppend(csv, ",", cell(i));
  });
  *csv += '\n';
}

}  // namespace

StatusOr<std::string> FormatProblemCsv(const ProblemFile& file) {
  const ProblemSpec& problem = file.problem;
  if (Status status = CheckFile(file); !status.ok()) return status;
  if (const string_view beyond = BeyondCsv(file); !beyond.empty()) {
    return UnimplementedError(StrCat("trace: CSV has no column for ", beyond,
                                     "; expected a problem file"));
  }
  const OptionalColumns columns(file);
  std::string csv;
  AppendHeader(columns, &csv);
  for (size_t i = 0; i < problem.records.size(); ++i) {
    const size_t begin = csv.size();
    for (const Detail detail :
         {Detail::kAll, Detail::kShortTexts, Detail::kNothing}) {
      csv.resize(begin);
      AppendRecord(problem, columns, i, detail, &csv);
      if (csv.size() - begin <= kMaxLineBytes) break;
    }
    if (csv.size() - begin > kMaxLineBytes) {
      return RecordError(i, StrCat("its row is too long; expected at most ",
                                   kMaxLineBytes, " bytes"));
    }
  }
  return csv;
}

}  // namespace stowage
