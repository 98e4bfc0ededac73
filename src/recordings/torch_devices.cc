// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/torch_devices.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/pickle.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

// The maximum number of devices. PyTorch itself is compiled for fewer devices.
constexpr size_t kMaxTorchDevices = 1024;

// The keys that are read. The values of all other keys, especially stack
// traces, are not stored in memory.
constexpr string_view kTorchKeys[] = {
    "segments", "device_traces",  "blocks", "device", "address",
    "size",     "requested_size", "state",  "action", "addr"};

// Copies the facts from a pickle, so that the pickle can be released.
class TorchSnapshotReader {
 public:
  TorchSnapshotReader(const Pickle& pickle, const std::string& name)
      : pickle_(pickle), name_(name), is_seen_(pickle.containers()) {}

  StatusOr<std::vector<TorchDevice>> Read();

 private:
  absl::Status Error(string_view place, string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(name_, ": ", place, ": ", what));
  }
  // Returns the items of a list of dictionaries or lists. Fails if a
  // dictionary, or a list with items, is read twice. PyTorch never writes files
  // with shared items, with which a small file could represent any number of
  // events.
  StatusOr<std::vector<PickleValue>> Items(optional<PickleValue> list,
                                           string_view place, PickleKind kind);
  // Returns whether a container is read for the first time.
  bool IsNew(PickleValue container);
  // Return the number or the text for a key of a dictionary.
  optional<uint64_t> Number(PickleValue dict, string_view key) const;
  optional<string_view> Text(PickleValue dict, string_view key) const;
  absl::Status NoNumber(string_view place, string_view key) const {
    return Error(place, absl::StrCat("has no '", key,
                                     "' that is a number; expected one from 0 "
                                     "to 2^64 - 1"));
  }
  absl::Status NoText(string_view place, string_view key) const {
    return Error(
        place, absl::StrCat("has no '", key, "' that is a text; expected one"));
  }
  absl::Status ReadTrace(PickleValue list, TorchDevice* device);
  absl::Status ReadEvent(PickleValue dict, uint64_t index,
                         TorchDevice* device) const;
  absl::Status ReadSegment(PickleValue dict, size_t index,
                           std::vector<TorchDevice>* devices);
  StatusOr<TorchBlock> ReadBlock(PickleValue dict, uint64_t address,
                                 string_view place) const;

  const Pickle& pickle_;
  const std::string& name_;
  std::vector<bool> is_seen_;  // lists and dictionaries
};

bool TorchSnapshotReader::IsNew(PickleValue container) {
  const auto number = static_cast<size_t>(container.payload());
  if (is_seen_[number]) return false;
  is_seen_[number] = true;
  return true;
}

StatusOr<std::vector<PickleValue>> TorchSnapshotReader::Items(
    optional<PickleValue> list, string_view place, PickleKind kind) {
  if (!list || !pickle_.IsWhole(*list)) {
    return Error(place,
                 "is not a list; expected one, as in a snapshot of torch");
  }
  constexpr string_view kShared =
      "is stored once, but used in several places; expected data that is not "
      "shared";
  std::vector<PickleValue> items = pickle_.Items(*list);
  if (!items.empty() && !IsNew(*list)) return Error(place, kShared);
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind() != kind) {
      return Error(absl::StrCat(place, "[", i, "]"),
                   kind == PickleKind::kList
                       ? "is not a list; expected one"
                       : "is not a dictionary; expected one");
    }
    if (kind == PickleKind::kDict && !IsNew(items[i])) {
      return Error(absl::StrCat(place, "[", i, "]"), kShared);
    }
  }
  return items;
}

optional<uint64_t> TorchSnapshotReader::Number(PickleValue dict,
                                               string_view key) const {
  const optional<PickleValue> value = pickle_.Find(dict, key);
  return value ? pickle_.Unsigned(*value) : nullopt;
}

optional<string_view> TorchSnapshotReader::Text(PickleValue dict,
                                                string_view key) const {
  const optional<PickleValue> value = pickle_.Find(dict, key);
  return value ? pickle_.Text(*value) : nullopt;
}

absl::Status TorchSnapshotReader::ReadEvent(PickleValue dict, uint64_t index,
                                            TorchDevice* device) const {
  const optional<string_view> action = Text(dict, "action");
  if (!action) return NoText(TorchPlace(device->number, index), "action");
  TorchEvent event;
  event.index = index;
  if (*action == "alloc") {
    event.action = TorchAction::kAlloc;
    device->has_alloc = true;
  } else if (*action == "free_requested") {
    event.action = TorchAction::kFreeRequested;
  } else if (*action == "free_completed" || *action == "free") {
    // Only programs other than PyTorch write "free". The viewer of PyTorch also
    // accepts this name (torch/utils/viz/MemoryViz.js).
    event.action = TorchAction::kFreeCompleted;
  } else {
    // Events about segments, failures and snapshots do not affect blocks.
    return absl::OkStatus();
  }
  const optional<uint64_t> address = Number(dict, "addr");
  if (!address) return NoNumber(TorchPlace(device->number, index), "addr");
  const optional<uint64_t> size = Number(dict, "size");
  if (!size) return NoNumber(TorchPlace(device->number, index), "size");
  event.address = *address;
  event.size = *size;
  device->events.push_back(event);
  return absl::OkStatus();
}

