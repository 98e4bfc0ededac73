// SPDX-License-Identifier: Apache-2.0
// Reads snapshots of PyTorch's allocator of GPU memory. The trace of a device
// provides the events, and the blocks of its segments are used to check the
// events. Both show the same moment, because PyTorch copies them while holding
// one lock (DeviceCachingAllocator in c10/cuda/CUDACachingAllocator.cpp of
// github.com/pytorch/pytorch).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/recordings/recording_format.h"
#include "src/recordings/recording_input.h"
#include "src/recordings/torch_devices.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/recordings/event_log.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {
namespace {

std::string TorchDeviceName(size_t number) {
  return absl::StrCat("cuda:", number);
}

std::string TorchBlocks(size_t count) {
  return absl::StrCat(count, count == 1 ? " block" : " blocks");
}

void AddTorchClause(const std::string& clause, std::string* note) {
  absl::StrAppend(note, note->empty() ? "" : "; ", clause);
}

// Checks whether the frees of a trace match its allocations, and whether the
// blocks that are live at the end of the trace match the segments, which show
// the same moment.
class TorchEndCheck {
 public:
  TorchEndCheck(const TorchDevice& device, const std::string& name,
                FreeRule frees)
      : device_(device), name_(name), frees_(frees) {}

  // Returns an InvalidArgument error if the trace contradicts itself or the
  // segments.
  absl::Status Run();
  // Returns notes about live blocks that are only in the segments or only in
  // the trace.
  std::vector<std::string> Clauses() const;

 private:
  // The last event about an address.
  struct Last {
    uint64_t size = 0;
    uint64_t index = 0;
    TorchAction action = TorchAction::kFreeCompleted;

    bool is_live() const { return action != TorchAction::kFreeCompleted; }
  };

  // Returns an error if the event contradicts an earlier event.
  absl::Status Follow(const TorchEvent& event);
  // Returns the block that contains an address, or null.
  const TorchBlock* Containing(uint64_t address) const;
  // Returns a description of how the segments contradict the last event for an
  // address, or an empty string. Also counts live blocks that are not in any
  // listed segment, which is possible in a snapshot of only one memory pool.
  std::string Contradiction(uint64_t address, const Last& last);

  const TorchDevice& device_;
  const std::string& name_;
  FreeRule frees_;
  std::unordered_map<uint64_t, Last> last_;  // by address
  size_t unlisted_blocks_ = 0;
  size_t unseen_blocks_ = 0;
  uint64_t unseen_bytes_ = 0;
};

const TorchBlock* TorchEndCheck::Containing(uint64_t address) const {
  auto after = std::upper_bound(
      device_.blocks.begin(), device_.blocks.end(), address,
      [](uint64_t a, const TorchBlock& block) { return a < block.address; });
  if (after == device_.blocks.begin()) return nullptr;
  const TorchBlock& block = *--after;
  return address - block.address < block.size ? &block : nullptr;
}

std::string TorchEndCheck::Contradiction(uint64_t address, const Last& last) {
  const TorchBlock* const block = Containing(address);
  if (!last.is_live()) {
    return block != nullptr && block->address == address && block->is_active
               ? "is the last event of a block that is active in the segments"
               : "";
  }
  if (block == nullptr) {
    ++unlisted_blocks_;
    return "";
  }
  // Under the rule kRequested, a lifetime ends at the request, so a trace need
  // not contain the events that follow the request.
  if (frees_ == FreeRule::kRequested &&
      last.action == TorchAction::kFreeRequested) {
    return "";
  }
  if (block->address != address || !block->is_active) {
    return "is of a block that lives at the end but is not active in the "
           "segments";
  }
  // If the requested size is unknown, only the rounded size of the block can be
  // checked. The rounded size is never smaller than the requested size.
  const bool fits = block->requested == 0 ? last.size <= block->size
                                          : last.size == block->requested;
  return fits ? ""
              : absl::StrCat(
                    "has ", last.size, " bytes, and ",
                    block->requested == 0 ? block->size : block->requested,
                    " in the segments");
}

absl::Status TorchEndCheck::Follow(const TorchEvent& event) {
  const auto [entry, is_first] = last_.try_emplace(event.address);
  Last& last = entry->second;
  const bool is_alloc = event.action == TorchAction::kAlloc;
  if (!is_alloc && !is_first && (!last.is_live() || last.size != event.size)) {
    return absl::InvalidArgumentError(absl::StrCat(
        name_, ": ", TorchPlace(device_.number, event.index), ": frees ",
        event.size, " bytes at the address ", event.address, "; expected ",
        last.is_live()
            ? absl::StrCat(last.size, ", the size of the block there")
            : "a block that is live there"));
  }
  last = {event.size, event.index, event.action};
  return absl::OkStatus();
}

absl::Status TorchEndCheck::Run() {
  for (const TorchEvent& event : device_.events) {
    absl::Status status = Follow(event);
    if (!status.ok()) return status;
  }
  const Last* first = nullptr;
  std::string why;
  size_t count = 0;
  for (const auto& [address, last] : last_) {
    std::string each = Contradiction(address, last);
    if (each.empty()) continue;
    ++count;
    if (first != nullptr && first->index < last.index) continue;
    first = &last;
    why = std::move(each);
  }
  if (count > 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        name_, ": ", TorchPlace(device_.number, first->index), ": ", why,
        count > 1 ? absl::StrCat(" (and ", count - 1, " more contradictions)")
                  : "",
        "; expected a trace that ends as the segments say"));
  }
  for (const TorchBlock& block : device_.blocks) {
    if (!block.is_active) continue;
    const auto found = last_.find(block.address);
    if (found != last_.end() && found->second.is_live()) continue;
    ++unseen_blocks_;
    unseen_bytes_ += std::min(block.size, UINT64_MAX - unseen_bytes_);
  }
  return absl::OkStatus();
}

