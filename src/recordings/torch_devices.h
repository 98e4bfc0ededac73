// SPDX-License-Identifier: Apache-2.0
// Reads snapshots of PyTorch's allocator of GPU memory, without the stack
// traces. A snapshot is a dictionary. Its list `device_traces` contains, for
// each device, a list of events in the order in which they happened. Its list
// `segments` contains the memory at the time of the snapshot, divided into
// blocks (sources: torch/cuda/memory.py, torch/csrc/cuda/memory_snapshot.cpp
// and c10/cuda/CUDACachingAllocator.cpp of github.com/pytorch/pytorch).
#ifndef STOWAGE_SRC_RECORDINGS_TORCH_DEVICES_H_
#define STOWAGE_SRC_RECORDINGS_TORCH_DEVICES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

enum class TorchAction : uint8_t { kAlloc, kFreeRequested, kFreeCompleted };

struct TorchEvent {
  uint64_t address = 0;
  uint64_t size = 0;   // as the program requested it
  uint64_t index = 0;  // the position among all events of the trace
  TorchAction action = TorchAction::kAlloc;
};

// A block of a segment.
struct TorchBlock {
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t requested = 0;  // 0 if the file does not say
  bool is_active = false;
};

struct TorchDevice {
  size_t number = 0;
  uint64_t event_count = 0;        // the number of all events in the trace
  std::vector<TorchEvent> events;  // the events about blocks
  std::vector<TorchBlock> blocks;  // in the order of the addresses
  bool has_alloc = false;
};

// Returns the place of an event in the file, for messages.
std::string TorchPlace(size_t device, uint64_t event);

// Reads a snapshot. `name` is the name of the file in messages. The result does
// not refer to `bytes`. Errors: those of Pickle::Read; InvalidArgument for a
// pickle that is not a snapshot, and for the first value that is not as
// expected.
StatusOr<std::vector<TorchDevice>> ReadTorchDevices(string_view bytes,
                                                    const std::string& name);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_TORCH_DEVICES_H_
