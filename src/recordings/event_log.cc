// SPDX-License-Identifier: Apache-2.0
#include "stowage/recordings/event_log.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"

namespace stowage {
namespace {

uint8_t Log2(size_t power) {
  uint8_t log = 0;
  while ((power >>= 1) != 0) ++log;
  return log;
}

// Rounds a size up, or returns it unchanged if the result is no 64-bit number.
// Problem::Create refuses sizes of this order, naming the record.
size_t RoundUp(size_t size, size_t alignment) {
  const size_t rest = size & (alignment - 1);
  if (rest == 0) return size;
  const size_t padding = alignment - rest;
  return size > std::numeric_limits<size_t>::max() - padding ? size
                                                             : size + padding;
}

uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  return a > std::numeric_limits<uint64_t>::max() - b
             ? std::numeric_limits<uint64_t>::max()
             : a + b;
}

void AppendClause(std::string clause, std::string* note) {
  absl::StrAppend(note, note->empty() ? "" : "; ", clause);
}

std::string Blocks(size_t count) {
  return absl::StrCat(count, count == 1 ? " block" : " blocks");
}

// Returns the largest number of bytes of records that are live at one task.
template <typename Records>
uint64_t PeakOf(const Records& records) {
  std::vector<std::pair<uint64_t, uint64_t>> begins;
  std::vector<std::pair<uint64_t, uint64_t>> ends;
  for (const auto& [index, record] : records) {
    begins.emplace_back(record.first_task, record.tensor_size);
    ends.emplace_back(record.last_task, record.tensor_size);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  uint64_t live = 0;
  uint64_t peak = 0;
  auto ended = ends.begin();
  for (const auto& [first, size] : begins) {
    for (; ended != ends.end() && ended->first < first; ++ended) {
      live -= ended->second;
    }
    live = SaturatingAdd(live, size);
    peak = std::max(peak, live);
  }
  return peak;
}

}  // namespace

void EventLog::At(Time time) {
  now_ = std::max(now_, time);
  is_empty_ = false;
}

EventLog::Block EventLog::BlockOf(const BlockFacts& facts) {
  Block block;
  block.size = facts.size;
  block.alignment_log2 = Log2(facts.alignment);
  if (!facts.name.empty()) {
    const auto [entry, is_new] =
        name_numbers_.emplace(facts.name, static_cast<uint32_t>(names_.size()));
    if (is_new) names_.push_back(facts.name);
    block.name = entry->second;
  }
  return block;
}

void EventLog::Alloc(Time time, Address address, BlockFacts facts) {
  At(time);
  const auto [entry, is_new] = live_.emplace(address, blocks_.size());
  if (!is_new) {
    ++irregular_.live_allocs;
    Block& lost = blocks_[entry->second];
    lost.is_freed = true;
    lost.freed = time;
    entry->second = blocks_.size();
  }
  Block block = BlockOf(facts);
  block.alloc = time;
  block.has_alloc = true;
  blocks_.push_back(block);
}

void EventLog::AddLiveBefore(Address address, BlockFacts facts) {
  const auto [entry, is_new] = live_.emplace(address, blocks_.size());
  if (!is_new) return;
  blocks_.push_back(BlockOf(facts));
  ++blocks_before_;
  bytes_before_ = SaturatingAdd(bytes_before_, facts.size);
}

EventLog::Block* EventLog::FindLive(Address address, const BlockFacts& facts) {
  const auto found = live_.find(address);
  if (found != live_.end()) return &blocks_[found->second];
  if (facts.size == 0) return nullptr;
  AddLiveBefore(address, facts);
  return &blocks_.back();
}

void EventLog::Use(Time time, Address address) {
  At(time);
  Block* const block = FindLive(address, {});
  if (block == nullptr) return;
  if (!block->is_used) block->first_use = time;
  block->is_used = true;
  block->last_use = time;
}

void EventLog::RequestFree(Time time, Address address,
                           const BlockFacts& facts) {
  At(time);
  Block* const block = FindLive(address, facts);
  if (block == nullptr) {
    ++irregular_.unknown_frees;
    return;
  }
  block->is_requested = true;
  block->requested = time;
}

void EventLog::Free(Time time, Address address, const BlockFacts& facts) {
  At(time);
  Block* const block = FindLive(address, facts);
  if (block == nullptr) {
    ++irregular_.unknown_frees;
    return;
  }
  block->is_freed = true;
  block->freed = time;
  live_.erase(address);
}

std::vector<EventLog::BlockRecord> EventLog::Records(
    const EventRules& rules, size_t tensor_alignment) const {
  const Time end = end_.value_or(is_empty_ ? 0 : now_ + 1);
  std::vector<BlockRecord> records;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (!block.has_alloc && rules.alive_before == AliveRule::kLeave) continue;
    const bool is_requested =
        block.is_requested && rules.frees == FreeRule::kRequested;
    const bool has_end = block.is_freed || is_requested;
    if (!has_end && rules.alive_after == AliveRule::kLeave) continue;
    Time first = block.has_alloc ? block.alloc : 0;
    Time upper = is_requested     ? block.requested
                 : block.is_freed ? block.freed
                                  : end;
    if (rules.uses == UseRule::kTouches && block.is_used) {
      first = block.first_use;
      upper = block.last_use + 1;
    }
    if (block.size == 0 || upper <= first) continue;
    records.push_back(
        {i, {RoundUp(block.size, tensor_alignment), first, upper - 1}});
  }
  return records;
}