absl::Status TorchSnapshotReader::ReadTrace(PickleValue list,
                                            TorchDevice* device) {
  const StatusOr<std::vector<PickleValue>> items =
      Items(list, absl::StrCat("device_traces[", device->number, "]"),
            PickleKind::kDict);
  if (!items.ok()) return items.status();
  device->event_count = items->size();
  for (size_t i = 0; i < items->size(); ++i) {
    absl::Status status = ReadEvent((*items)[i], i, device);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

StatusOr<TorchBlock> TorchSnapshotReader::ReadBlock(PickleValue dict,
                                                    uint64_t address,
                                                    string_view place) const {
  const optional<uint64_t> size = Number(dict, "size");
  if (!size) return NoNumber(place, "size");
  const optional<string_view> state = Text(dict, "state");
  if (!state) return NoText(place, "state");
  TorchBlock block;
  block.size = *size;
  // Older versions of PyTorch do not write the addresses and requested sizes of
  // blocks.
  block.address = Number(dict, "address").value_or(address);
  block.requested = Number(dict, "requested_size").value_or(0);
  // A freed block stays active until all streams have finished using it. Active
  // blocks have the state active_allocated, active_awaiting_free or
  // active_pending_free.
  block.is_active = absl::StartsWith(*state, "active");
  return block;
}

absl::Status TorchSnapshotReader::ReadSegment(
    PickleValue dict, size_t index, std::vector<TorchDevice>* devices) {
  const std::string place = absl::StrCat("segments[", index, "]");
  const optional<uint64_t> device = Number(dict, "device");
  if (!device) return NoNumber(place, "device");
  const optional<uint64_t> address = Number(dict, "address");
  if (!address) return NoNumber(place, "address");
  const std::string blocks_place = absl::StrCat(place, ".blocks");
  const StatusOr<std::vector<PickleValue>> blocks =
      Items(pickle_.Find(dict, "blocks"), blocks_place, PickleKind::kDict);
  if (!blocks.ok()) return blocks.status();
  uint64_t next = *address;
  for (size_t i = 0; i < blocks->size(); ++i) {
    const StatusOr<TorchBlock> block =
        ReadBlock((*blocks)[i], next, absl::StrCat(blocks_place, "[", i, "]"));
    if (!block.ok()) return block.status();
    next = block->address + block->size;
    if (*device < devices->size()) {
      (*devices)[static_cast<size_t>(*device)].blocks.push_back(*block);
    }
  }
  return absl::OkStatus();
}

StatusOr<std::vector<TorchDevice>> TorchSnapshotReader::Read() {
  const optional<PickleValue> segments =
      pickle_.Find(pickle_.root(), "segments");
  const optional<PickleValue> traces =
      pickle_.Find(pickle_.root(), "device_traces");
  if (!segments || !traces) {
    return absl::InvalidArgumentError(absl::StrCat(
        name_,
        ": is a Python pickle, but not a snapshot of torch.cuda.memory; "
        "expected a dictionary with 'segments' and 'device_traces', as "
        "torch.cuda.memory._dump_snapshot() writes"));
  }
  const StatusOr<std::vector<PickleValue>> lists =
      Items(traces, "device_traces", PickleKind::kList);
  if (!lists.ok()) return lists.status();
  if (lists->size() > kMaxTorchDevices) {
    return Error("device_traces",
                 absl::StrCat("has ", lists->size(),
                              " devices; expected at most ", kMaxTorchDevices));
  }
  std::vector<TorchDevice> devices(lists->size());
  for (size_t i = 0; i < devices.size(); ++i) {
    devices[i].number = i;
    absl::Status status = ReadTrace((*lists)[i], &devices[i]);
    if (!status.ok()) return status;
  }
  const StatusOr<std::vector<PickleValue>> items =
      Items(segments, "segments", PickleKind::kDict);
  if (!items.ok()) return items.status();
  for (size_t i = 0; i < items->size(); ++i) {
    absl::Status status = ReadSegment((*items)[i], i, &devices);
    if (!status.ok()) return status;
  }
  for (TorchDevice& device : devices) {
    std::sort(device.blocks.begin(), device.blocks.end(),
              [](const TorchBlock& a, const TorchBlock& b) {
                return a.address < b.address;
              });
  }
  return devices;
}

}  // namespace

std::string TorchPlace(size_t device, uint64_t event) {
  return absl::StrCat("device_traces[", device, "][", event, "]");
}

StatusOr<std::vector<TorchDevice>> ReadTorchDevices(string_view bytes,
                                                    const std::string& name) {
  const StatusOr<Pickle> pickle = Pickle::Read(bytes, name, kTorchKeys);
  if (!pickle.ok()) return pickle.status();
  StatusOr<std::vector<TorchDevice>> devices =
      TorchSnapshotReader(*pickle, name).Read();
  if (devices.ok() && pickle->size() < bytes.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": byte ", pickle->size(),
        ": is after the end of the pickle; expected a file with one snapshot"));
  }
  return devices;
}

}  // namespace stowage::recordings
