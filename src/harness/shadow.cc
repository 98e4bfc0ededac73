// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/shadow.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"
#include "stowage/base/random.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Returns the options of a builtin operator as bytes that do not depend on
// their position in the file. Two operators have the same bytes if their
// options are equal in all fields that src/tflite/model.fbs defines. Returns an
// empty string if the model has no options or if the schema does not define
// their type. Kernels that read single options use OptionsOf
// (kernels/support.h) instead.
std::string PackedOptionsOf(const OperatorSpec& spec) {
  const auto type = static_cast<tflite::BuiltinOptions>(spec.options_type);
  // A newer model may have options of a type that is not in the schema. The
  // verifier of the file accepts such options without reading them, and the
  // generated code cannot unpack them.
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

// 2^64 divided by the golden ratio. The number is odd, so multiplication by it
// is a bijection.
constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;

// Returns the digest after another word has been added. If one argument is
// fixed, the result is a bijection of the other argument, so differences are
// never lost.
uint64_t Mix(uint64_t digest, uint64_t word) {
  return Random(digest ^ word).Next();
}

// Returns the digest of bytes, computed at the speed of memory: four lanes
// ensure that no multiplication has to wait for the previous one. Each step is
// a bijection of the lane if the word is fixed, and of the word if the lane is
// fixed. Two inputs that differ only within one word of eight bytes therefore
// always have different digests. Any other two inputs have equal digests with a
// probability of only 2^-64.
uint64_t DigestBytes(uint64_t seed, const uint8_t* data, size_t size) {
  constexpr size_t kLanes = 4;
  uint64_t lanes[kLanes] = {seed, seed + 1, seed + 2, seed + 3};
  const auto add = [&lanes](const uint8_t* block) {
    for (size_t i = 0; i < kLanes; ++i) {
      uint64_t word = 0;
      std::memcpy(&word, block + i * sizeof(word), sizeof(word));
      const uint64_t product = (lanes[i] ^ word) * kMultiplier;
      lanes[i] = (product << 32) | (product >> 32);
    }
  };
  constexpr size_t kBlock = kLanes * sizeof(uint64_t);
  size_t at = 0;
  for (; size - at >= kBlock; at += kBlock) add(data + at);
  if (at < size) {
    uint8_t last[kBlock] = {};
    std::memcpy(last, data + at, size - at);
    add(last);
  }
  uint64_t digest = Mix(seed, size);
  for (const uint64_t lane : lanes) digest = Mix(digest, lane);
  return digest;
}

uint64_t DigestText(uint64_t seed, absl::string_view text) {
  return DigestBytes(seed, reinterpret_cast<const uint8_t*>(text.data()),
                     text.size());
}

uint64_t DigestTensor(uint64_t seed, const Tensor& tensor) {
  if (tensor.data == nullptr || tensor.bytes == 0) {
    return Mix(Mix(seed, tensor.digest),
               static_cast<uint64_t>(tensor.resource));
  }
  return DigestBytes(seed, tensor.as<uint8_t>(), tensor.bytes);
}

uint64_t DigestInput(OperatorContext& context, uint64_t seed, size_t i) {
  const Tensor& input = context.input(i);
  const uint64_t digest = DigestTensor(seed, input);
  const Tensor* value = input.type == ElementType::kResource
                            ? context.resources().Get(input.resource)
                            : nullptr;
  return value == nullptr ? digest : DigestTensor(digest, *value);
}

// The bits in eight bytes of a tensor that a shadow may set freely (`mask`),
// and the values of all other bits (`rest`).
struct FreeBits {
  uint64_t mask = ~uint64_t{0};
  uint64_t rest = 0;
};

// Returns the free bits of elements of a type. In floating-point numbers, only
// the fraction is free. Therefore no number is 0, negative or NaN, and none is
// so small that it would be lost in a sum with another number.
FreeBits FreeBitsOf(ElementType type) {
  switch (type) {
    case ElementType::kBool:
      return {0x0101010101010101, 0};
    case ElementType::kFloat16:
      return {0x03FF03FF03FF03FF, 0x3800380038003800};
    case ElementType::kFloat32:
    case ElementType::kComplex64:
      return {0x007FFFFF007FFFFF, 0x3F0000003F000000};
    case ElementType::kFloat64:
    case ElementType::kComplex128:
      return {0x000FFFFFFFFFFFFF, 0x3FE0000000000000};
    default:
      return {};
  }
}

void WriteTensor(uint64_t key, Tensor* tensor) {
  tensor->digest = key;
  if (tensor->data == nullptr) return;
  const FreeBits bits = FreeBitsOf(tensor->type);
  Random random(key);
  auto* const data = tensor->as<uint8_t>();
  for (size_t at = 0; at < tensor->bytes; at += sizeof(uint64_t)) {
    const uint64_t word = (random.Next() & bits.mask) | bits.rest;
    std::memcpy(data + at, &word, std::min(sizeof(word), tensor->bytes - at));
  }
}

bool ShareBytes(const Tensor& a, const Tensor& b) {
  const auto begin_a = reinterpret_cast<uintptr_t>(a.data);
  const auto begin_b = reinterpret_cast<uintptr_t>(b.data);
  return begin_a < begin_b + b.bytes && begin_b < begin_a + a.bytes;
}

// One invocation of a shadow. It reads the inputs, writes the outputs, and then
// reads everything again that must not have changed. If an output or a
// temporary overlaps bytes that the operator still needs, the second digest
// differs from the first, and the outputs are written again with the second
// digest.
class Run {
 public:
  Run(OperatorContext* context, uint64_t salt)
      : context_(*context), salt_(salt), inputs_(context->input_count()) {}

  // Reads the inputs for which `is_known` returns false; the digests of all
  // other inputs have already been computed. Returns the digest of all inputs.
  template <typename IsKnown>
  uint64_t Read(IsKnown is_known) {
    uint64_t digest = salt_;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (context_.has_input(i) && !IsTemporary(i) && !is_known(i)) {
        inputs_[i] = DigestInput(context_, salt_ + i, i);
      }
      digest = Mix(digest, inputs_[i]);
    }
    return digest;
  }

  uint64_t ReadTemporaries(uint64_t digest) {
    for (size_t i = 0; i < context_.temporary_count(); ++i) {
      digest = DigestTensor(digest, context_.temporary(i));
    }
    return digest;
  }

  void WriteTemporaries(uint64_t digest) {
    for (size_t i = 0; i < context_.temporary_count(); ++i) {
      WriteTensor(Mix(digest, i), &context_.temporary(i));
    }
  }

  void WriteOutputs(uint64_t digest) {
    for (size_t i = 0; i < context_.output_count(); ++i) {
      if (context_.has_output(i)) {
        WriteTensor(Mix(digest, i), &context_.output(i));
      }
    }
  }

  void WriteVariables(uint64_t digest) {
    for (size_t i = 0; i < context_.input_count(); ++i) {
      if (context_.has_input(i) && context_.input(i).is_variable) {
        WriteTensor(Mix(digest, ~static_cast<uint64_t>(i)),
                    &context_.variable(i));
      }
    }
  }

 private:
  // Returns whether the input is one of the temporaries.
  bool IsTemporary(size_t input) {
    for (size_t i = 0; i < context_.temporary_count(); ++i) {
      if (&context_.temporary(i) == &context_.input(input)) return true;
    }
    return false;
  }

  OperatorContext& context_;
  uint64_t salt_;
  // The digests of the inputs; 0 for absent inputs.
  std::vector<uint64_t> inputs_;
};

}  // namespace

