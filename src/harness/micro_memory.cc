// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/micro_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/micro/plan.h"
#include "stowage/micro/status.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_device.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::harness {
namespace {

constexpr uint32_t kPlaceBytes = STOWAGE_MICRO_WORKSPACE_BYTES(1);
static_assert(kMicroWorkspace == sizeof(stowage_micro_buffer) + kPlaceBytes,
              "a record and its place");

// The pattern with which scratch memory is filled, because kernels of the
// device may leave arbitrary bytes in it.
constexpr int kScratchPattern = 0x5A;

// The pattern with which the arena is filled before anything is placed in it.
constexpr int kInitialPattern = 0xC3;

uint32_t Narrow(size_t value) {
  return value > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(value);
}

std::string StrategyOf(const MicroPlacing& placing) {
  return placing.strategy.empty() ? kMicroStrategy : placing.strategy;
}

// Computes offsets in the head of the arena. Buffers that already have an
// offset keep it.
absl::StatusOr<Solution> PlanHead(const Model& model,
                                  const MicroPlacing& placing,
                                  const std::vector<OfflineBuffer>& buffers) {
  const std::string strategy = StrategyOf(placing);
  absl::StatusOr<Solution> solution =
      SolveHead(model, buffers, strategy, placing.search);
  if (solution.ok() && !solution->has_plan()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("strategy '", strategy, "': no plan; ", solution->reason));
  }
  return solution;
}

// Makes every buffer live from the first run of its subgraph to the last run,
// because plans made on the host assume these lifetimes.
void JoinAllLives(std::vector<OfflineBuffer>* buffers) {
  for (OfflineBuffer& buffer : *buffers) {
    buffer.buffer.record = JoinLives(buffer.buffer);
    buffer.buffer.earlier.clear();
  }
}

// Assigns an offset to every buffer with a strategy that runs on the host.
absl::Status PlanOnHost(const Model& model, const MicroPlacing& placing,
                        std::vector<OfflineBuffer>* buffers) {
  JoinAllLives(buffers);
  const absl::StatusOr<Solution> solution = PlanHead(model, placing, *buffers);
  if (!solution.ok()) return solution.status();
  for (size_t i = 0; i < buffers->size(); ++i) {
    (*buffers)[i].offset = solution->offsets()->offsets[i];
    (*buffers)[i].given = static_cast<int64_t>((*buffers)[i].offset);
  }
  return absl::OkStatus();
}

// Returns whether two buffers share bytes while both are live. Buffers of
// custom operators may do so. The planner of the device refuses such buffers,
// so firmware gets a table of offsets from the host instead.
bool SharesBytes(const std::vector<OfflineBuffer>& buffers) {
  return absl::c_any_of(
      buffers, [](const OfflineBuffer& buffer) { return buffer.shares_bytes; });
}

size_t HeadBytes(const std::vector<OfflineBuffer>& buffers) {
  size_t bytes = 0;
  for (const OfflineBuffer& buffer : buffers) {
    bytes = std::max(bytes, buffer.offset + buffer.buffer.record.tensor_size);
  }
  return bytes;
}

// Plans in `workspace` in the same way as firmware: the records are at the
// beginning of the workspace, and the planner uses the bytes after them. Sets
// the offsets that are not given. Returns the size of the plan in bytes.
absl::StatusOr<size_t> PlanOnDevice(void* workspace, size_t bytes,
                                    std::vector<OfflineBuffer>* buffers) {
  auto* const records = static_cast<stowage_micro_buffer*>(workspace);
  const size_t count = buffers->size();
  for (size_t i = 0; i < count; ++i) {
    const OfflineBuffer& buffer = (*buffers)[i];
    const TensorUsageRecord<size_t>& record = buffer.buffer.record;
    records[i] = {
        Narrow(record.tensor_size), Narrow(record.first_task),
        Narrow(record.last_task),
        buffer.given ? Narrow(buffer.offset) : STOWAGE_MICRO_UNPLACED};
  }
  uint32_t total = 0;
  const stowage_micro_status status = stowage_micro_plan(
      records, Narrow(count), kMicroAlignment, records + count,
      Narrow(bytes - count * sizeof(stowage_micro_buffer)), &total);
  if (status != STOWAGE_MICRO_OK) {
    return absl::InvalidArgumentError(
        absl::StrCat("planner of the device: status ", static_cast<int>(status),
                     " for ", count, " buffers; expected a plan"));
  }
  for (size_t i = 0; i < count; ++i) (*buffers)[i].offset = records[i].offset;
  return total;
}

