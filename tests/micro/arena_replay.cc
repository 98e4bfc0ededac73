// SPDX-License-Identifier: Apache-2.0
#include "tests/micro/arena_replay.h"

#include <stdint.h>

#include "stowage/micro/arena.h"
#include "stowage/micro/status.h"

namespace stowage::micro {
namespace {

bool Equal(const stowage_micro_arena& a, const stowage_micro_arena& b) {
  return a.start == b.start && a.size == b.size && a.head == b.head &&
         a.temps_end == b.temps_end && a.tail == b.tail && a.temps == b.temps &&
         a.temps_xor == b.temps_xor && a.peak == b.peak &&
         a.alignment == b.alignment && a.flags == b.flags && a.tally == b.tally;
}

bool Equal(const stowage_micro_arena_tally& a,
           const stowage_micro_arena_tally& b) {
  return a.requested == b.requested && a.used == b.used && a.count == b.count;
}

class Replayer {
 public:
  Replayer(const ArenaSequence& sequence, void* memory, uint32_t size)
      : sequence_(sequence), memory_(memory), size_(size) {
    is_made_ = stowage_micro_arena_init(&arena_, memory, size, sequence.kind) ==
               STOWAGE_MICRO_OK;
    if (is_made_) stowage_micro_arena_record(&arena_, &tally_);
  }

  const stowage_micro_arena& arena() const { return arena_; }
  bool is_made() const { return is_made_; }

  // What the call is answered. Only an address changes with the arena's size:
  // persistent bytes are as far from its end.
  uint32_t Answer(const ArenaCall& call) {
    switch (call.op) {
      case ArenaOp::kPersistent: {
        const uint32_t offset = OffsetOf(
            stowage_micro_arena_persistent(&arena_, call.size, call.alignment));
        return offset == kRefused ? offset : offset + (sequence_.size - size_);
      }
      case ArenaOp::kTemp:
        return OffsetOf(
            stowage_micro_arena_temp(&arena_, call.size, call.alignment));
      case ArenaOp::kFreeTemp:
        return Success(
            stowage_micro_arena_free_temp(&arena_, AddressOf(call.offset)));
      case ArenaOp::kAllTempsFreed:
        return stowage_micro_arena_all_temps_freed(&arena_) != 0 ? 1 : kRefused;
      case ArenaOp::kResetTemps:
        return Success(stowage_micro_arena_reset_temps(&arena_));
      case ArenaOp::kAllocateResizable:
        return OffsetOf(stowage_micro_arena_allocate_resizable(
            &arena_, call.size, call.alignment));
      case ArenaOp::kResize:
        return Success(stowage_micro_arena_resize(
            &arena_, AddressOf(call.offset), call.size, call.alignment));
      case ArenaOp::kFreeResizable:
        return Success(stowage_micro_arena_free_resizable(
            &arena_, AddressOf(call.offset)));
      case ArenaOp::kReserveOverlay:
        return Success(stowage_micro_arena_reserve_overlay(&arena_, call.size,
                                                           call.alignment));
      case ArenaOp::kOverlayAddress:
        return OffsetOf(stowage_micro_arena_overlay_address(&arena_));
      case ArenaOp::kAvailable:
        return stowage_micro_arena_available(&arena_, call.alignment);
    }
    return kRefused;
  }

  // Null if every call that has to be refused is, and changes nothing.
  const char* TryRefusals() {
    const stowage_micro_arena before = arena_;
    const stowage_micro_arena_tally tally = tally_;
    const char* const fault = FindGranted();
    if (fault != nullptr) return fault;
    return Equal(before, arena_) && Equal(tally, tally_)
               ? nullptr
               : "a refusal changed the arena";
  }

  // Null if the call, which the original grants to nobody's good, is refused.
  const char* TryUnsound(const ArenaCall& call) {
    const stowage_micro_arena before = arena_;
    const uint32_t answer = Answer(call);
    const uint32_t refused = call.op == ArenaOp::kAvailable ? 0 : kRefused;
    if (answer != refused) return "an unsound call was granted";
    return Equal(before, arena_) ? nullptr : "a refusal changed the arena";
  }

  // Null if the numbers are those that were recorded.
  const char* CheckNumbers(const ArenaCall& call) {
    if (stowage_micro_arena_nonpersistent_bytes(&arena_) != call.head) {
      return "head";
    }
    if (stowage_micro_arena_persistent_bytes(&arena_) != call.tail) {
      return "tail";
    }
    const uint32_t used = call.head + call.tail;
    if (stowage_micro_arena_used_bytes(&arena_) != used) return "used";
    if (used > peak_) peak_ = used;
    if (stowage_micro_arena_peak_bytes(&arena_) != peak_) return "peak";
    return tally_.used == call.tail ? nullptr : "tally";
  }

 private:
  static uint32_t Success(stowage_micro_status status) {
    return status == STOWAGE_MICRO_OK ? 1 : kRefused;
  }

  uint32_t OffsetOf(const void* address) const {
    return address == nullptr
               ? kRefused
               : static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address) -
                                       reinterpret_cast<uintptr_t>(memory_));
  }

