// SPDX-License-Identifier: Apache-2.0
// Declares the functions of a fuzzer that libFuzzer calls, and the function
// that libFuzzer provides to a fuzzer. In builds without libFuzzer, driver.cc
// replaces libFuzzer.
#ifndef STOWAGE_FUZZ_ENGINE_H_
#define STOWAGE_FUZZ_ENGINE_H_

#include <cstddef>
#include <cstdint>

extern "C" {

// Runs one input. Every fuzzer must define this function. It returns 0, or
// aborts the program if a check fails.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// LLVMFuzzerCustomMutator changes the first `size` bytes of `data`, which has
// room for `max_size` bytes, and returns the new size.
// LLVMFuzzerCustomCrossOver joins two inputs. A fuzzer that knows the structure
// of its input defines one or both of these functions; other fuzzers define
// neither.
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                               unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                 const uint8_t* data2, size_t size2,
                                 uint8_t* out, size_t max_out_size,
                                 unsigned int seed);

// Mutates bytes in the default way of the engine. Custom mutators may call this
// function.
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

}  // extern "C"

#endif  // STOWAGE_FUZZ_ENGINE_H_
