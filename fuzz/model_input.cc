// SPDX-License-Identifier: Apache-2.0
#include "fuzz/model_input.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/model_mutator.h"
#include "stowage/tflite/model.h"

namespace stowage {

std::unique_ptr<const Model> ParseModelInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Parse(bytes, "fuzz.tflite");
  if (model.ok()) return *std::move(model);
  Check(absl::IsInvalidArgument(model.status()), model.status().ToString());
  return nullptr;
}

}  // namespace stowage

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2,
                                            uint8_t* out, size_t max_out_size,
                                            unsigned int seed) {
  return stowage::JoinModels({data1, size1}, {data2, size2}, seed,
                             {out, max_out_size});
}
