// SPDX-License-Identifier: Apache-2.0
// Reads the logs of Stowage's own recorder (stowage/recorder.h, `stowage
// record`). The format of these logs is described in
// stowage/recordings/log_format.h.
//
// Each event is a task, unless the program itself marks the ends of its tasks.
// In that case, a block that is freed is still live at the task of the free.
// Each pool is a separate part of the recording, because each pool is planned
// separately.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/log_reader.h"
#include "src/recordings/recording_format.h"
#include "src/recordings/recording_input.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/recordings/event_log.h"
#include "stowage/recordings/log_format.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {
namespace {

using log_format::Event;
using log_format::EventKind;

constexpr size_t kMaxLogPools = 4096;

// Distributes the events of a log to one EventLog per pool.
class StowageLogPools {
 public:
  explicit StowageLogPools(const LogReader& log)
      : default_alignment_log2_(
            static_cast<uint8_t>(log.header().alignment_log2)),
        is_forked_((log.header().flags & log_format::kForked) != 0),
        has_touches_((log.header().flags & log_format::kHasTouches) != 0),
        has_steps_(log.has_steps()) {}

  void Add(const Event& event) {
    is_in_task_ = event.kind != EventKind::kStep;
    switch (event.kind) {
      case EventKind::kStep:
        EndTask();
        return;
      case EventKind::kAlloc:
      case EventKind::kAllocWith:
        Alloc(event);
        break;
      case EventKind::kFree:
        Free(event.id);
        break;
      case EventKind::kRead:
      case EventKind::kWrite: {
        const auto block = live_.find(event.id);
        if (block != live_.end()) {
          Use(task_, block->second);
          block->second.is_in_use =
              has_touches_ && event.kind == EventKind::kWrite;
        }
        break;
      }
      case EventKind::kNone:
      case EventKind::kCancel:
        return;
    }
    if (!has_steps_) ++task_;
  }

  // Ends the last task.
  void End() {
    if (has_steps_ && is_in_task_) EndTask();
    for (const auto& [id, block] : live_) {
      if (block.is_in_use) Use(task_ - 1, block);
    }
    for (auto& [number, pool] : pools_) pool.SetEnd(task_);
  }

  std::map<uint32_t, EventLog>& pools() { return pools_; }
  // Returns the number of frees of blocks that a forked process inherited from
  // its parent.
  uint64_t inherited_frees() const { return inherited_frees_; }

 private:
  // A live block. If the program itself marks the ends of its tasks, a free
  // takes effect only at the end of a task, but the id of the block may be
  // reused earlier. Blocks are therefore numbered, and these numbers are used
  // as addresses.
  struct LiveBlock {
    uint32_t pool = 0;
    EventLog::Address address = 0;
    bool is_in_use = false;  // until the next event about it
  };

  void Use(EventLog::Time task, const LiveBlock& block) {
    pools_[block.pool].Use(task, block.address);
  }

  void Alloc(const Event& event) {
    BlockFacts facts;
    facts.size = event.size;
    facts.alignment =
        size_t{1} << (event.kind == EventKind::kAlloc ? default_alignment_log2_
                                                      : event.alignment_log2);
    LiveBlock block;
    block.pool = event.pool;
    block.address = next_address_++;
    const auto [entry, is_new] = live_.emplace(event.id, block);
    if (!is_new && entry->second.pool == event.pool) {
      // The log does not contain the free of the old block. The new block is
      // assigned the same address, so the EventLog counts the old block as
      // still live.
      block.address = entry->second.address;
    }
    entry->second = block;
    pools_[event.pool].Alloc(task_, block.address, facts);
  }

  void Free(uint64_t id) {
    const auto block = live_.find(id);
    if (block == live_.end()) {
      if (is_forked_) {
        ++inherited_frees_;
      } else {
        pools_[0].Free(task_, next_address_++);
      }
      return;
    }
    if (block->second.is_in_use) Use(task_ - 1, block->second);
    if (has_steps_) {
      ending_.push_back(block->second);
    } else {
      pools_[block->second.pool].Free(task_, block->second.address);
    }
    live_.erase(block);
  }

