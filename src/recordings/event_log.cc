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
#include "src/recordings/rounded_size.h"
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

uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  return a > std::numeric_limits<uint64_t>::max() - b
             ? std::numeric_limits<uint64_t>::max()
             : a + b;
}

void AppendClause(string_view clause, std::string* note) {
  if (clause.empty()) return;
  absl::StrAppend(note, note->empty() ? "" : "; ", clause);
}

std::string Blocks(size_t count) {
  return absl::StrCat(count, count == 1 ? " block" : " blocks");
}

// Returns the number of bytes, which may be the result of SaturatingAdd.
std::string PeakBytes(uint64_t bytes) {
  const bool is_cut = bytes == std::numeric_limits<uint64_t>::max();
  return absl::StrCat(is_cut ? "at least " : "", bytes, " bytes");
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

void EventLog::Alloc(Time time, Address address, const BlockFacts& facts) {
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

void EventLog::AddLiveBefore(Address address, const BlockFacts& facts) {
  const auto [entry, is_new] = live_.emplace(address, blocks_.size());
  if (!is_new) return;
  blocks_.push_back(BlockOf(facts));
  ++blocks_before_;
  bytes_before_ = SaturatingAdd(bytes_before_, facts.size);
}

void EventLog::AddLiveSince(Time since, Address address,
                            const BlockFacts& facts) {
  live_.emplace(address, blocks_.size());
  Block block = BlockOf(facts);
  block.alloc = since;
  block.has_alloc = true;
  blocks_.push_back(block);
}

optional<size_t> EventLog::FindLive(Address address, const BlockFacts& facts) {
  const auto found = live_.find(address);
  if (found != live_.end()) return found->second;
  if (facts.size == 0) return nullopt;
  AddLiveBefore(address, facts);
  return blocks_.size() - 1;
}

EventLog::BlockTimes& EventLog::TimesToSet(size_t block) {
  if (block >= times_.size()) times_.resize(block + 1);
  return times_[block];
}

EventLog::BlockTimes EventLog::TimesOf(size_t block) const {
  return block < times_.size() ? times_[block] : BlockTimes();
}

void EventLog::Use(Time time, Address address) {
  At(time);
  const optional<size_t> block = FindLive(address, {});
  if (!block) return;
  BlockTimes& times = TimesToSet(*block);
  if (!times.is_used) times.first_use = time;
  times.is_used = true;
  times.last_use = time;
}

void EventLog::RequestFree(Time time, Address address,
                           const BlockFacts& facts) {
  At(time);
  const optional<size_t> block = FindLive(address, facts);
  if (!block) {
    ++irregular_.unknown_frees;
    return;
  }
  BlockTimes& times = TimesToSet(*block);
  times.is_requested = true;
  times.requested = time;
}

void EventLog::Free(Time time, Address address, const BlockFacts& facts) {
  At(time);
  const optional<size_t> block = FindLive(address, facts);
  if (!block) {
    ++irregular_.unknown_frees;
    return;
  }
  blocks_[*block].is_freed = true;
  blocks_[*block].freed = time;
  live_.erase(address);
}

EventLog::Time EventLog::End() const {
  return end_.value_or(is_empty_ ? 0 : now_ + 1);
}

optional<std::pair<EventLog::Time, EventLog::Time>> EventLog::LifeOf(
    size_t block, const EventRules& rules, Time end) const {
  const Block& facts = blocks_[block];
  const BlockTimes times = TimesOf(block);
  const bool ends_by_request =
      times.is_requested && rules.frees == FreeRule::kRequested;
  const bool has_end = facts.is_freed || ends_by_request;
  if (!facts.has_alloc && rules.alive_before == AliveRule::kLeave) {
    return nullopt;
  }
  if (!has_end && rules.alive_after == AliveRule::kLeave) return nullopt;
  // Memory that is live before the log begins counts as live from the first
  // task on.
  std::pair<Time, Time> life = {facts.alloc, end};
  if (rules.uses == UseRule::kTouches && times.is_used) {
    life = {times.first_use, times.last_use + 1};
  } else if (ends_by_request) {
    life.second = times.requested;
  } else if (facts.is_freed) {
    life.second = facts.freed;
  }
  // Such memory may be freed by the first event, and is live until then.
  if (!facts.has_alloc) life.second = std::max(life.second, life.first + 1);
  if (life.second <= life.first) return nullopt;
  return life;
}

size_t EventLog::LiveAtEnd(const EventRules& rules) const {
  size_t live = live_.size();
  if (rules.frees == FreeRule::kCompleted) return live;
  for (const auto& [address, block] : live_) {
    if (TimesOf(block).is_requested) --live;
  }
  return live;
}

std::string EventLog::Note(const EventRules& rules) const {
  std::string note;
  if (blocks_before_ > 0) {
    AppendClause(
        absl::StrCat(
            Blocks(blocks_before_), " (", bytes_before_,
            " bytes) live before the recording",
            rules.alive_before == AliveRule::kKeep ? "" : ", left out"),
        &note);
  }
  if (const size_t live = LiveAtEnd(rules); live > 0) {
    AppendClause(
        absl::StrCat(Blocks(live), " live at its end",
                     rules.alive_after == AliveRule::kKeep ? "" : ", left out"),
        &note);
  }
  if (irregular_.unknown_frees > 0) {
    const bool is_one = irregular_.unknown_frees == 1;
    AppendClause(absl::StrCat(irregular_.unknown_frees,
                              is_one ? " free of a block" : " frees of blocks",
                              " that it does not contain"),
                 &note);
  }
  if (irregular_.live_allocs > 0) {
    const bool is_one = irregular_.live_allocs == 1;
    AppendClause(absl::StrCat(irregular_.live_allocs,
                              is_one ? " allocation" : " allocations",
                              " of memory that was still live"),
                 &note);
  }
  AppendClause(UseNote(rules), &note);
  return note;
}

uint64_t EventLog::PeakOf(const EventRules& rules) const {
  std::vector<std::pair<Time, size_t>> begins;
  std::vector<std::pair<Time, size_t>> ends;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const auto life = LifeOf(i, rules, End());
    if (!life) continue;
    begins.emplace_back(life->first, blocks_[i].size);
    ends.emplace_back(life->second, blocks_[i].size);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  uint64_t live = 0;
  uint64_t peak = 0;
  auto ended = ends.begin();
  for (const auto& [first, size] : begins) {
    for (; ended != ends.end() && ended->first <= first; ++ended) {
      live -= std::min<uint64_t>(live, ended->second);
    }
    live = SaturatingAdd(live, size);
    peak = std::max(peak, live);
  }
  return peak;
}

std::string EventLog::UseNote(EventRules rules) const {
  const auto used = static_cast<size_t>(
      std::count_if(times_.begin(), times_.end(),
                    [](const BlockTimes& times) { return times.is_used; }));
  if (used == 0) {
    return rules.uses == UseRule::kTouches ? "no block has uses" : "";
  }
  const bool is_by_touches = rules.uses == UseRule::kTouches;
  rules.uses = UseRule::kAllocation;
  const std::string by_allocation = PeakBytes(PeakOf(rules));
  rules.uses = UseRule::kTouches;
  return absl::StrCat(
      Blocks(used), " with uses: the peak is ", by_allocation,
      " by allocation and ", PeakBytes(PeakOf(rules)), " by touches",
      is_by_touches ? "" : " (--uses touches, also to verify such a plan)");
}

ProblemFile EventLog::ToProblem(const EventRules& rules,
                                size_t tensor_alignment) const {
  const Time end = End();
  ProblemFile file;
  ProblemSpec& problem = file.problem;
  const bool has_names = names_.size() > 1;
  problem.records.reserve(blocks_.size());
  problem.names.reserve(blocks_.size());
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const auto life = LifeOf(i, rules, end);
    if (!life || block.size == 0) continue;
    problem.records.emplace_back(
        recordings::RoundedSize(block.size, tensor_alignment), life->first,
        life->second - 1);
    const size_t alignment = size_t{1} << block.alignment_log2;
    if (alignment != 1 || !problem.alignments.empty()) {
      problem.alignments.resize(problem.records.size(), 1);
      problem.alignments.back() = alignment;
    }
    problem.names.push_back(absl::StrCat(i));
    if (has_names) {
      problem.labels.tensors.emplace_back();
      problem.labels.tensors.back().name = names_[block.name];
    }
  }
  file.note = Note(rules);
  return file;
}

}  // namespace stowage
