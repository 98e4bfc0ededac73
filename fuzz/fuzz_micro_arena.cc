// SPDX-License-Identifier: Apache-2.0
// Makes any calls of the two-ended arena and tracks them in shadow memory.
// Granted bytes must be inside the arena and aligned, and must not overlap
// bytes in use. A request may be refused only if it does not fit, and must then
// change nothing. The computed required size must be sufficient and necessary.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/input.h"
#include "stowage/micro/arena.h"
#include "stowage/micro/status.h"
#include "tests/micro/arena_replay.h"

namespace stowage::micro {
namespace {

constexpr size_t kMaxCalls = 64;
constexpr size_t kMaxBytes = 2048;

// A range of bytes that was granted and is in use. Positions are relative to
// the start of the arena.
struct Range {
  uint64_t begin = 0;
  uint64_t size = 0;
  uint8_t mark = 0;  // the value of its bytes
};

bool AreApart(const Range& a, const Range& b) {
  return a.size == 0 || b.size == 0 || a.begin >= b.begin + b.size ||
         b.begin >= a.begin + a.size;
}

// Provides the memory of an arena: either real memory, or the last addresses of
// the address space, where no memory exists.
class Memory {
 public:
  explicit Memory(Input* input) : size_(1 + input->UpTo(kMaxBytes - 1)) {
    const size_t shift = input->UpTo(63);
    if (input->UpTo(3) == 0) {
      // The number of bytes between the arena and the last address.
      const size_t above = input->UpTo(3);
      start_ = 0 - static_cast<uintptr_t>(size_ + above);
    } else {
      // The memory ends at the end of the arena, so the address sanitizer
      // detects a write beyond it.
      bytes_.reset(new uint8_t[shift + size_]);
      start_ = reinterpret_cast<uintptr_t>(bytes_.get() + shift);
    }
  }

  uintptr_t start() const { return start_; }
  uint32_t size() const { return static_cast<uint32_t>(size_); }
  void* At(uint64_t offset) const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): there may be no memory.
    return reinterpret_cast<void*>(start_ + offset);
  }

  void Fill(const Range& range) const {
    if (bytes_ != nullptr) std::memset(At(range.begin), range.mark, range.size);
  }
  void CheckFilled(const Range& range) const {
    if (bytes_ == nullptr) return;
    const auto* bytes = static_cast<const uint8_t*>(At(range.begin));
    for (uint64_t i = 0; i < range.size; ++i) {
      Check(bytes[i] == range.mark, "bytes in use were written");
    }
  }

 private:
  size_t size_;
  std::unique_ptr<uint8_t[]> bytes_;
  uintptr_t start_ = 0;
};

class Shadow {
 public:
  Shadow(const Memory& memory, stowage_micro_arena_kind kind)
      : memory_(memory), kind_(kind) {
    Check(stowage_micro_arena_init(&arena_, memory_.At(0), memory_.size(),
                                   kind) == STOWAGE_MICRO_OK,
          "memory that exists is no arena");
    stowage_micro_arena_record(&arena_, &tally_);
  }

  // Makes the call and records its result in `call`.
  void Run(arena_call* call) {
    const stowage_micro_arena before = arena_;
    call->answer = Answer(*call);
    ++calls_;
    call->head = stowage_micro_arena_nonpersistent_bytes(&arena_);
    call->tail = stowage_micro_arena_persistent_bytes(&arena_);
    if (call->answer == ARENA_REFUSED) {
      Check(IsAsBefore(before), "a refusal changed the arena");
    }
    CheckNumbers();
  }

  // Returns the index of the first call that freed something other than a
  // temporary.
  size_t first_mistake() const { return first_mistake_; }

  // Returns one of the temporaries in use, or any address if there is none.
  uint32_t OneTemp(Input* input) const {
    return temps_.empty() ? static_cast<uint32_t>(input->Number())
                          : static_cast<uint32_t>(input->OneOf(temps_).begin);
  }