  void EndTask() {
    ++task_;
    for (const LiveBlock& block : ending_) {
      pools_[block.pool].Free(task_, block.address);
    }
    ending_.clear();
  }

  uint8_t default_alignment_log2_;
  bool is_forked_;
  bool has_touches_;
  bool has_steps_;
  EventLog::Time task_ = 0;
  bool is_in_task_ = false;  // says whether the task has events
  EventLog::Address next_address_ = 0;
  std::map<uint32_t, EventLog> pools_;
  absl::flat_hash_map<uint64_t, LiveBlock> live_;
  std::vector<LiveBlock> ending_;  // freed in the current task
  uint64_t inherited_frees_ = 0;
};

// Describes the process that wrote the log, and what is missing from the log.
std::string StowageLogNote(const LogReader& log, uint64_t inherited_frees) {
  const log_format::FileHeader& header = log.header();
  std::string note = absl::StrCat("recorded from ", log.program(), ", process ",
                                  header.process, " of ", header.parent);
  if (log.is_truncated()) {
    absl::StrAppend(&note,
                    "; the file ends early, so the last events are missing");
  }
  const bool is_open =
      (header.flags & (log_format::kIsProcess | log_format::kWasClosed)) == 0;
  if (is_open) absl::StrAppend(&note, "; the recorder was not closed");
  if (log.missing() > 0) {
    absl::StrAppend(&note, "; ", log.missing(),
                    " events were not written when the program ended");
  }
  if (header.lost > 0) {
    absl::StrAppend(
        &note, "; ", header.lost, " events are lost, because the file could ",
        "not grow: ",
        std::generic_category().message(static_cast<int>(header.lost_error)));
  }
  if (inherited_frees > 0) {
    absl::StrAppend(&note, "; ", inherited_frees,
                    " blocks of its parent were freed");
  }
  return note;
}

StatusOr<std::vector<RecordingPart>> ReadStowageLog(
    RecordingInput* input, const RecordingOptions& options) {
  const StatusOr<string_view> bytes = input->Contents();
  if (!bytes.ok()) return bytes.status();
  const StatusOr<LogReader> log = LogReader::Open(*bytes, input->name());
  if (!log.ok()) return log.status();
  StowageLogPools pools(*log);
  bool has_too_many = false;
  log->ForEach([&](const Event& event) {
    has_too_many |= pools.pools().size() > kMaxLogPools;
    if (!has_too_many) pools.Add(event);
  });
  if (has_too_many) {
    return absl::InvalidArgumentError(
        absl::StrCat(input->name(), ": has more than ", kMaxLogPools,
                     " pools; expected at most this number"));
  }
  pools.End();
  if (pools.pools().empty()) pools.pools()[0];  // a program without events
  std::vector<RecordingPart> parts;
  for (auto& [number, pool] : pools.pools()) {
    RecordingPart part;
    part.name = absl::StrCat("pool ", number);
    part.file = pool.ToProblem(options.events, options.tensor_alignment);
    part.file.lost_events = log->header().lost + log->missing();
    std::string note = StowageLogNote(*log, pools.inherited_frees());
    part.file.note =
        absl::StrCat(note, part.file.note.empty() ? "" : "; ", part.file.note);
    parts.push_back(std::move(part));
    pool = EventLog();  // frees its memory
  }
  return parts;
}

RecordingFormatInfo StowageLogInfo() {
  RecordingFormatInfo info;
  info.name = "stowage-log";
  info.description = "a log of `stowage record` or of stowage/recorder.h";
  info.has_events = true;
  info.has_uses = true;
  return info;
}

}  // namespace

const RecordingFormat kStowageLog = {
    StowageLogInfo(),
    [](string_view start, const std::string& /*path*/) {
      return absl::StartsWith(
          start, string_view(log_format::kMagic, sizeof(log_format::kMagic)));
    },
    ReadStowageLog,
};

}  // namespace stowage::recordings
