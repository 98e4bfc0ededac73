// How fuzzers of models make one input of two. It comes with what they share,
// so none needs to say so.

#include <cstddef>
#include <cstdint>

#include "fuzz/engine.h"
#include "fuzz/model_mutator.h"

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2,
                                            uint8_t* out, size_t max_out_size,
                                            unsigned int seed) {
  return stowage::JoinModels({data1, size1}, {data2, size2}, seed,
                             {out, max_out_size});
}
