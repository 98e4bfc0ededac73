// SPDX-License-Identifier: Apache-2.0
// Computes fingerprints of problems.
//
// A problem is converted to a sequence of 64-bit words, and the words are mixed
// one by one into a state of two words. Every mixing step is invertible.
// Therefore two sequences of equal length that differ in only one word, or in
// only two adjacent words, always have different states. The states of any
// other two sequences are equal with a probability of about 1 in 2^128. Mixing
// uses only multiplication, addition, rotation and shifts of unsigned numbers,
// so the result is the same on every machine.
#include <cstddef>
#include <cstdint>

#include "src/model/derived_values.h"
#include "stowage/base/optional.h"
#include "stowage/constraints.h"
#include "stowage/free_order.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"

namespace stowage {
namespace {

class Mixer {
 public:
  void Add(uint64_t word) {
    low_ ^= word;
    Mix();
  }
  void Add(const optional<size_t>& number) {
    Add(number.has_value() ? 1 : 0);
    Add(number.value_or(0));
  }
  void Add(const TaskEdge& edge) {
    Add(edge.before);
    Add(edge.after);
  }
  // Adds a list, its length first.
  template <typename List>
  void AddAll(const List& list) {
    Add(list.size());
    for (size_t i = 0; i < list.size(); ++i) Add(list[i]);
  }

  Fingerprint Finish() {
    for (int round = 0; round < 4; ++round) Mix();
    return {high_, low_};
  }

 private:
  static uint64_t Rotated(uint64_t word, int bits) {
    return word << bits | word >> (64 - bits);
  }

  // The factors are the first 64 fractional bits of the square roots of 6 and
  // 10, with the last bit set so that they are odd.
  void Mix() {
    low_ *= 0x7311C2812425CFA1;
    low_ ^= low_ >> 29;
    high_ += low_;
    high_ *= 0x298B075B4B6A5241;
    high_ ^= high_ >> 32;
    low_ += Rotated(high_, 23);
  }

  uint64_t high_ = 0;
  uint64_t low_ = 0;
};

// Adds a word that records whether the list is present: 1 if the list has an
// entry for every record, and 0 if the list is empty. Returns whether the list
// is present.
template <typename Entries>
bool AddPresence(const Entries& entries, Mixer* mixer) {
  mixer->Add(entries.empty() ? 0 : 1);
  return !entries.empty();
}

void AddUsers(const UserLists& users, Mixer* mixer) {
  mixer->Add(users.size());
  for (size_t i = 0; i < users.size(); ++i) mixer->AddAll(users[i]);
}

void AddPlaces(const Constraints& constraints, Mixer* mixer) {
  if (AddPresence(constraints.places, mixer)) {
    for (const RecordPlace& place : constraints.places) {
      mixer->Add(place.min);
      mixer->Add(place.max);
      mixer->Add(place.group);
      mixer->Add(place.at);
    }
  }
  mixer->Add(constraints.holes.size());
  for (const Hole& hole : constraints.holes) {
    mixer->Add(hole.begin);
    mixer->Add(hole.end);
    mixer->Add(hole.first_task);
    mixer->Add(hole.last_task);
    mixer->Add(hole.pool);
  }
}

void AddSharing(const Constraints& constraints, Mixer* mixer) {
  mixer->Add(constraints.apart.size());
  for (const auto& set : constraints.apart) mixer->AddAll(set);
  mixer->Add(constraints.never.size());
  for (const auto& [first, second] : constraints.never) {
    mixer->Add(first);
    mixer->Add(second);
  }
  mixer->Add(constraints.prefer_apart.size());
  for (const ApartPreference& pair : constraints.prefer_apart) {
    mixer->Add(pair.first);
    mixer->Add(pair.second);
    mixer->Add(pair.cost);
  }
}

// Adds nothing if there are no pairs, so problems without pairs have the same
// fingerprints as in earlier versions.
void AddSharedPlaces(const Constraints& constraints, Mixer* mixer) {
  if (constraints.same_or_apart.empty()) return;
  mixer->Add(constraints.same_or_apart.size());
  for (const SharedPlace& pair : constraints.same_or_apart) {
    mixer->Add(pair.first);
    mixer->Add(pair.second);
    mixer->Add(pair.copied);
  }
}

void AddPools(const Constraints& constraints, Mixer* mixer) {
  mixer->Add(constraints.pools.size());
  for (const MemoryPool& pool : constraints.pools) mixer->Add(pool.capacity);
  if (!AddPresence(constraints.choices, mixer)) return;
  for (const auto& choices : constraints.choices) {
    mixer->Add(choices.size());
    for (const PoolChoice& choice : choices) {
      mixer->Add(choice.pool);
      mixer->Add(choice.cost);
    }
  }
}

void AddOrder(const Constraints& constraints, Mixer* mixer) {
  mixer->Add(constraints.order ? 1 : 0);
  if (!constraints.order) return;
  const TaskOrder& order = *constraints.order;
  mixer->Add(order.is_of_streams() ? 1 : 0);
  mixer->Add(order.chains());
  for (size_t i = 0; i < order.chains(); ++i) mixer->AddAll(order.chain(i));
  mixer->AddAll(order.edges());
  AddUsers(constraints.users, mixer);
}

void AddFreeOrder(const FreeOrder* order, Mixer* mixer) {
  mixer->Add(order != nullptr ? 1 : 0);
  if (order == nullptr) return;
  mixer->Add(order->tasks);
  mixer->AddAll(order->edges);
  AddUsers(order->users, mixer);
}

void AddRecords(const Problem& problem, Mixer* mixer) {
  mixer->Add(problem.size());
  for (size_t i = 0; i < problem.size(); ++i) {
    const ByteRecord& record = problem.records()[i];
    mixer->Add(record.tensor_size);
    mixer->Add(record.first_task);
    mixer->Add(record.last_task);
    mixer->Add(problem.alignments().Of(i));
    mixer->Add(problem.fixed_offset(i));
  }
}

Fingerprint Compute(const Problem& problem) {
  Mixer mixer;
  mixer.Add(kFingerprintVersion);
  mixer.Add(static_cast<uint64_t>(problem.kind()));
  mixer.Add(problem.capacity());
  AddRecords(problem, &mixer);
  mixer.AddAll(problem.place_first());
  const UsageGraph* const graph = problem.reallocation_graph();
  mixer.Add(graph != nullptr ? 1 : 0);
  if (graph != nullptr) {
    for (const auto& heirs : *graph) mixer.AddAll(heirs);
  }
  mixer.Add(problem.groups_are_optional() ? 1 : 0);
  const Constraints none;
  const Constraints& constraints =
      problem.constraints() != nullptr ? *problem.constraints() : none;
  AddPlaces(constraints, &mixer);
  AddSharing(constraints, &mixer);
  AddPools(constraints, &mixer);
  AddOrder(constraints, &mixer);
  AddFreeOrder(problem.free_order(), &mixer);
  AddSharedPlaces(constraints, &mixer);
  return mixer.Finish();
}

}  // namespace

const Fingerprint& Problem::fingerprint() const {
  return derived().Get<Fingerprint>(DerivedValues::kFingerprint,
                                    [this] { return Compute(*this); });
}

}  // namespace stowage
