// SPDX-License-Identifier: Apache-2.0
// Plans records in the chunks of one ggml allocator.
//
// An address in ggml's memory consists of a chunk and an offset in the chunk.
// Chunks are buffers of a backend, which limits their size. A good plan has few
// chunks, and the sum of their sizes is small. To plan a graph, include
// graph_planner.h, which derives the records from the graph.
#ifndef STOWAGE_ADAPTERS_GGML_CHUNK_PLANNER_H_
#define STOWAGE_ADAPTERS_GGML_CHUNK_PLANNER_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/adapters/beside_host.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::adapters {

// The maximum number of chunks in a ggml allocator.
constexpr size_t kGgmlMaxChunks = 16;

// A place in the memory of one allocator: a byte of one of its chunks.
struct GgmlAddress {
  int chunk = 0;
  size_t offset = 0;  // the offset within the chunk, in bytes

  friend bool operator==(const GgmlAddress& a, const GgmlAddress& b) {
    return a.chunk == b.chunk && a.offset == b.offset;
  }
};

// The properties of an allocator of the host. Buffers of the same type share an
// allocator.
struct GgmlAllocator {
  size_t alignment = 1;  // is in bytes, and is a power of two
  // The maximum size of a chunk in bytes. Only a chunk for tensors that are
  // larger by themselves may exceed it.
  size_t max_chunk_size = 0;
};

// Memory that is allocated once and freed once.
struct GgmlRecord {
  ByteRecord usage;  // the size is padded to the alignment
  int allocator = 0;
  // The index of the record that has the address of this record. This is the
  // record itself, unless its node takes over the memory of a larger parent:
  // such a node has a record of its own, which is at the address of the
  // parent's record.
  size_t base = 0;
};

// A plan for one allocator.
struct GgmlAllocatorPlan {
  // The addresses in the order of the records.
  std::vector<GgmlAddress> addresses;
  std::vector<size_t> chunk_sizes;  // the sizes in bytes
  // True if the chunks of the host stay as they are, either because no smaller
  // plan was found or because there are no records.
  bool is_hosts_plan = false;
  size_t host_total = 0;   // the bytes of all chunks of the plan of the host
  size_t total = 0;        // the bytes of all chunks of this plan
  size_t lower_bound = 0;  // is in bytes, and is 0 if the bound is not known
  // The next two fields have the same meaning as in BesideHost.
  optional<Violation> host_violation;
  Status refusal;
};

namespace internal {

// Returns the problem of planning records in one memory.
inline ProblemSpec GgmlSpec(const GgmlAllocator& allocator,
                            const std::vector<GgmlRecord>& records) {
  ProblemSpec spec;
  spec.alignment = allocator.alignment;
  bool has_groups = false;
  std::vector<RecordPlace> places(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    spec.records.push_back(records[i].usage);
    const size_t base = records[i].base;
    if (base == i) continue;
    has_groups = true;
    places[i].group = static_cast<uint32_t>(base);
    places[base].group = static_cast<uint32_t>(base);
  }
  if (has_groups) spec.constraints.places = std::move(places);
  return spec;
}

// Adds a pool for each chunk. A chunk with the capacity nullopt has unlimited
// size.
inline void AddGgmlChunks(const std::vector<optional<size_t>>& capacities,
                          ProblemSpec* spec) {
  for (size_t i = 0; i < capacities.size(); ++i) {
    spec->constraints.pools.push_back(
        {"chunk " + std::to_string(i), capacities[i]});
  }
}

// Returns the highest end in each chunk. Returns an empty list if an address
// names a chunk outside of the allowed range, or if an end or the sum of the
// sizes does not fit in 64 bits.
inline std::vector<size_t> ChunkSizes(
    const std::vector<GgmlRecord>& records,
    const std::vector<GgmlAddress>& addresses) {
  std::vector<size_t> sizes;
  for (size_t i = 0; i < records.size(); ++i) {
    const auto chunk = static_cast<size_t>(addresses[i].chunk);
    const optional<size_t> end =
        CheckedAdd(addresses[i].offset, records[i].usage.tensor_size);
    if (chunk >= kGgmlMaxChunks || !end) return {};
    if (sizes.size() <= chunk) sizes.resize(chunk + 1);
    sizes[chunk] = std::max(sizes[chunk], *end);
  }
  optional<size_t> sum = 0;
  for (const size_t size : sizes) {
    if (sum) sum = CheckedAdd(*sum, size);
  }
  return sum ? sizes : std::vector<size_t>();
}

// Converts addresses to a plan with `chunk_sizes.size()` pools.
inline OffsetsAssignment PlanOfAddresses(
    const std::vector<GgmlAddress>& addresses,
    const std::vector<size_t>& chunk_sizes) {
  OffsetsAssignment plan;
  for (const size_t size : chunk_sizes) plan.total_size += size;
  for (const GgmlAddress& address : addresses) {
    plan.offsets.push_back(address.offset);
    if (chunk_sizes.size() > 1) {
      plan.pools.push_back(static_cast<uint32_t>(address.chunk));
    }
  }
  return plan;
}

// Sets the addresses of `result` to those of a plan. Chunks without bytes are
// left out, and records without bytes are put at the start of the first chunk.
inline void SetPlan(const std::vector<GgmlRecord>& records,
                    const OffsetsAssignment& plan, GgmlAllocatorPlan* result) {
  const auto pool_of = [&](size_t i) -> size_t {
    return plan.pools.empty() ? 0 : plan.pools[i];
  };
  std::vector<int> numbers(kGgmlMaxChunks, -1);
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].usage.tensor_size > 0) numbers[pool_of(i)] = 0;
  }
  int next = 0;
  for (int& number : numbers) {
    if (number == 0) number = next++;
  }
  result->addresses.assign(records.size(), GgmlAddress());
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].usage.tensor_size == 0) continue;
    result->addresses[i] = {numbers[pool_of(i)], plan.offsets[i]};
  }
  result->chunk_sizes = ChunkSizes(records, result->addresses);
  result->total = plan.total_size;
}