 private:
  uint32_t Answer(const arena_call& call) {
    switch (call.op) {
      case ARENA_PERSISTENT:
        return Persistent(call);
      case ARENA_TEMP:
        return Temp(call);
      case ARENA_FREE_TEMP:
        return FreeTemp(call.offset);
      case ARENA_ALL_TEMPS_FREED:
        return stowage_micro_arena_all_temps_freed(&arena_) != 0
                   ? 1
                   : ARENA_REFUSED;
      case ARENA_RESET_TEMPS:
        return Reset();
      case ARENA_OVERLAY_ADDRESS:
        return Offset(stowage_micro_arena_overlay_address(&arena_));
      case ARENA_AVAILABLE:
        return Available(call.alignment);
      default:
        return Head(call);
    }
  }

  uint32_t Persistent(const arena_call& call) {
    const uint64_t end = arena_.tail;
    const uint32_t offset = Offset(
        stowage_micro_arena_persistent(&arena_, call.size, call.alignment));
    // Determines from the definition whether the request fits, with numbers
    // that do not wrap around.
    const bool fits = call.size <= end - arena_.temps_end &&
                      IsAlignment(call.alignment) &&
                      (kind_ & STOWAGE_MICRO_ARENA_PERSISTENT) != 0;
    const uint64_t lost =
        fits ? (memory_.start() + end - call.size) % call.alignment : 0;
    const bool is_granted = fits &&
                            lost <= end - call.size - arena_.temps_end &&
                            memory_.At(end - call.size - lost) != nullptr;
    Check(is_granted == (offset != ARENA_REFUSED), "persistent");
    if (!is_granted) return ARENA_REFUSED;
    Check(offset == end - call.size - lost, "not the highest place");
    persistent_.push_back(Grant(offset, call.size));
    return offset;
  }

  uint32_t Temp(const arena_call& call) {
    const uint64_t from = arena_.temps_end;
    const uint32_t offset =
        Offset(stowage_micro_arena_temp(&arena_, call.size, call.alignment));
    Check(offset == PlaceAbove(from, call), "temp");
    if (offset != ARENA_REFUSED) temps_.push_back(Grant(offset, call.size));
    return offset;
  }

  uint32_t FreeTemp(uint32_t offset) {
    const size_t in_use = arena_.temps;
    const bool is_freed = stowage_micro_arena_free_temp(
                              &arena_, memory_.At(offset)) == STOWAGE_MICRO_OK;
    size_t found = 0;
    while (found < temps_.size() && temps_[found].begin != offset) ++found;
    const bool is_temp = found < temps_.size();
    if (!is_mistaken_) {
      Check(!is_temp || is_freed, "a temporary cannot be freed");
      Check(is_temp || !is_freed || in_use > 1, "the last one is another");
    }
    if (!is_freed) return ARENA_REFUSED;
    if (is_temp) {
      temps_.erase(temps_.begin() + static_cast<ptrdiff_t>(found));
    } else {
      is_mistaken_ = true;
      first_mistake_ = std::min(first_mistake_, calls_);
    }
    return 1;
  }

  uint32_t Reset() {
    const bool is_reset =
        stowage_micro_arena_reset_temps(&arena_) == STOWAGE_MICRO_OK;
    if (!is_mistaken_) Check(is_reset == temps_.empty(), "reset");
    if (!is_reset) return ARENA_REFUSED;
    temps_.clear();
    is_mistaken_ = false;
    return 1;
  }