std::string EventLog::UseNote(EventRules rules, size_t tensor_alignment) const {
  const auto used = static_cast<size_t>(
      std::count_if(blocks_.begin(), blocks_.end(),
                    [](const Block& block) { return block.is_used; }));
  if (used == 0) {
    return rules.uses == UseRule::kTouches ? "no block has uses" : "";
  }
  rules.uses = UseRule::kAllocation;
  const uint64_t by_allocation = PeakOf(Records(rules, tensor_alignment));
  rules.uses = UseRule::kTouches;
  const uint64_t by_touches = PeakOf(Records(rules, tensor_alignment));
  return absl::StrCat(Blocks(used), " with uses: the peak is ", by_allocation,
                      " bytes by allocation and ", by_touches,
                      " bytes by touches");
}

std::string EventLog::Note(const EventRules& rules,
                           size_t tensor_alignment) const {
  std::string note;
  if (blocks_before_ > 0) {
    AppendClause(
        absl::StrCat(
            Blocks(blocks_before_), " (", bytes_before_,
            " bytes) live before the recording",
            rules.alive_before == AliveRule::kKeep ? "" : ", left out"),
        &note);
  }
  if (!live_.empty()) {
    AppendClause(
        absl::StrCat(Blocks(live_.size()), " live at its end",
                     rules.alive_after == AliveRule::kKeep ? "" : ", left out"),
        &note);
  }
  if (irregular_.unknown_frees > 0) {
    AppendClause(absl::StrCat(irregular_.unknown_frees,
                              " frees of blocks that it does not have"),
                 &note);
  }
  if (irregular_.live_allocs > 0) {
    AppendClause(absl::StrCat(irregular_.live_allocs,
                              " allocations of memory that was still live"),
                 &note);
  }
  const std::string uses = UseNote(rules, tensor_alignment);
  if (!uses.empty()) AppendClause(uses, &note);
  return note;
}

ProblemFile EventLog::ToProblem(const EventRules& rules,
                                size_t tensor_alignment) const {
  ProblemFile file;
  ProblemSpec& problem = file.problem;
  bool has_alignments = false;
  const bool has_names = names_.size() > 1;
  for (const auto& [index, record] : Records(rules, tensor_alignment)) {
    const Block& block = blocks_[index];
    problem.records.push_back(record);
    problem.alignments.push_back(size_t{1} << block.alignment_log2);
    has_alignments |= block.alignment_log2 != 0;
    problem.names.push_back(absl::StrCat(index));
    if (has_names) {
      problem.labels.tensors.emplace_back();
      problem.labels.tensors.back().name = names_[block.name];
    }
  }
  if (!has_alignments) problem.alignments.clear();
  file.note = Note(rules, tensor_alignment);
  return file;
}

}  // namespace stowage