// Returns the sizes of the chunks for oversize tensors, in falling order. A
// tensor larger than max_chunk_size needs a chunk of its own, which it may
// share only with other oversize tensors that are not live at the same time.
inline StatusOr<std::vector<size_t>> OversizeChunks(
    const GgmlAllocator& allocator, const std::vector<GgmlRecord>& records) {
  ProblemSpec spec;
  spec.kind = PlanKind::kObjects;
  for (const GgmlRecord& record : records) {
    if (record.usage.tensor_size <= allocator.max_chunk_size) continue;
    spec.records.push_back(record.usage);
  }
  const StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  const StatusOr<Solution> solution = Solve(*problem, "greedy_best");
  if (!solution.ok()) return solution.status();
  std::vector<size_t> sizes = solution->objects()->object_sizes;
  std::sort(sizes.begin(), sizes.end(), std::greater<size_t>());
  return sizes;
}

// Ends planning once the time limit of the options has passed, or once their
// observer ends it, which is then not asked again. This limits strategies that
// do not search, too.
class GgmlDeadline final : public Observer {
 public:
  explicit GgmlDeadline(const SolveOptions& options)
      : observer_(options.observer),
        begin_(std::chrono::steady_clock::now()),
        limit_(options.node_budget ? kNoTimeLimit : options.time_limit_ns) {}

  // Removes the time limit.
  void Lift() { limit_ = kNoTimeLimit; }

  bool OnProgress(const SearchProgress& progress) override {
    if (is_ended_) return false;
    is_ended_ = observer_ != nullptr && !observer_->OnProgress(progress);
    return !is_ended_;
  }
  bool KeepGoing() override {
    if (is_ended_) return false;
    is_ended_ =
        (limit_ != kNoTimeLimit && std::chrono::steady_clock::now() - begin_ >=
                                       std::chrono::nanoseconds(limit_)) ||
        (observer_ != nullptr && !observer_->KeepGoing());
    return !is_ended_;
  }

 private:
  Observer* const observer_;  // may be null
  const std::chrono::steady_clock::time_point begin_;
  int64_t limit_;
  bool is_ended_ = false;
};

// Plans records in several chunks with a total of less than `limit` bytes.
//
// A strategy fills pools one after the other and does not minimize the sum of
// their ends. Therefore this function first chooses a total, and then
// capacities of chunks that add up to the total: the chunks of OversizeChunks,
// full chunks, and one chunk with the rest. The first total is the bound. If
// there is no plan with this total, larger totals are tried.
inline StatusOr<BesideHost> PlanInChunks(const GgmlAllocator& allocator,
                                         const std::vector<GgmlRecord>& records,
                                         size_t bound, size_t limit,
                                         BesideHostOptions options,
                                         GgmlDeadline* deadline) {
  options.solve.observer = deadline;
  const StatusOr<std::vector<size_t>> oversize =
      OversizeChunks(allocator, records);
  if (!oversize.ok()) return oversize.status();
  size_t oversize_total = 0;
  for (const size_t size : *oversize) oversize_total += size;
  StatusOr<BesideHost> result =
      ResourceExhaustedError("no smaller plan in chunks was found");
  for (const size_t percent :
       std::initializer_list<size_t>{0, 1, 3, 10, 30, 100}) {
    const size_t total =
        std::max(bound + bound / 100 * percent, oversize_total);
    if (total >= limit) break;
    std::vector<optional<size_t>> chunks(oversize->begin(), oversize->end());
    size_t rest = total - oversize_total;
    while (rest > 0 && allocator.max_chunk_size > 0 &&
           chunks.size() < kGgmlMaxChunks) {
      chunks.push_back(std::min(rest, allocator.max_chunk_size));
      rest -= *chunks.back();
    }
    if (chunks.empty() || chunks.size() > kGgmlMaxChunks) break;
    ProblemSpec spec = GgmlSpec(allocator, records);
    AddGgmlChunks(chunks, &spec);
    result = PlanBesideHost(std::move(spec), nullptr, options);
    if (result.ok() || !IsResourceExhausted(result.status()) ||
        !deadline->KeepGoing()) {
      break;
    }
  }
  return result;
}

}  // namespace internal