  uint32_t Head(const arena_call& call) {
    const uint64_t head = arena_.head;
    const bool has_temps = arena_.temps_end != head;
    const bool is_taken = call.op == ARENA_ALLOCATE_RESIZABLE && is_taken_ &&
                          kind_ == STOWAGE_MICRO_ARENA_NONPERSISTENT;
    arena_call asked = call;
    if (call.op == ARENA_FREE_RESIZABLE) {
      asked.size = 0;
      asked.alignment = 1;
    }
    const uint64_t place = PlaceAbove(0, asked);
    const bool is_other =
        (call.op == ARENA_RESIZE || call.op == ARENA_FREE_RESIZABLE) &&
        call.offset != place;
    const uint32_t answer = CallHead(call);
    Check((answer != ARENA_REFUSED) ==
              (place != ARENA_REFUSED && !has_temps && !is_taken && !is_other),
          "head");
    if (answer == ARENA_REFUSED) return answer;
    if (call.op == ARENA_ALLOCATE_RESIZABLE) {
      Check(answer == place, "not the first place");
      is_taken_ = true;
    }
    if (call.op == ARENA_FREE_RESIZABLE) is_taken_ = false;
    head_ = Range();  // must not be an obstacle to itself
    head_ = Grant(place, asked.size);
    return answer;
  }

  uint32_t CallHead(const arena_call& call) {
    void* const buffer = memory_.At(call.offset);
    switch (call.op) {
      case ARENA_ALLOCATE_RESIZABLE:
        return Offset(stowage_micro_arena_allocate_resizable(&arena_, call.size,
                                                             call.alignment));
      case ARENA_RESIZE:
        return Success(stowage_micro_arena_resize(&arena_, buffer, call.size,
                                                  call.alignment));
      case ARENA_FREE_RESIZABLE:
        return Success(stowage_micro_arena_free_resizable(&arena_, buffer));
      default:
        return Success(stowage_micro_arena_reserve_overlay(&arena_, call.size,
                                                           call.alignment));
    }
  }

  uint32_t Available(uint32_t alignment) {
    const uint32_t bytes = stowage_micro_arena_available(&arena_, alignment);
    if (!IsAlignment(alignment)) {
      Check(bytes == 0, "available in a bad alignment");
      return bytes;
    }
    Check(bytes % alignment == 0, "not between aligned addresses");
    // A request of this size must be granted, and a request that is one step
    // larger must be refused.
    stowage_micro_arena copy = arena_;
    if (bytes > 0 && kind_ != STOWAGE_MICRO_ARENA_PERSISTENT) {
      Check(stowage_micro_arena_temp(&copy, bytes, alignment) != nullptr,
            "not available");
    }
    copy = arena_;
    if (bytes <= UINT32_MAX - alignment) {
      Check(stowage_micro_arena_temp(&copy, bytes + alignment, alignment) ==
                    nullptr ||
                (memory_.start() + arena_.tail) % alignment != 0,
            "more is available");
    }
    return bytes;
  }

  bool IsAsBefore(const stowage_micro_arena& before) const {
    return arena_.start == before.start && arena_.size == before.size &&
           arena_.head == before.head && arena_.temps_end == before.temps_end &&
           arena_.tail == before.tail && arena_.temps == before.temps &&
           arena_.temps_xor == before.temps_xor && arena_.peak == before.peak &&
           arena_.alignment == before.alignment &&
           arena_.flags == before.flags && arena_.tally == before.tally;
  }