  void* AddressOf(uint32_t offset) const {
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(memory_) +
                                   offset);
  }

  const char* FindGranted() {
    const uint32_t free = arena_.tail - arena_.temps_end;
    const uint32_t sizes[] = {free + 1, size_ + 1, UINT32_MAX - 1, UINT32_MAX};
    for (const uint32_t size : sizes) {
      const char* const fault = FindGranted(size, 1);
      if (fault != nullptr) return fault;
    }
    const uint32_t bad_alignments[] = {0, 3, 48, UINT32_MAX};
    for (const uint32_t alignment : bad_alignments) {
      const char* const fault = FindGranted(0, alignment);
      if (fault != nullptr) return fault;
      if (stowage_micro_arena_available(&arena_, alignment) != 0) {
        return "bytes are available in a bad alignment";
      }
    }
    return FindForeign();
  }

  const char* FindGranted(uint32_t size, uint32_t alignment) {
    if (stowage_micro_arena_persistent(&arena_, size, alignment) != nullptr) {
      return "persistent was to be refused";
    }
    if (stowage_micro_arena_temp(&arena_, size, alignment) != nullptr) {
      return "temp was to be refused";
    }
    // From the head on there are the temporaries' bytes too.
    if (alignment == 1 && size <= arena_.tail) return nullptr;
    if (stowage_micro_arena_allocate_resizable(&arena_, size, alignment) !=
            nullptr ||
        stowage_micro_arena_resize(&arena_, memory_, size, alignment) ==
            STOWAGE_MICRO_OK ||
        stowage_micro_arena_reserve_overlay(&arena_, size, alignment) ==
            STOWAGE_MICRO_OK) {
      return "a head was to be refused";
    }
    return nullptr;
  }

  // Addresses that are not what they are given for.
  const char* FindForeign() {
    const uint32_t outside[] = {arena_.size + 1, UINT32_MAX - arena_.size,
                                UINT32_MAX};
    for (const uint32_t offset : outside) {
      if (stowage_micro_arena_free_temp(&arena_, AddressOf(offset)) !=
          STOWAGE_MICRO_NOT_A_TEMP) {
        return "what lies outside was freed";
      }
    }
    if (stowage_micro_arena_free_temp(&arena_, nullptr) !=
        STOWAGE_MICRO_NOT_A_TEMP) {
      return "null was freed";
    }
    if (arena_.temps == 0 &&
        stowage_micro_arena_free_temp(&arena_, AddressOf(arena_.head)) !=
            STOWAGE_MICRO_NOT_A_TEMP) {
      return "what is not in use was freed";
    }
    if (arena_.temps == 1 &&
        stowage_micro_arena_free_temp(
            &arena_, reinterpret_cast<void*>(arena_.temps_xor + 1)) !=
            STOWAGE_MICRO_NOT_A_TEMP) {
      return "what lies within the last temporary was freed";
    }
    if (arena_.temps != 0 && stowage_micro_arena_reset_temps(&arena_) !=
                                 STOWAGE_MICRO_TEMPS_IN_USE) {
      return "temporaries in use were reset";
    }
    if (stowage_micro_arena_resize(&arena_, AddressOf(1), 0, 1) !=
            STOWAGE_MICRO_BAD_BUFFER ||
        stowage_micro_arena_free_resizable(&arena_, nullptr) !=
            STOWAGE_MICRO_BAD_BUFFER) {
      return "another buffer was resized";
    }
    return nullptr;
  }

  const ArenaSequence& sequence_;
  void* memory_;
  uint32_t size_;
  bool is_made_;
  stowage_micro_arena arena_ = {};
  stowage_micro_arena_tally tally_ = {};
  uint32_t peak_ = 0;
};

// Whether an arena of `size` bytes grants what that of the sequence does.
bool IsSufficient(const ArenaSequence& sequence, void* memory, uint32_t size) {
  Replayer replayer(sequence, memory, size);
  for (uint32_t i = 0; i < sequence.first_unsound; ++i) {
    const ArenaCall& call = sequence.calls[i];
    // What an arena refuses, a smaller one may refuse otherwise, and it has
    // less available.
    if (call.answer == kRefused || call.op == ArenaOp::kAvailable) continue;
    const uint32_t answer = replayer.Answer(call);
    if (answer != call.answer && answer == kRefused &&
        call.op != ArenaOp::kFreeTemp) {
      return false;
    }
  }
  return true;
}

const char* CheckRequired(const ArenaSequence& sequence, void* memory,
                          const stowage_micro_arena& arena) {
  const uint32_t required = stowage_micro_arena_required_bytes(&arena);
  if (required > arena.size || required < arena.peak ||
      required - arena.peak >= arena.alignment) {
    return "required";
  }
  if (!IsSufficient(sequence, memory, required)) {
    return "the size required is not sufficient";
  }
  if (arena.peak > 0 && required >= arena.alignment &&
      IsSufficient(sequence, memory, required - arena.alignment)) {
    return "the size required is not necessary";
  }
  return nullptr;
}

}  // namespace

ReplayResult Replay(const ArenaSequence& sequence, void* memory) {
  ReplayResult result = {nullptr, 0, 0};
  Replayer replayer(sequence, memory, sequence.size);
  if (!replayer.is_made()) return {"there is no arena", 0, 0};
  for (; result.call < sequence.count; ++result.call) {
    const ArenaCall& call = sequence.calls[result.call];
    result.fault = replayer.TryRefusals();
    if (result.fault != nullptr) return result;
    if (result.call == sequence.first_unsound) {
      result.fault = replayer.TryUnsound(call);
      break;
    }
    const bool is_used = replayer.arena().temps > 0;
    const uint32_t answer = replayer.Answer(call);
    if (call.op == ArenaOp::kFreeTemp && !is_used) {
      if (answer != kRefused) result.fault = "what is not in use was freed";
      ++result.refused_frees;
    } else if (answer != call.answer) {
      result.fault = "answer";
    }
    if (result.fault == nullptr) result.fault = replayer.CheckNumbers(call);
    if (result.fault != nullptr) return result;
  }
  if (result.fault == nullptr) {
    result.fault = CheckRequired(sequence, memory, replayer.arena());
  }
  return result;
}

}  // namespace stowage::micro
