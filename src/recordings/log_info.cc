// SPDX-License-Identifier: Apache-2.0
#include "stowage/recordings/log_info.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/log_reader.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/input_file.h"
#include "stowage/recordings/log_format.h"

namespace stowage {
namespace {

using log_format::Event;
using log_format::EventKind;

// Counts the allocations in a log, and the live blocks and bytes.
class BlockCount {
 public:
  void Add(const Event& event) {
    if (event.kind == EventKind::kFree) {
      const auto found = sizes_.find(event.id);
      if (found == sizes_.end()) return;
      live_bytes_ -= found->second;
      sizes_.erase(found);
      return;
    }
    if (event.kind != EventKind::kAlloc &&
        event.kind != EventKind::kAllocWith) {
      return;
    }
    const auto [entry, is_new] = sizes_.try_emplace(event.id);
    if (!is_new) live_bytes_ -= entry->second;
    ++allocations_;
    // The sum can be capped, because no program has more than 2^64 - 1 live
    // bytes.
    entry->second = std::min(event.size, UINT64_MAX - live_bytes_);
    live_bytes_ += entry->second;
    peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  }

  void Write(LogInfo* info) const {
    info->allocations = allocations_;
    info->peak_bytes = peak_bytes_;
    info->live_bytes = live_bytes_;
    info->live_blocks = sizes_.size();
  }

 private:
  absl::flat_hash_map<uint64_t, uint64_t> sizes_;  // of the live blocks
  uint64_t allocations_ = 0;
  uint64_t live_bytes_ = 0;
  uint64_t peak_bytes_ = 0;
};

}  // namespace

StatusOr<LogInfo> ParseLogInfo(string_view bytes, const std::string& name) {
  if (!absl::StartsWith(
          bytes, string_view(log_format::kMagic, sizeof(log_format::kMagic)))) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": is not a log of a recorder; expected one (stowage record)"));
  }
  BlockCount count;
  const auto add = [&count](const Event& event) { count.Add(event); };
  const StatusOr<recordings::LogReader> log =
      recordings::LogReader::Open(bytes, name, add);
  if (!log.ok()) return log.status();
  LogInfo info;
  info.program = log->program();
  info.arguments = log->arguments();
  info.process = log->header().process;
  info.parent = log->header().parent;
  info.start_time = log->header().start_time;
  info.is_forked = (log->header().flags & log_format::kForked) != 0;
  info.events = log->events();
  info.lost_events = log->header().lost + log->missing();
  info.missing_events = log->missing();
  // The counted events include failed reallocs, which later events cancel. If
  // there are any, the log is read again without them. Failed reallocs are
  // rare, so most logs are read only once.
  if (log->has_cancelled()) {
    count = BlockCount();
    log->ForEach(add);
  }
  count.Write(&info);
  return info;
}

StatusOr<LogInfo> ReadLogInfo(const std::string& path) {
  const StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  const StatusOr<string_view> bytes = (*file)->Contents();
  if (!bytes.ok()) return bytes.status();
  return ParseLogInfo(*bytes, (*file)->name());
}

}  // namespace stowage
