// SPDX-License-Identifier: Apache-2.0
#include "src/command/arena_needs.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/json.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/usage_record.h"

namespace stowage::cli {
namespace {

// The maximum number of buffers that a message names. This is enough to show
// what fills the head.
constexpr size_t kNamedBuffers = 5;

bool IsLiveAt(const MicroBuffer& buffer, TaskId task) {
  return buffer.record.first_task <= task && task <= buffer.record.last_task;
}

// Returns the first task at which the most bytes are live. This is always the
// first task of a buffer.
TaskId FindPeakTask(const std::vector<MicroBuffer>& buffers) {
  std::vector<std::pair<TaskId, size_t>> begins;
  std::vector<std::pair<TaskId, size_t>> ends;
  for (const MicroBuffer& buffer : buffers) {
    begins.emplace_back(buffer.record.first_task, buffer.record.tensor_size);
    ends.emplace_back(buffer.record.last_task, buffer.record.tensor_size);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  size_t live = 0;
  size_t peak = 0;
  TaskId peak_task = 0;
  size_t ended = 0;
  for (const auto& [task, bytes] : begins) {
    while (ended < ends.size() && ends[ended].first < task) {
      live -= ends[ended++].second;
    }
    live += bytes;
    if (live <= peak) continue;
    peak = live;
    peak_task = task;
  }
  return peak_task;
}

std::string PlaceOf(const Model& model, const MicroBuffer& micro) {
  OfflineBuffer buffer;
  buffer.buffer = micro;
  return OfflineBufferPlace(model, buffer);
}

}  // namespace

AnswerTable OperatorsTable(const std::vector<MicroOperator>& operators) {
  AnswerTable table;
  table.columns = {"operator",  "=name",     "=custom",
                   "uses>uses", "=upstream", "registered by=register"};
  table.count = operators.size();
  table.row = [operators](size_t k) -> std::vector<Value> {
    const MicroOperator& op = operators[k];
    const bool has_kernel = !op.adder.empty();
    return {Phrase(op.is_custom ? "CUSTOM " : "", op.name),
            op.name,
            Data(op.is_custom),
            op.uses,
            Data(has_kernel),
            {has_kernel ? Json(op.adder) : Json(),
             has_kernel ? Phrase(op.adder, "()")
                        : Phrase(op.is_custom ? "AddCustom(), " : "",
                                 "no kernel in ", kMicroCommit)}};
  };
  return table;
}

ArenaOverflow FindOverflow(const MicroArena& arena, size_t capacity,
                           std::vector<MicroBuffer> buffers,
                           absl::Span<const ArenaChoice> choices) {
  ArenaOverflow overflow;
  overflow.capacity = capacity;
  overflow.arena = arena;
  overflow.peak_task = FindPeakTask(buffers);
  for (MicroBuffer& buffer : buffers) {
    if (IsLiveAt(buffer, overflow.peak_task)) {
      overflow.peak.push_back(std::move(buffer));
    }
  }
  std::stable_sort(overflow.peak.begin(), overflow.peak.end(),
                   [](const MicroBuffer& a, const MicroBuffer& b) {
                     return a.record.tensor_size > b.record.tensor_size;
                   });
  for (const ArenaChoice& choice : choices) {
    if (choice.bytes <= capacity) overflow.fitting.push_back(choice);
  }
  return overflow;
}

std::string OverflowText(const Model& model, const ArenaOverflow& overflow) {
  const MicroArena& arena = overflow.arena;
  std::string text = absl::StrCat(
      model.name(), ": the arena takes ", arena.peak_bytes,
      " bytes; expected at most ", overflow.capacity, ", the capacity, ",
      arena.peak_bytes - overflow.capacity, " fewer: head ", arena.head_bytes,
      ", tail ", arena.tail_bytes, "; live at task ", overflow.peak_task, ": ");
  std::vector<std::string> named;
  for (const MicroBuffer& buffer : overflow.peak) {
    if (named.size() == kNamedBuffers) break;
    named.push_back(absl::StrCat(PlaceOf(model, buffer), ", ",
                                 buffer.record.tensor_size, " bytes"));
  }
  if (overflow.peak.size() > named.size()) {
    named.push_back(absl::StrCat(overflow.peak.size() - named.size(), " more"));
  }
  absl::StrAppend(&text,
                  named.empty() ? "nothing" : absl::StrJoin(named, "; "));
  if (overflow.fitting.empty()) {
    return absl::StrCat(text, "; no arena listed fits");
  }
  return absl::StrCat(
      text, "; fits: ",
      absl::StrJoin(overflow.fitting, "; ",
                    [](std::string* out, const ArenaChoice& choice) {
                      absl::StrAppend(out, choice.title, ", ", choice.bytes,
                                      " bytes");
                    }));
}

Json OverflowJson(const Model& model, const ArenaOverflow& overflow) {
  Json peak = Json::array();
  for (const MicroBuffer& buffer : overflow.peak) {
    peak.push_back({{"place", PlaceOf(model, buffer)},
                    {"size", buffer.record.tensor_size}});
  }
  Json fitting = Json::array();
  for (const ArenaChoice& choice : overflow.fitting) {
    fitting.push_back(choice.key);
  }
  return {{"bytes", overflow.arena.peak_bytes - overflow.capacity},
          {"peak_task", overflow.peak_task},
          {"live_at_peak", peak},
          {"fitting", fitting}};
}

}  // namespace stowage::cli
