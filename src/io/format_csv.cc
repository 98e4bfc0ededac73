// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/base/text.h"
#include "src/io/check_trace.h"
#include "src/io/columns.h"
#include "src/io/line_reader.h"
#include "src/io/pool_cell.h"
#include "src/io/tensor_columns.h"
#include "stowage/constraints.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

bool NeedsQuotes(absl::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  return text.find_first_of(",\"\r\n") != absl::string_view::npos ||
         text.front() == '#' || is_blank(text.front()) || is_blank(text.back());
}

std::string CellText(absl::string_view text) {
  if (text.empty() || !NeedsQuotes(text)) return std::string(text);
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}
std::string CellText(size_t number) { return absl::StrCat(number); }
std::string CellText(absl::optional<size_t> number) {
  return number ? absl::StrCat(*number) : "";
}

// Says how much of the description of its tensor a row contains. A row that
// would be too long contains less, since a name must not prevent a trace from
// being written.
enum class Detail { kAll, kShortTexts, kNothing };

// The length in bytes to which a text is cut if its row would be too long.
constexpr size_t kShortText = 256;

std::string InfoText(absl::string_view text, Detail detail) {
  if (detail == Detail::kNothing) return "";
  const bool is_cut = detail == Detail::kShortTexts && text.size() > kShortText;
  if (!is_cut) return CellText(FileText(text));
  // Do not cut within a character.
  size_t size = kShortText;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) {
    --size;
  }
  return CellText(absl::StrCat(FileText(text.substr(0, size)), "..."));
}

// The columns of a trace after the first four, in the order in which they are
// written.
class OptionalColumns {
 public:
  explicit OptionalColumns(const Trace& trace) : trace_(trace) {
    for (const RecordPlace& place : trace.constraints.places) {
      has_min_ = has_min_ || place.min > 0;
      has_max_ = has_max_ || place.max.has_value();
      has_group_ = has_group_ || place.group != kNoGroup;
    }
    for (const auto& choices : trace.constraints.choices) {
      has_pool_ = has_pool_ || !choices.empty();
    }
    for (const TensorInfo& info : trace.tensors) {
      has_name_ = has_name_ || !info.name.empty();
      has_type_ = has_type_ || !info.type.empty();
      has_shape_ = has_shape_ || !info.shape.empty();
      has_producer_ = has_producer_ || info.producer.has_value();
      has_consumers_ = has_consumers_ || !info.consumers.empty();
    }
    // Names of operators above the limit are not written, since the reader
    // would refuse them.
    operators_ = absl::MakeConstSpan(trace.operators)
                     .subspan(0, NamedTaskLimit(trace.records.size()));
  }

  // Calls `visit` for each column that the trace has, with the column and with
  // a function that returns its cell for the index of a record.
  template <typename Visit>
  void ForEach(Detail detail, Visit visit) const {
    const auto list = [&](Column column, const auto& entries) {
      if (entries.empty()) return;
      visit(column, [&](size_t i) { return CellText(entries[i]); });
    };
    list(kAlignment, trace_.alignments);
    list(kFixed, trace_.fixed);
    ForEachConstraint(visit);
    list(kOffset, trace_.offsets);
    list(kObject, trace_.objects);
    if (!trace_.chosen_pools.empty()) {
      visit(kChosenPool, [&](size_t i) {
        return CellText(trace_.constraints.pools[trace_.chosen_pools[i]].name);
      });
    }
    ForEachInfo(detail, visit);
  }

 private:
  template <typename Visit>
  void ForEachConstraint(Visit visit) const {
    const std::vector<RecordPlace>& places = trace_.constraints.places;
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
                             : CellText(GroupName(trace_, places[i].group));
      });
      visit(kAt, [&](size_t i) {
        return is_in_none(i) ? "" : CellText(places[i].at);
      });
    }
    if (!has_pool_) return;
    visit(kPool, [&](size_t i) {
      return CellText(FormatPoolCell(trace_.constraints.choices[i],
                                     trace_.constraints.pools));
    });
  }

  template <typename Visit>
  void ForEachInfo(Detail detail, Visit visit) const {
    const auto text = [&](bool has_any, Column column,
                          std::string TensorInfo::*member) {
      if (!has_any) return;
      visit(column, [&](size_t i) {
        return InfoText(trace_.tensors[i].*member, detail);
      });
    };
    text(has_name_, kName, &TensorInfo::name);
    text(has_type_, kType, &TensorInfo::type);
    text(has_shape_, kShape, &TensorInfo::shape);
    const auto tasks = [&](absl::Span<const TaskId> list) {
      return detail == Detail::kNothing
                 ? ""
                 : CellText(FormatTaskCell(list, operators_));
    };
    if (has_producer_) {
      visit(kProducer, [&](size_t i) {
        const absl::optional<TaskId>& producer = trace_.tensors[i].producer;
        return producer ? tasks({*producer}) : "";
      });
    }
    if (!has_consumers_) return;
    visit(kConsumers,
          [&](size_t i) { return tasks(trace_.tensors[i].consumers); });
  }

  const Trace& trace_;
  absl::Span<const std::string> operators_;
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