// Checks a plan that the device has made. The device plans as if each subgraph
// ran only once, at the time of its last run. Error: FailedPrecondition if a
// buffer overwrites another buffer that an earlier run still needs.
absl::Status CheckEarlierRuns(const Model& model,
                              std::vector<OfflineBuffer> buffers) {
  if (std::all_of(buffers.begin(), buffers.end(), [](const OfflineBuffer& b) {
        return b.buffer.earlier.empty();
      })) {
    return absl::OkStatus();
  }
  JoinAllLives(&buffers);
  std::vector<TensorUsageRecord<size_t>> records;
  OffsetsAssignment plan;
  for (const OfflineBuffer& buffer : buffers) {
    records.push_back(buffer.buffer.record);
    plan.offsets.push_back(buffer.offset);
    plan.total_size =
        std::max(plan.total_size, buffer.offset + records.back().tensor_size);
  }
  const absl::optional<Violation> violation = FindViolation(records, plan);
  if (!violation) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      model.name(), ": the device's planner places ",
      OfflineBufferPlace(model, buffers[violation->first_tensor]), " and ",
      OfflineBufferPlace(model, buffers[violation->second_tensor]),
      " on the same bytes, although both are live in an earlier run of a "
      "subgraph; expected a strategy of the host"));
}

struct FreeMemory {
  void operator()(uint8_t* memory) const { std::free(memory); }
};

class MicroMemoryImpl final : public MicroMemory {
 public:
  MicroMemoryImpl(std::unique_ptr<uint8_t, FreeMemory> memory, size_t bytes)
      : bytes_(bytes),
        memory_(std::move(memory)),
        device_(memory_.get(), bytes, MicroMemoryOptions()) {}

  using MicroMemory::Place;
  absl::Status Place(Interpreter& interpreter,
                     const MicroPlacing& placing) override;
  absl::Status BeforeOperator(const Execution& execution) override;

  size_t arena_bytes() const override { return bytes_; }
  size_t required_bytes() const override { return device_.required_bytes(); }
  size_t head_bytes() const override { return device_.report().head_bytes; }
  size_t tail_bytes() const override { return device_.report().tail_bytes; }

 private:
  absl::Status Bind(Interpreter* interpreter,
                    const std::vector<OfflineBuffer>& buffers,
                    const MicroPlaces& places);

  const size_t bytes_;
  const std::unique_ptr<uint8_t, FreeMemory> memory_;
  MicroDevice device_;
  bool is_full_ = false;  // is true once a model did not fit
  // The scratch memory of each operator, by subgraph and index of the operator.
  std::map<std::pair<const SubgraphSpec*, size_t>,
           std::vector<absl::Span<uint8_t>>>
      scratch_;
};

// Returns whether the tensor gets memory of the device. Two kinds of tensors
// stay in the memory of the host. A tensor of the first kind is computed only
// once, and in the head it would be overwritten by other tensors. A tensor of
// the second kind is scratch memory of a custom operator that intentionally
// shares bytes, and only the operator knows which of these bytes it may
// overwrite.
bool IsBound(const TensorSpec& tensor, const OfflineBuffer& buffer) {
  return !tensor.is_folded && tensor.bytes > 0 &&
         !(tensor.is_scratch && buffer.shares_bytes);
}

void FillWithInitialState(const TensorSpec& tensor, uint8_t* data) {
  const int value =
      tensor.type == ElementType::kInt8 ? tensor.quantization.zero_point() : 0;
  std::memset(data, value, tensor.bytes);
}

absl::Status MicroMemoryImpl::Bind(Interpreter* interpreter,
                                   const std::vector<OfflineBuffer>& buffers,
                                   const MicroPlaces& places) {
  for (const OfflineBuffer& planned : buffers) {
    const MicroBuffer& buffer = planned.buffer;
    Subgraph& graph = interpreter->subgraph(buffer.subgraph);
    const absl::Span<uint8_t> memory = {places.head + planned.offset,
                                        buffer.record.tensor_size};
    if (buffer.tensor == kAbsent) {
      scratch_[{&graph.spec(), buffer.op}].push_back(memory);
      continue;
    }
    const TensorSpec& tensor = graph.spec().tensors[buffer.tensor];
    if (!IsBound(tensor, planned)) continue;
    absl::Status status =
        graph.SetCustomAllocation(buffer.tensor, memory, false);
    if (!status.ok()) return status;
    if (tensor.is_variable) FillWithInitialState(tensor, memory.data());
  }
  for (const auto& [index, data] : places.variables) {
    Subgraph& graph = interpreter->subgraph(index.first);
    const TensorSpec& tensor = graph.spec().tensors[index.second];
    if (tensor.bytes == 0) continue;
    absl::Status status =
        graph.SetCustomAllocation(index.second, {data, tensor.bytes}, false);
    if (!status.ok()) return status;
    FillWithInitialState(tensor, data);
  }
  return absl::OkStatus();
}

