// SPDX-License-Identifier: Apache-2.0
#include "src/verify/violation_kinds.h"

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage {
namespace {

using Kind = Violation::Kind;

// Writes one line about a violation, with all known names.
class Description {
 public:
  Description(const Violation& violation, absl::Span<const std::string> names,
              absl::Span<const MemoryPool> pools)
      : violation_(violation),
        names_(names),
        pools_(pools),
        first_(Tensor(violation.first_tensor)) {}

  std::string Write() const;

 private:
  std::string Tensor(size_t i) const {
    return i < names_.size() ? absl::StrCat("tensor '", names_[i], "'")
                             : absl::StrCat("tensor ", i);
  }
  std::string Pool(size_t i) const {
    return i < pools_.size() ? absl::StrCat("pool '", pools_[i].name, "'")
                             : absl::StrCat("pool ", i);
  }
  std::string Bytes() const {
    return absl::StrCat("bytes [", violation_.begin, ", ", violation_.end, ")");
  }
  // Returns the bytes, and their pool if there are several pools.
  std::string BytesOfPool() const {
    return pools_.size() < 2
               ? Bytes()
               : absl::StrCat(Bytes(), " of ", Pool(violation_.pool));
  }
  std::string BothHold(absl::string_view what) const {
    return absl::StrCat(first_, " and ", Tensor(violation_.second_tensor),
                        " both hold ", what);
  }

  std::string WriteBeyondArena() const;
  std::string WriteGroupBroken() const;
  std::string WriteWrongPool() const;
  std::string WriteUnorderedSharing() const;

  const Violation& violation_;
  absl::Span<const std::string> names_;
  absl::Span<const MemoryPool> pools_;
  std::string first_;
};

std::string Description::Write() const {
  const Violation& v = violation_;
  switch (v.kind) {
    case Kind::kInvalidRecord:
      return absl::StrCat(first_, " has its first task after its last task");
    case Kind::kInvalidAlignment:
      return "the alignments asked for are not a power of two for each tensor";
    case Kind::kCountMismatch:
      return absl::StrCat("the plan has ", v.found, " places for ", v.expected,
                          " tensors");
    case Kind::kUnknownObject:
      return absl::StrCat(first_, " has object ", v.object, ", but there are ",
                          v.expected, " objects");
    case Kind::kObjectTooSmall:
      return absl::StrCat(first_, " is larger than its object ", v.object);
    case Kind::kMisaligned:
      return absl::StrCat(first_, " starts at byte ", v.begin,
                          ", which is not a multiple of ", v.expected);
    case Kind::kBeyondArena:
      return WriteBeyondArena();
    case Kind::kOverlappingBytes:
      return absl::StrCat(BothHold(BytesOfPool()), " at task ", v.task);
    case Kind::kSharedObject:
      return absl::StrCat(BothHold(absl::StrCat("object ", v.object)),
                          " at task ", v.task);
    case Kind::kNotAtFixedOffset:
      return absl::StrCat(first_, " starts at byte ", v.begin,
                          "; expected its fixed offset ", v.expected);
    case Kind::kOutsideRange:
      return absl::StrCat(first_, " holds ", Bytes(), "; expected none ",
                          v.begin < v.expected ? "below byte " : "from byte ",
                          v.expected, v.begin < v.expected ? "" : " on");
    case Kind::kGroupBroken:
      return WriteGroupBroken();
    case Kind::kInHole:
      return absl::StrCat(first_, " holds ", BytesOfPool(), " in hole ", v.hole,
                          " at task ", v.task);
    case Kind::kNotApart:
      return absl::StrCat(BothHold(BytesOfPool()),
                          "; expected them to share no byte at any time");
    case Kind::kWrongPool:
      return WriteWrongPool();
    case Kind::kBeyondPool:
      return absl::StrCat(first_, " holds ", Bytes(), ", beyond the ",
                          v.expected, " bytes of ", Pool(v.pool));
    case Kind::kBeyondCapacity:
      return absl::StrCat(first_, " holds ", Bytes(), ", beyond the capacity ",
                          v.expected);
    case Kind::kUnorderedSharing:
      return WriteUnorderedSharing();
  }
  return "unknown violation";
}

std::string Description::WriteBeyondArena() const {
  const size_t limit = violation_.expected;
  return absl::StrCat(
      first_, " holds ", BytesOfPool(), ", beyond ",
      pools_.empty()
          ? absl::StrCat("an arena of ", limit, " bytes")
          : absl::StrCat("the ", limit, " bytes that the total leaves"));
}

std::string Description::WriteGroupBroken() const {
  const Violation& v = violation_;
  if (v.first_tensor == v.second_tensor) {
    return absl::StrCat(first_, " starts at byte ", v.begin,
                        "; expected at least ", v.expected,
                        ", where its group starts at byte 0");
  }
  return absl::StrCat(Tensor(v.second_tensor), " starts at byte ", v.found,
                      "; expected ", v.expected, " bytes above ", first_,
                      " of its group, which starts at byte ", v.begin);
}

std::string Description::WriteWrongPool() const {
  const Violation& v = violation_;
  if (v.pool == std::numeric_limits<size_t>::max()) {
    return absl::StrCat(first_, " has no pool; expected one that it may use");
  }
  if (v.first_tensor == v.second_tensor) {
    return absl::StrCat(first_, " is in ", Pool(v.pool),
                        "; expected one that it may use");
  }
  return absl::StrCat(first_, " is in ", Pool(v.pool), "; expected ",
                      Pool(v.expected), ", which ", Tensor(v.second_tensor),
                      " of its group is in");
}

std::string Description::WriteUnorderedSharing() const {
  const Violation& v = violation_;
  const std::string held = absl::StrCat(BothHold(BytesOfPool()), ", and task ");
  if (v.task == v.second_task) {
    return absl::StrCat(held, v.task, " uses both");
  }
  if (v.second_task == v.third_task) {
    return absl::StrCat(held, v.task, " of the first and task ", v.second_task,
                        " of the second may run at once");
  }
  return absl::StrCat(held, v.task, " of the first runs between tasks ",
                      v.second_task, " and ", v.third_task, " of the second");
}

std::vector<size_t> TasksOf(const Violation& v) {
  if (v.third_task == v.second_task) return {v.task, v.second_task};
  return {v.task, v.second_task, v.third_task};
}

}  // namespace

ViolationDetails DetailsOf(const Violation& violation) {
  const Violation& v = violation;
  const std::vector<size_t> one = {v.first_tensor};
  const std::vector<size_t> both = {v.first_tensor, v.second_tensor};
  const bool is_alone = v.first_tensor == v.second_tensor;
  const ViolationFact begin = {"begin", {v.begin}};
  const ViolationFact end = {"end", {v.end}};
  const ViolationFact task = {"task", {v.task}};
  const ViolationFact pool = {"pool", {v.pool}};
  const ViolationFact object = {"object", {v.object}};
  const ViolationFact hole = {"hole", {v.hole}};
  const ViolationFact places = {"places", {v.found}};
  const ViolationFact offsets = {"offsets", {v.begin, v.found}, true};
  const ViolationFact tasks = {"tasks", TasksOf(v), true};
  const auto expected = [&](absl::string_view key) {
    return ViolationFact{key, {v.expected}};
  };
  switch (v.kind) {
    case Kind::kInvalidRecord:
      return {"invalid_record", one, {}};
    case Kind::kInvalidAlignment:
      return {"invalid_alignment", {}, {}};
    case Kind::kCountMismatch:
      return {"count_mismatch", {}, {places, expected("records")}};
    case Kind::kUnknownObject:
      return {"unknown_object", one, {object, expected("objects")}};
    case Kind::kObjectTooSmall:
      return {"object_too_small", one, {object}};
    case Kind::kMisaligned:
      return {"misaligned", one, {begin, expected("alignment")}};
    case Kind::kBeyondArena:
      return {"beyond_arena", one, {begin, end, expected("limit")}};
    case Kind::kOverlappingBytes:
      return {"overlapping_bytes", both, {task, begin, end}, HeldTwice::kBytes};
    case Kind::kSharedObject:
      return {"shared_object", both, {task, object}, HeldTwice::kObject};
    case Kind::kNotAtFixedOffset:
      return {"not_at_fixed_offset", one, {begin, expected("fixed")}};
    case Kind::kOutsideRange:
      return {"outside_range", one, {begin, end, expected("limit")}};
    case Kind::kGroupBroken:
      return {"group_broken", both, {offsets, expected("displacement")}};
    case Kind::kInHole:
      return {"in_hole", one, {begin, end, hole, task}, HeldTwice::kBytes};
    case Kind::kNotApart:
      return {"not_apart", both, {begin, end}, HeldTwice::kBytes};
    case Kind::kWrongPool:
      return {"wrong_pool", is_alone ? one : both, {pool}};
    case Kind::kBeyondPool:
      return {"beyond_pool", one, {begin, end, pool, expected("capacity")}};
    case Kind::kBeyondCapacity:
      return {"beyond_capacity", one, {begin, end, expected("capacity")}};
    case Kind::kUnorderedSharing:
      return {
          "unordered_sharing", both, {begin, end, tasks}, HeldTwice::kBytes};
  }
  return {};
}

std::string Describe(const Violation& violation,
                     absl::Span<const std::string> names) {
  return Description(violation, names, {}).Write();
}

std::string Describe(const Violation& violation, const Problem& problem) {
  const Constraints* const constraints = problem.constraints();
  return Description(violation, problem.names(),
                     constraints == nullptr
                         ? absl::Span<const MemoryPool>()
                         : absl::MakeConstSpan(constraints->pools))
      .Write();
}

}  // namespace stowage
