// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/malloc_events.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "stowage/recordings/event_log.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {

void MallocEvents::Alloc(Address address, size_t size, size_t alignment) {
  const size_t live_allocs = log_.irregular().live_allocs;
  log_.Alloc(count_++, address, {size, alignment});
  if (log_.irregular().live_allocs > live_allocs) ++early_ends_[address];
}

void MallocEvents::Free(Address address) { log_.Free(count_++, address); }

void MallocEvents::FreeByRealloc(Address address) {
  const auto ended = early_ends_.find(address);
  if (ended == early_ends_.end()) return Free(address);
  ++count_;
  if (--ended->second == 0) early_ends_.erase(ended);
}

RecordingPart MallocEvents::ToPart(const std::string& name,
                                   const RecordingOptions& options,
                                   const std::string& remark) {
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

std::string CutLineRemark(size_t line) {
  return absl::StrCat("line ", line, " ends early and is left out");
}

}  // namespace stowage::recordings