// Returns whether reading the rows yields the pools in their order. The reader
// numbers pools in the order in which the cells name them.
bool AreDeclaredByCells(const Trace& trace) {
  const std::vector<MemoryPool>& pools = trace.constraints.pools;
  size_t declared = 0;
  const auto declare = [&](uint32_t pool) {
    if (pool > declared) return false;
    declared = std::max(declared, size_t{pool} + 1);
    return true;
  };
  for (size_t i = 0; i < trace.records.size(); ++i) {
    if (!trace.constraints.choices.empty()) {
      for (const PoolChoice& choice : trace.constraints.choices[i]) {
        if (!declare(choice.pool)) return false;
      }
    }
    if (!trace.chosen_pools.empty() && !declare(trace.chosen_pools[i])) {
      return false;
    }
  }
  return declared == pools.size();
}

// Returns which part of the trace a CSV file cannot express, or an empty string
// if it can express all of it.
absl::string_view BeyondCsv(const Trace& trace) {
  const Constraints& constraints = trace.constraints;
  if (!constraints.holes.empty()) return "holes";
  if (!constraints.apart.empty()) return "sets of records apart";
  if (!constraints.never.empty()) return "records that are never live together";
  if (!constraints.prefer_apart.empty()) return "preferences to lie apart";
  if (constraints.order) return "a partial order";
  if (trace.capacity) return "a capacity";
  for (const MemoryPool& pool : constraints.pools) {
    if (pool.capacity) return "a pool with a capacity";
    if (!FitsPoolCell(pool.name)) return "a name of a pool with ':' or '|'";
  }
  if (!AreDeclaredByCells(trace)) return "pools in an order of their own";
  return "";
}

void AppendHeader(const OptionalColumns& columns, std::string* csv) {
  absl::StrAppend(csv, "id,lower,upper,size");
  columns.ForEach(Detail::kAll, [csv](Column column, const auto& /*cell*/) {
    absl::StrAppend(csv, ",", kColumnNames[column]);
  });
  *csv += '\n';
}

void AppendRecord(const Trace& trace, const OptionalColumns& columns, size_t i,
                  Detail detail, std::string* csv) {
  const TensorUsageRecord<size_t>& record = trace.records[i];
  absl::StrAppend(csv, CellText(trace.ids[i]), ",", record.first_task, ",",
                  record.last_task + 1, ",", record.tensor_size);
  columns.ForEach(detail, [csv, i](Column /*column*/, const auto& cell) {
    absl::StrAppend(csv, ",", cell(i));
  });
  *csv += '\n';
}

}  // namespace

absl::StatusOr<std::string> FormatTraceCsv(const Trace& trace) {
  if (absl::Status status = CheckTrace(trace); !status.ok()) return status;
  if (const absl::string_view beyond = BeyondCsv(trace); !beyond.empty()) {
    return absl::UnimplementedError(absl::StrCat(
        "trace: CSV has no column for ", beyond, "; expected a problem file"));
  }
  const OptionalColumns columns(trace);
  std::string csv;
  AppendHeader(columns, &csv);
  for (size_t i = 0; i < trace.records.size(); ++i) {
    const size_t begin = csv.size();
    for (const Detail detail :
         {Detail::kAll, Detail::kShortTexts, Detail::kNothing}) {
      csv.resize(begin);
      AppendRecord(trace, columns, i, detail, &csv);
      if (csv.size() - begin <= kMaxLineBytes) break;
    }
    if (csv.size() - begin > kMaxLineBytes) {
      return RecordError(i,
                         absl::StrCat("its row is too long; expected at most ",
                                      kMaxLineBytes, " bytes"));
    }
  }
  return csv;
}

}  // namespace stowage
