// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a tensor are, and which outputs may take over those of an
// input: what operators say of their memory. When tensors need it: lifetimes.h.
#ifndef STOWAGE_TFLITE_STORAGE_H_
#define STOWAGE_TFLITE_STORAGE_H_

#include <cstdint>

namespace stowage {

// Where the bytes of a tensor are.
enum class Storage {
  kConstant,    // in the model: never written
  kArena,       // in the arena that the plan lays out, while it is live
  kPersistent,  // in the persistent arena, as long as the interpreter
  kDynamic,     // in memory of its own: its shape is known only while running
  kCustom,      // in memory of the caller's
  kNone,        // nowhere: it has no bytes, or is a handle to a resource
};

// How the first output may share the memory of an input: the first of the
// inputs named that qualifies does (docs/arena.md). Flags.
enum class InPlace : uint8_t {
  kNever = 0,
  // The output has the input's very bytes: RESHAPE. Where it lies in place its
  // operator writes nothing, for others may be reading there.
  kUnmodified = 1,
  kInput0 = 4,
  kInput1 = 8,
  kInput2 = 16,
};
constexpr InPlace operator|(InPlace a, InPlace b) {
  return static_cast<InPlace>(static_cast<uint8_t>(a) |
                              static_cast<uint8_t>(b));
}
constexpr bool HasFlag(InPlace flags, InPlace flag) {
  return (static_cast<uint8_t>(flags) & static_cast<uint8_t>(flag)) != 0;
}

}  // namespace stowage

#endif  // STOWAGE_TFLITE_STORAGE_H_
