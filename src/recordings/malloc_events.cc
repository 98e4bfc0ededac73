// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/malloc_events.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/line_source.h"
#include "stowage/base/status.h"
#include "stowage/recordings/event_log.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {

void MallocEvents::Alloc(Address address, size_t size, size_t alignment) {
  if (const auto open = open_frees_.find(address); open != open_frees_.end()) {
    log_.Free(open->second, address);
    open_frees_.erase(open);
  }
  const size_t live_allocs = log_.irregular().live_allocs;
  log_.Alloc(count_++, address, {size, alignment});
  if (log_.irregular().live_allocs > live_allocs) ++early_ends_[address];
}

bool MallocEvents::TakeEarlyEnd(Address address) {
  const auto ended = early_ends_.find(address);
  if (ended == early_ends_.end()) return false;
  if (--ended->second == 0) early_ends_.erase(ended);
  return true;
}

void MallocEvents::Free(Address address) {
  if (open_frees_.erase(address) > 0) TakeEarlyEnd(address);
  log_.Free(count_++, address);
}

void MallocEvents::FreeByRealloc(Address address) {
  if (!TakeEarlyEnd(address)) return Free(address);
  ++count_;
}

void MallocEvents::FreeMaybeByRealloc(Address address) {
  if (open_frees_.erase(address) > 0) TakeEarlyEnd(address);
  if (early_ends_.count(address) == 0) return Free(address);
  // No block is live at the address, so this must be the free of a realloc.
  if (!log_.IsLive(address)) return FreeByRealloc(address);
  open_frees_[address] = count_++;
}

RecordingPart MallocEvents::ToPart(const std::string& name,
                                   const RecordingOptions& options,
                                   const std::string& remark) {
  for (const auto& open : open_frees_) log_.Free(count_, open.first);
  open_frees_.clear();
  log_.SetEnd(count_);
  RecordingPart part;
  part.name = name;
  part.file = log_.ToProblem(options.events, options.tensor_alignment);
  std::string& note = part.file.note;
  if (!remark.empty()) {
    note = absl::StrCat(remark, note.empty() ? "" : "; ", note);
  }
  return part;
}

Status EndMallocRun(const LineSource& lines, const std::string& name,
                    const RecordingOptions& options, const std::string& remark,
                    MallocEvents* events, std::vector<RecordingPart>* parts) {
  if (events->count() == 0) return absl::OkStatus();
  if (parts->size() == kMaxMallocRuns) {
    return lines.Error(absl::StrCat("ends one run too many; expected at most ",
                                    kMaxMallocRuns));
  }
  parts->push_back(events->ToPart(name, options, remark));
  *events = MallocEvents();
  return absl::OkStatus();
}

std::string CutLineRemark(size_t line) {
  return absl::StrCat("line ", line, " ends early and is left out");
}

}  // namespace stowage::recordings
