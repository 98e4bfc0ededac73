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

// Adds what the events say of memory.
void CountBlocks(const recordings::LogReader& log, LogInfo* info) {
  absl::flat_hash_map<uint64_t, uint64_t> sizes;  // of the live blocks
  const auto end_block = [&](uint64_t id) {
    const auto found = sizes.find(id);
    if (found == sizes.end()) return;
    info->live_bytes -= found->second;
    sizes.erase(found);
  };
  log.ForEach([&](const Event& event) {
    if (event.kind == EventKind::kFree) end_block(event.id);
    if (event.kind != EventKind::kAlloc &&
        event.kind != EventKind::kAllocWith) {
      return;
    }
    end_block(event.id);
    ++info->allocations;
    // A sum that is no 64-bit number is not that of a program, either.
    const uint64_t size = std::min(event.size, UINT64_MAX - info->live_bytes);
    sizes[event.id] = size;
    info->live_bytes += size;
    info->peak_bytes = std::max(info->peak_bytes, info->live_bytes);
  });
  info->live_blocks = sizes.size();
}

}  // namespace

StatusOr<LogInfo> ParseLogInfo(string_view bytes, const std::string& name) {
  if (!absl::StartsWith(
          bytes, string_view(log_format::kMagic, sizeof(log_format::kMagic)))) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": is no log of a recorder; expected one (stowage record)"));
  }
  const StatusOr<recordings::LogReader> log =
      recordings::LogReader::Open(bytes, name);
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
  CountBlocks(*log, &info);
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
