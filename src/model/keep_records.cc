// SPDX-License-Identifier: Apache-2.0
#include "src/model/keep_records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "stowage/free_order.h"
#include "stowage/model/renumber_solution.h"
#include "stowage/task_order.h"

namespace stowage {
namespace {

template <typename T>
void Pick(Span<const size_t> kept, std::vector<T>* list) {
  if (list->empty()) return;
  std::vector<T> picked;
  picked.reserve(kept.size());
  for (const size_t i : kept) picked.push_back((*list)[i]);
  *list = std::move(picked);
}

void Pick(Span<const size_t> kept, UserLists* users) {
  if (users->empty()) return;
  UserLists picked;
  for (const size_t i : kept) picked.Add((*users)[i]);
  *users = std::move(picked);
}

// Returns the new indices of the records of `list`, without those that have
// none.
std::vector<size_t> Renumber(Span<const size_t> list,
                             Span<const uint32_t> record_of) {
  std::vector<size_t> renumbered;
  for (const size_t i : list) {
    if (record_of[i] != RecordMap::kNone) renumbered.push_back(record_of[i]);
  }
  return renumbered;
}

}  // namespace

ProblemSpec KeepRecords(const ProblemSpec& spec, Span<const size_t> kept) {
  std::vector<uint32_t> record_of(spec.records.size(), RecordMap::kNone);
  for (uint32_t k = 0; k < kept.size(); ++k) record_of[kept[k]] = k;
  ProblemSpec made = spec;
  Pick(kept, &made.records);
  Pick(kept, &made.alignments);
  Pick(kept, &made.fixed_offsets);
  Pick(kept, &made.names);
  Pick(kept, &made.labels.tensors);
  Pick(kept, &made.labels.readers);
  made.place_first = Renumber(spec.place_first, record_of);
  if (made.reallocation_graph) {
    Pick(kept, &*made.reallocation_graph);
    for (std::vector<size_t>& list : *made.reallocation_graph) {
      list = Renumber(list, record_of);
    }
  }
  if (made.free_order) Pick(kept, &made.free_order->users);
  Constraints& constraints = made.constraints;
  Pick(kept, &constraints.places);
  Pick(kept, &constraints.choices);
  Pick(kept, &constraints.users);
  constraints.apart.clear();
  constraints.never.clear();
  constraints.prefer_apart.clear();
  constraints.same_or_apart.clear();
  CopyRelations(spec.constraints, record_of, &constraints);
  return made;
}

ProblemSpec DropRecord(const ProblemSpec& spec, size_t i) {
  std::vector<size_t> others(spec.records.size());
  std::iota(others.begin(), others.end(), size_t{0});
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
  return KeepRecords(spec, others);
}

void CopyRelations(const Constraints& from, Span<const uint32_t> record_of,
                   Constraints* to) {
  for (const std::vector<size_t>& set : from.apart) {
    std::vector<size_t> copy = Renumber(set, record_of);
    if (copy.size() > 1) to->apart.push_back(std::move(copy));
  }
  DropRepeatedSets(&to->apart);
  const auto are_kept = [&](size_t a, size_t b) {
    return record_of[a] != RecordMap::kNone && record_of[b] != RecordMap::kNone;
  };
  for (const auto& [a, b] : from.never) {
    if (are_kept(a, b)) to->never.emplace_back(record_of[a], record_of[b]);
  }
  for (const ApartPreference& wish : from.prefer_apart) {
    if (!are_kept(wish.first, wish.second)) continue;
    to->prefer_apart.push_back(
        {record_of[wish.first], record_of[wish.second], wish.cost});
  }
  for (const SharedPlace& pair : from.same_or_apart) {
    if (!are_kept(pair.first, pair.second)) continue;
    to->same_or_apart.push_back(
        {record_of[pair.first], record_of[pair.second], pair.copied});
  }
}

void DropRepeatedSets(std::vector<std::vector<size_t>>* sets) {
  std::set<std::vector<size_t>> seen;
  std::vector<std::vector<size_t>> kept;
  for (std::vector<size_t>& set : *sets) {
    std::vector<size_t> sorted = set;
    std::sort(sorted.begin(), sorted.end());
    if (seen.insert(std::move(sorted)).second) kept.push_back(std::move(set));
  }
  *sets = std::move(kept);
}

}  // namespace stowage
