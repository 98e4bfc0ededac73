// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls, and what it offers to those it calls. In builds
// without it, driver.cc is in its place.
#ifndef STOWAGE_FUZZ_ENGINE_H_
#define STOWAGE_FUZZ_ENGINE_H_

#include <cstddef>
#include <cstdint>

extern "C" {

// Runs one input. Every fuzzer defines it; returns 0, or does not return.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Changes the first `size` bytes of `data`, which has room for `max_size`;
// returns the new size. For fuzzers that know more of their input than that it
// is bytes; the others define neither.
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                               unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                 const uint8_t* data2, size_t size2,
                                 uint8_t* out, size_t max_out_size,
                                 unsigned int seed);

// The engine's own mutation of bytes, for custom mutators to fall back on.
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

}  // extern "C"

#endif  // STOWAGE_FUZZ_ENGINE_H_