absl::Status MicroMemoryImpl::Place(Interpreter& interpreter,
                                    const MicroPlacing& placing) {
  const Model& model = interpreter.model();
  if (is_full_) {
    return absl::FailedPreconditionError(absl::StrCat(
        model.name(),
        ": arena: an earlier model did not fit; expected another arena"));
  }
  absl::StatusOr<std::vector<OfflineBuffer>> buffers =
      HeadBuffers(model, {placing.honour_offline_plan});
  if (!buffers.ok()) return buffers.status();
  std::vector<MicroBuffer> micro;
  for (const OfflineBuffer& buffer : *buffers) micro.push_back(buffer.buffer);
  const bool is_laid_out = SharesBytes(*buffers);
  if (is_laid_out || !placing.strategy.empty()) {
    absl::Status planned = PlanOnHost(model, placing, &*buffers);
    if (!planned.ok()) return planned;
  }
  const absl::StatusOr<MicroPlaces> places =
      device_.Allocate(model, micro, [&](void* workspace, size_t bytes) {
        return is_laid_out ? absl::StatusOr<size_t>(HeadBytes(*buffers))
                           : PlanOnDevice(workspace, bytes, &*buffers);
      });
  if (!places.ok()) {
    is_full_ = true;
    return absl::Status(
        places.status().code(),
        absl::StrCat(model.name(), ": ", places.status().message()));
  }
  absl::Status checked =
      is_laid_out ? absl::OkStatus() : CheckEarlierRuns(model, *buffers);
  if (!checked.ok()) {
    is_full_ = true;
    return checked;
  }
  return Bind(&interpreter, *buffers, *places);
}

absl::Status MicroMemoryImpl::BeforeOperator(const Execution& execution) {
  // There are no delegates, so the id of a node is the index of its operator.
  const auto found =
      scratch_.find({execution.graph, static_cast<size_t>(execution.id)});
  if (found == scratch_.end()) return absl::OkStatus();
  for (const absl::Span<uint8_t> memory : found->second) {
    std::memset(memory.data(), kScratchPattern, memory.size());
  }
  return absl::OkStatus();
}

}  // namespace

MicroArenaOptions MicroMemoryOptions() {
  MicroArenaOptions options;
  options.makes_planner = false;
  options.workspace_per_buffer = kMicroWorkspace;
  return options;
}

absl::StatusOr<size_t> PredictMicroMemory(const Model& model,
                                          const MicroPlacing& placing) {
  absl::StatusOr<std::vector<OfflineBuffer>> buffers =
      HeadBuffers(model, {placing.honour_offline_plan});
  if (!buffers.ok()) return buffers.status();
  if (SharesBytes(*buffers) || !placing.strategy.empty()) {
    JoinAllLives(&*buffers);
  }
  const absl::StatusOr<Solution> solution = PlanHead(model, placing, *buffers);
  if (!solution.ok()) return solution.status();
  MicroArenaOptions options = MicroMemoryOptions();
  options.head_bytes = solution->total_size;
  if (placing.honour_offline_plan) {
    absl::StatusOr<absl::optional<OfflinePlan>> plan =
        ReadOfflinePlan(model.bytes(), model.name());
    if (!plan.ok()) return plan.status();
    if (plan->has_value()) options.offsets = std::move((*plan)->offsets);
  } else {
    absl::StatusOr<std::vector<int32_t>> kept = KeptOffsets(model);
    if (!kept.ok()) return kept.status();
    options.offsets = *std::move(kept);
  }
  const absl::StatusOr<MicroArena> arena = PredictMicroArena(model, options);
  if (!arena.ok()) return arena.status();
  return arena->peak_bytes;
}

absl::StatusOr<std::unique_ptr<MicroMemory>> MicroMemory::Create(size_t bytes) {
  const absl::optional<size_t> rounded = CheckedAlignUp(bytes, kMicroAlignment);
  std::unique_ptr<uint8_t, FreeMemory> memory;
  if (rounded) {
    memory.reset(static_cast<uint8_t*>(std::aligned_alloc(
        kMicroAlignment, std::max(*rounded, kMicroAlignment))));
  }
  if (memory == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("arena: ", bytes,
                     " bytes of memory; expected at most what the system "
                     "has left"));
  }
  // Firmware may find arbitrary bytes in its arena, so the arena is not left
  // with the zeros that the system provides.
  std::memset(memory.get(), kInitialPattern, *rounded);
  return std::make_unique<MicroMemoryImpl>(std::move(memory), bytes);
}

}  // namespace stowage::harness