// Plans the records of one allocator. `host` has the address that the host
// assigned to each record. The result has at most kGgmlMaxChunks chunks. A
// chunk is larger than max_chunk_size only if a single tensor in it is larger.
// The plan of the host is returned unless a smaller plan is found. Errors:
//   InvalidArgument     the host has placed a record in a chunk that does not
//                       exist
//   FailedPrecondition  the host's plan is unsafe (ViolationOf), and there is
//                       no other plan
//   OutOfRange          the sum of the sizes does not fit in 64 bits
// Planning in one chunk takes as long as Solve with the strategy. Planning in
// several chunks calls Solve up to six times for problems with pools. If the
// host's plan is safe, this ends with the time limit of the options, whatever
// the strategy, so the result may depend on the machine. Otherwise the limit
// holds for each call, and only for strategies that search: 20 records in a
// dozen small chunks can then take seconds.
inline StatusOr<GgmlAllocatorPlan> PlanGgmlAllocator(
    const GgmlAllocator& allocator, const std::vector<GgmlRecord>& records,
    const std::vector<GgmlAddress>& host,
    const BesideHostOptions& options = {}) {
  GgmlAllocatorPlan result;
  result.is_hosts_plan = true;
  if (records.empty()) return result;
  result.chunk_sizes = internal::ChunkSizes(records, host);
  if (result.chunk_sizes.empty()) {
    return InvalidArgumentError(
        "a tensor lies in no chunk or beyond 2^64 - 1; expected chunks 0 to "
        "15");
  }
  const OffsetsAssignment host_plan =
      internal::PlanOfAddresses(host, result.chunk_sizes);
  result.addresses = host;
  result.host_total = result.total = host_plan.total_size;

  // First try a single chunk, which may be large enough for all records.
  const bool is_one_chunk = result.chunk_sizes.size() == 1;
  StatusOr<BesideHost> found =
      PlanBesideHost(internal::GgmlSpec(allocator, records),
                     is_one_chunk ? &host_plan : nullptr, options);
  if (!found.ok()) return found.status();
  result.lower_bound = found->lower_bound;
  result.host_violation = found->host_violation;
  result.refusal = found->refusal;
  if (found->is_hosts_plan) return result;
  if (!is_one_chunk) {
    ProblemSpec spec = internal::GgmlSpec(allocator, records);
    internal::AddGgmlChunks(
        std::vector<optional<size_t>>(result.chunk_sizes.size()), &spec);
    const StatusOr<Problem> problem = Problem::Create(std::move(spec));
    if (!problem.ok()) return problem.status();
    result.host_violation = FindViolation(*problem, host_plan);
  }
  const size_t limit = result.host_violation
                           ? std::numeric_limits<size_t>::max()
                           : result.host_total;
  size_t capacity = allocator.max_chunk_size;
  for (const GgmlRecord& record : records) {
    capacity = std::max(capacity, record.usage.tensor_size);
  }
  if (found->plan.total_size > capacity) {
    internal::GgmlDeadline deadline(options.solve);
    // If there is no plan of the host to fall back on, strategies that do not
    // search have the time that they need.
    if (result.host_violation) deadline.Lift();
    found = internal::PlanInChunks(allocator, records, found->lower_bound,
                                   limit, options, &deadline);
  }
  if (found.ok() && found->plan.total_size < limit) {
    internal::SetPlan(records, found->plan, &result);
    result.is_hosts_plan = false;
  } else if (result.host_violation) {
    return WithViolation(
        FailedPreconditionError("the host's plan is unsafe: " +
                                Describe(*result.host_violation)),
        *result.host_violation);
  }
  return result;
}

}  // namespace stowage::adapters

#endif  // STOWAGE_ADAPTERS_GGML_CHUNK_PLANNER_H_
