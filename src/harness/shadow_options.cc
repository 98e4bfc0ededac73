// SPDX-License-Identifier: Apache-2.0
#include "src/harness/shadow_options.h"

#include <cstdint>
#include <string>

#include "flatbuffers/flatbuffers.h"
#include "src/tflite/model_generated.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

std::string PackedOptionsOf(const OperatorSpec& spec) {
  const auto type = static_cast<tflite::BuiltinOptions>(spec.options_type);
  // Of others nothing is known, and nothing has been verified.
  if (spec.options == nullptr || type <= tflite::BuiltinOptions::NONE ||
      type > tflite::BuiltinOptions::MAX) {
    return "";
  }
  tflite::BuiltinOptionsUnion options;
  options.type = type;
  options.value =
      tflite::BuiltinOptionsUnion::UnPack(spec.options, type, nullptr);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(options.Pack(builder));
  const auto* const bytes =
      reinterpret_cast<const char*>(builder.GetBufferPointer());
  return {bytes, bytes + builder.GetSize()};
}

}  // namespace stowage::harness