std::vector<std::string> TorchEndCheck::Clauses() const {
  std::vector<std::string> clauses;
  if (unseen_blocks_ > 0) {
    clauses.push_back(absl::StrCat(
        "no event mentions ", TorchBlocks(unseen_blocks_), " (", unseen_bytes_,
        " bytes) that are live in the segments, so these are not records and "
        "need memory of their own"));
  }
  if (unlisted_blocks_ > 0) {
    clauses.push_back(absl::StrCat(TorchBlocks(unlisted_blocks_),
                                   " live at its end but in no segment of the "
                                   "file, so nothing confirms them"));
  }
  return clauses;
}

// Returns the problem of a device.
StatusOr<ProblemFile> TorchProblem(TorchDevice device, const std::string& name,
                                   const RecordingOptions& options) {
  std::vector<std::string> clauses;
  {
    TorchEndCheck check(device, name, options.events.frees);
    absl::Status status = check.Run();
    if (!status.ok()) return status;
    clauses = check.Clauses();
  }
  EventLog log;
  for (const TorchEvent& event : device.events) {
    const BlockFacts facts = {static_cast<size_t>(event.size)};
    if (event.action == TorchAction::kAlloc) {
      log.Alloc(event.index, event.address, facts);
    } else if (event.action == TorchAction::kFreeRequested) {
      log.RequestFree(event.index, event.address, facts);
    } else {
      log.Free(event.index, event.address, facts);
    }
  }
  log.SetEnd(device.event_count);
  device = TorchDevice();
  ProblemFile file = log.ToProblem(options.events, options.tensor_alignment);
  for (const std::string& clause : clauses) AddTorchClause(clause, &file.note);
  return file;
}

StatusOr<std::vector<RecordingPart>> ReadTorchSnapshot(
    RecordingInput* input, const RecordingOptions& options) {
  const StatusOr<string_view> bytes = input->Contents();
  if (!bytes.ok()) return bytes.status();
  StatusOr<std::vector<TorchDevice>> devices =
      ReadTorchDevices(*bytes, input->name());
  if (!devices.ok()) return devices.status();
  std::vector<RecordingPart> parts;
  uint64_t events = 0;
  std::vector<std::string> left_out;
  for (TorchDevice& device : *devices) {
    events += device.event_count;
    const std::string part = TorchDeviceName(device.number);
    if (!device.has_alloc) {
      if (device.event_count > 0) left_out.push_back(part);
      continue;
    }
    StatusOr<ProblemFile> file =
        TorchProblem(std::exchange(device, {}), input->name(), options);
    if (!file.ok()) return file.status();
    parts.push_back({part, *std::move(file)});
  }
  if (parts.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        input->name(), ": device_traces: has ", events,
        events == 1 ? " event" : " events", " on ", devices->size(),
        devices->size() == 1 ? " device" : " devices",
        ", none of which is an allocation; expected a history, which PyTorch "
        "keeps after a call of torch.cuda.memory._record_memory_history() up "
        "to the snapshot"));
  }
  if (!left_out.empty()) {
    const std::string clause = absl::StrCat("left out, without an allocation: ",
                                            absl::StrJoin(left_out, ", "));
    for (RecordingPart& part : parts) AddTorchClause(clause, &part.file.note);
  }
  return parts;
}

}  // namespace

const RecordingFormat kTorchSnapshot = {
    {"torch-snapshot", "a snapshot of the CUDA memory of PyTorch (.pickle)", "",
     /*has_events=*/true, /*has_requested_frees=*/true},
    // Accept every pickle as a snapshot, because the keys of a snapshot can be
    // far from its beginning, and no other format begins with the opcode PROTO.
    [](string_view start, const std::string& /*path*/) {
      return start.size() >= 2 && start[0] == '\x80' && start[1] >= 2 &&
             start[1] <= 5;
    },
    ReadTorchSnapshot,
};

}  // namespace stowage::recordings
