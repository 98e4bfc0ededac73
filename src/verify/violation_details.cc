// SPDX-License-Identifier: Apache-2.0
#include "stowage/verify/violation_details.h"

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "src/base/str_cat.h"
#include "src/verify/describe_in_pools.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"

namespace stowage {
namespace {

using Kind = Violation::Kind;

// Returns the sentence about two tensors that share bytes although the order of
// the tasks does not separate their lifetimes.
const char* SentenceOfSharing(const Violation& v) {
  if (v.task == v.second_task) {
    return "$1 and $2 both hold $P, and task $t uses both";
  }
  if (v.second_task == v.third_task) {
    return "$1 and $2 both hold $P, and task $t of the first and task $u of "
           "the second may run at once";
  }
  return "$1 and $2 both hold $P, and task $t of the first runs between tasks "
         "$u and $v of the second";
}

// Returns the sentence about a violation. `$` and a letter in the sentence are
// a placeholder for a value: see Description::Part.
const char* SentenceOf(const Violation& v, bool has_pools) {
  const bool is_alone = v.first_tensor == v.second_tensor;
  switch (v.kind) {
    case Kind::kInvalidRecord:
      return "$1 has its first task after its last task";
    case Kind::kInvalidAlignment:
      return "the alignments asked for are not a power of two for each tensor";
    case Kind::kCountMismatch:
      return "the plan has $f places for $x tensors";
    case Kind::kUnknownObject:
      return "$1 has object $o, but there are $x objects";
    case Kind::kObjectTooSmall:
      return "$1 is larger than its object $o";
    case Kind::kMisaligned:
      return "$1 starts at byte $b, which is not a multiple of $x";
    case Kind::kBeyondArena:
      return has_pools
                 ? "$1 holds $P, beyond the $x bytes that the total leaves"
                 : "$1 holds $P, beyond an arena of $x bytes";
    case Kind::kOverlappingBytes:
      return "$1 and $2 both hold $P at task $t";
    case Kind::kSharedObject:
      return "$1 and $2 both hold object $o at task $t";
    case Kind::kNotAtFixedOffset:
      return "$1 starts at byte $b; expected its fixed offset $x";
    case Kind::kOutsideRange:
      return v.begin < v.expected
                 ? "$1 holds $B; expected none below byte $x"
                 : "$1 holds $B; expected none from byte $x on";
    case Kind::kGroupBroken:
      return is_alone ? "$1 starts at byte $b; expected at least $x, where its "
                        "group starts at byte 0"
                      : "$2 starts at byte $f; expected $x bytes above $1 of "
                        "its group, which starts at byte $b";
    case Kind::kInHole:
      return "$1 holds $P in hole $h at task $t";
    case Kind::kNotApart:
      return "$1 and $2 both hold $P; expected them to share no byte at any "
             "time";
    case Kind::kWrongPool:
      if (v.pool == std::numeric_limits<size_t>::max()) {
        return "$1 has no pool; expected one that it may use";
      }
      return is_alone ? "$1 is in $p; expected one that it may use"
                      : "$1 is in $p; expected $q, which $2 of its group is in";
    case Kind::kBeyondPool:
      return "$1 holds $B, beyond the $x bytes of $p";
    case Kind::kBeyondCapacity:
      return "$1 holds $B, beyond the capacity $x";
    case Kind::kUnorderedSharing:
      return SentenceOfSharing(v);
    case Kind::kSharedInPart:
      return "$1 and $2 may lie in one place or apart; they share $P only";
  }
  return "unknown violation";
}

// The number of bytes of a name that a description contains. A name may have
// any length, but a message must stay readable.
constexpr size_t kMaxNameBytes = 200;

// Describes a violation in one line, with all known names.
class Description {
 public:
  Description(const Violation& violation, Span<const std::string> names,
              Span<const std::string> pools)
      : violation_(violation), names_(names), pools_(pools) {}

  std::string Write() const {
    std::string text;
    for (const char* c = SentenceOf(violation_, !pools_.empty()); *c != 0;
         ++c) {
      if (*c == '$') {
        text += Part(*++c);
      } else {
        text += *c;
      }
    }
    return text;
  }

 private:
  // Returns the text that replaces `$` and `letter` in a sentence.
  std::string Part(char letter) const {
    const Violation& v = violation_;
    switch (letter) {
      case '1':
        return Named("tensor ", names_, v.first_tensor);
      case '2':
        return Named("tensor ", names_, v.second_tensor);
      case 'p':
        return Named("pool ", pools_, v.pool);
      case 'q':
        return Named("pool ", pools_, v.expected);
      case 'P':  // the bytes, and their pool if there are several pools
        if (pools_.size() > 1) return StrCat(Part('B'), " of ", Part('p'));
        [[fallthrough]];
      case 'B':
        return StrCat("bytes [", v.begin, ", ", v.end, ")");
      default:
        return StrCat(Number(letter));
    }
  }

  size_t Number(char letter) const {
    const Violation& v = violation_;
    switch (letter) {
      case 'b':
        return v.begin;
      case 'f':
        return v.found;
      case 'h':
        return v.hole;
      case 'o':
        return v.object;
      case 't':
        return v.task;
      case 'u':
        return v.second_task;
      case 'v':
        return v.third_task;
      default:  // 'x'
        return v.expected;
    }
  }

  static std::string Named(string_view what, Span<const std::string> names,
                           size_t i) {
    if (i >= names.size()) return StrCat(what, i);
    const string_view name = FirstBytes(names[i], kMaxNameBytes);
    return StrCat(what, "'", name,
                  name.size() < names[i].size() ? "...'" : "'");
  }

  const Violation& violation_;
  Span<const std::string> names_;
  Span<const std::string> pools_;
};

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
  const auto expected = [&](string_view key) {
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
    case Kind::kSharedInPart:
      return {"shared_in_part", both, {begin, end}, HeldTwice::kBytes};
  }
  return {};
}

std::string Describe(const Violation& violation,
                     Span<const std::string> names) {
  return DescribeInPools(violation, names, {});
}

std::string DescribeInPools(const Violation& violation,
                            Span<const std::string> names,
                            Span<const std::string> pools) {
  return Description(violation, names, pools).Write();
}

}  // namespace stowage