absl::Status ShadowKernel::Prepare(OperatorContext& context) {
  const OperatorSpec& spec = context.spec();
  salt_ = DigestText(spec.is_custom ? 1 : 0, spec.name);
  salt_ = Mix(salt_, static_cast<uint64_t>(spec.version));
  salt_ = DigestBytes(salt_, spec.custom_options.data(),
                      spec.custom_options.size());
  salt_ = DigestText(salt_, PackedOptionsOf(spec));
  return absl::OkStatus();
}

absl::Status ShadowKernel::Invoke(OperatorContext& context) {
  if (CopyUnmodified(context)) return absl::OkStatus();
  Run run(&context, salt_);
  const uint64_t read = run.Read([](size_t) { return false; });
  run.WriteTemporaries(read);
  const uint64_t digest = run.ReadTemporaries(read);
  run.WriteOutputs(digest);
  const uint64_t again = run.ReadTemporaries(
      run.Read([&](size_t i) { return MaySharePlace(context, i); }));
  if (again != digest) run.WriteOutputs(again);
  run.WriteVariables(again);
  return absl::OkStatus();
}

bool ShadowKernel::CopyUnmodified(OperatorContext& context) const {
  if (!HasFlag(in_place_, InPlace::kUnmodified) || !context.has_output(0)) {
    return false;
  }
  Tensor& output = context.output(0);
  for (size_t i = 0; i < std::size(kInPlaceInputs); ++i) {
    if (!HasFlag(in_place_, kInPlaceInputs[i]) || !context.has_input(i)) {
      continue;
    }
    const Tensor& input = context.input(i);
    if (input.bytes != output.bytes || input.data == nullptr ||
        output.data == nullptr) {
      return false;
    }
    // memmove is used because the tensors may overlap partially under an unsafe
    // plan.
    std::memmove(output.data, input.data, input.bytes);
    return true;
  }
  return false;
}

// Returns whether the outputs of the operator may legitimately overwrite the
// input. There are two cases: the input has the place of output 0 and may share
// memory with it, or the caller has placed the input and an output of a custom
// operator so that they share bytes, as compilers for accelerators do.
bool ShadowKernel::MaySharePlace(OperatorContext& context, size_t input) const {
  const auto is_laid_on = [&](size_t i) {
    return context.has_output(i) &&
           context.output(i).storage == Storage::kCustom &&
           ShareBytes(context.input(input), context.output(i));
  };
  if (context.spec().is_custom && context.has_input(input) &&
      context.input(input).storage == Storage::kCustom) {
    for (size_t i = 0; i < context.output_count(); ++i) {
      if (is_laid_on(i)) return true;
    }
  }
  return input < std::size(kInPlaceInputs) &&
         HasFlag(in_place_, kInPlaceInputs[input]) && context.has_output(0) &&
         context.output(0).data == context.input(input).data;
}

}  // namespace stowage::harness