  static bool IsAlignment(uint32_t alignment) {
    return alignment != 0 && (alignment & (alignment - 1)) == 0;
  }
  static uint32_t Success(stowage_micro_status status) {
    return status == STOWAGE_MICRO_OK ? 1 : ARENA_REFUSED;
  }
  uint32_t Offset(const void* address) const {
    if (address == nullptr) return ARENA_REFUSED;
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address) -
                                 memory_.start());
  }

  // Returns the lowest place at or above `from` that has room for the bytes of
  // the call, or ARENA_REFUSED if no place has. Follows the definition
  // literally.
  uint64_t PlaceAbove(uint64_t from, const arena_call& call) const {
    if (!IsAlignment(call.alignment) ||
        (kind_ & STOWAGE_MICRO_ARENA_NONPERSISTENT) == 0) {
      return ARENA_REFUSED;
    }
    const uint64_t misfit = (memory_.start() + from) % call.alignment;
    const uint64_t place = misfit == 0 ? from : from + call.alignment - misfit;
    return place + call.size <= arena_.tail && memory_.At(place) != nullptr
               ? place
               : ARENA_REFUSED;
  }

  Range Grant(uint64_t begin, uint64_t size) {
    const Range range = {begin, size, ++mark_};
    Check(begin + size <= memory_.size(), "outside the arena");
    Check(AreApart(range, head_), "on the head");
    for (const auto* ranges : {&temps_, &persistent_}) {
      for (const Range& other : *ranges) {
        Check(AreApart(range, other), "on bytes in use");
      }
    }
    memory_.Fill(range);
    return range;
  }

  void CheckNumbers() {
    memory_.CheckFilled(head_);
    for (const auto* ranges : {&temps_, &persistent_}) {
      for (const Range& range : *ranges) memory_.CheckFilled(range);
    }
    const uint32_t used = stowage_micro_arena_used_bytes(&arena_);
    if (used > peak_) peak_ = used;
    Check(used <= memory_.size(), "more in use than there is");
    Check(stowage_micro_arena_peak_bytes(&arena_) == peak_, "peak");
    Check(tally_.count == persistent_.size() &&
              tally_.used == stowage_micro_arena_persistent_bytes(&arena_),
          "tally");
  }

  const Memory& memory_;
  stowage_micro_arena_kind kind_;
  stowage_micro_arena arena_ = {};
  stowage_micro_arena_tally tally_ = {};
  Range head_;
  std::vector<Range> temps_;
  std::vector<Range> persistent_;
  bool is_taken_ = false;     // a resizable buffer is in use
  bool is_mistaken_ = false;  // something other than a temporary was freed
  size_t calls_ = 0;
  size_t first_mistake_ = kMaxCalls;
  uint32_t peak_ = 0;
  uint8_t mark_ = 0;
};

uint32_t AnySize(Input* input) {
  return static_cast<uint32_t>(input->Number());
}

uint32_t AnyAlignment(Input* input) {
  const uint8_t kind = input->Byte();
  return kind < 240 ? 1u << (kind % 8) : AnySize(input);
}

arena_call AnyCall(Input* input, const Shadow& shadow) {
  arena_call call = {};
  call.op =
      static_cast<arena_op>(input->UpTo(static_cast<size_t>(ARENA_AVAILABLE)));
  switch (call.op) {
    case ARENA_FREE_TEMP:
      call.offset =
          input->UpTo(15) == 0 ? AnySize(input) : shadow.OneTemp(input);
      break;
    case ARENA_RESIZE:
    case ARENA_FREE_RESIZABLE:
      call.offset = input->UpTo(3) == 0 ? AnySize(input) : 0;
      break;
    default:
      break;
  }
  call.size = AnySize(input);
  call.alignment = AnyAlignment(input);
  return call;
}

void Fuzz(Input* input) {
  constexpr stowage_micro_arena_kind kKinds[] = {
      STOWAGE_MICRO_ARENA_SINGLE, STOWAGE_MICRO_ARENA_SINGLE,
      STOWAGE_MICRO_ARENA_NONPERSISTENT, STOWAGE_MICRO_ARENA_PERSISTENT};
  const stowage_micro_arena_kind kind =
      kKinds[input->UpTo(std::size(kKinds) - 1)];
  const Memory memory(input);
  Shadow shadow(memory, kind);
  std::vector<arena_call> calls;
  while (!input->is_empty() && calls.size() < kMaxCalls) {
    calls.push_back(AnyCall(input, shadow));
    shadow.Run(&calls.back());
  }
  // Replay only the calls before the first mistake, because a mistake may free
  // different bytes in an arena of a different size.
  const auto count =
      static_cast<uint32_t>(std::min(calls.size(), shadow.first_mistake()));
  const arena_sequence sequence = {
      kind,  memory.size(), static_cast<uint32_t>(memory.start() % 64),
      count, calls.data(),  count};
  const arena_replay_result result = replay_arena(&sequence, memory.At(0));
  Check(result.fault == nullptr, result.fault != nullptr ? result.fault : "");
}

}  // namespace
}  // namespace stowage::micro

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Input input(data, size);
  stowage::micro::Fuzz(&input);
  return 0;
}
