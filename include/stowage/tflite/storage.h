// SPDX-License-Identifier: Apache-2.0
// Defines the kinds of memory that hold tensors, and the ways in which an
// output may take over the memory of an input. To compute when tensors need
// memory, use lifetimes.h.
#ifndef STOWAGE_TFLITE_STORAGE_H_
#define STOWAGE_TFLITE_STORAGE_H_

#include <cstdint>

namespace stowage {

// The memory that holds the bytes of a tensor.
enum class Storage {
  kConstant,    // is in the model, and is never written
  kArena,       // is in the arena that the plan lays out, while it is live
  kPersistent,  // is in the persistent arena, as long as the interpreter exists
  // The tensor is allocated separately, because its shape is known only at run
  // time.
  kDynamic,
  kCustom,  // is in memory provided by the caller
  kNone,    // is nowhere, since it has no bytes or is a handle to a resource
};

// Flags for the inputs that may share their memory with the first output. If
// several flags are set, the first of these inputs that can share its memory
// does so (docs/arena.md).
enum class InPlace : uint8_t {
  kNever = 0,
  // The output has exactly the bytes of the input, as for RESHAPE. If the
  // output is in the memory of the input, the operator must not write the
  // output, since other operators may read this memory at the same time.
  kUnmodified = 1,
  kInput0 = 4,
  kInput1 = 8,
  kInput2 = 16,
};
constexpr InPlace operator|(InPlace a, InPlace b) {
  return static_cast<InPlace>(static_cast<uint8_t>(a) |
                              static_cast<uint8_t>(b));
}
// The flag of each input that may share its memory with output 0, by index of
// the input.
inline constexpr InPlace kInPlaceInputs[] = {InPlace::kInput0, InPlace::kInput1,
                                             InPlace::kInput2};
constexpr bool HasFlag(InPlace flags, InPlace flag) {
  return (static_cast<uint8_t>(flags) & static_cast<uint8_t>(flag)) != 0;
}

}  // namespace stowage

#endif  // STOWAGE_TFLITE_STORAGE_H_
