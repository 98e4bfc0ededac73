// SPDX-License-Identifier: Apache-2.0
// Registers EMBEDDING_LOOKUP, which returns rows of a table: the slices of
// input 1 at the indices in input 0. If the table is INT8 and the output is
// FLOAT32, the rows are dequantized.
#include <cstring>

#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::embedding_lookup {
namespace {

class EmbeddingLookup : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, {ElementType::kInt32}));
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 1, 1, INT32_MAX));
    const Tensor& table = context.input(1);
    is_hybrid_ = table.type == ElementType::kInt8 &&
                 context.output(0).type == ElementType::kFloat32;
    STOWAGE_RETURN_IF_ERROR(is_hybrid_ ? CheckScales(context)
                                       : CheckMovable(context, 1));
    Shape shape = table.shape;
    shape[0] = context.input(0).dim(0);
    return context.ResizeOutput(0, shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& table = context.input(1);
    Tensor& output = context.output(0);
    const auto rows = context.input(0).span<int32_t>();
    for (size_t i = 0; i < rows.size(); ++i) {
      const int32_t row = rows[i];
      if (row < 0 || row >= table.dim(0)) {
        return RefuseModel("index ", row, " is out of range; expected ",
                           IndexRange(table.dim(0)));
      }
      if (output.bytes == 0) continue;
      const size_t bytes = output.bytes / rows.size();
      uint8_t* const to = output.as<uint8_t>() + i * bytes;
      if (is_hybrid_) {
        Dequantize(table, static_cast<size_t>(row), bytes / sizeof(float), to);
      } else {
        std::memcpy(to, table.as<uint8_t>() + static_cast<size_t>(row) * bytes,
                    bytes);
      }
    }
    return absl::OkStatus();
  }

 private:
  // Checks that the table has one scale, or one scale for each row.
  static absl::Status CheckScales(const OperatorContext& context) {
    const Tensor& table = context.input(1);
    const Quantization& q = table.quantization;
    if (q.scales.size() <= 1) return CheckInputQuantized(context, 1);
    if (q.dimension == 0 && q.scales.size() == q.zero_points.size() &&
        q.scales.size() == static_cast<size_t>(table.dim(0))) {
      return absl::OkStatus();
    }
    return RefuseModel(InputPlace(context, 1), ": it has ", q.scales.size(),
                       " scales along dimension ", q.dimension,
                       " and the shape ", ShapeText(table.shape),
                       "; expected one for each row");
  }

  static void Dequantize(const Tensor& table, size_t row, size_t count,
                         uint8_t* to) {
    const Quantization& q = table.quantization;
    const size_t channel = q.scales.size() > 1 ? row : 0;
    const float scale = q.scales[channel];
    const int64_t zero = q.zero_points.empty() ? 0 : q.zero_points[channel];
    const int8_t* const from = table.as<int8_t>() + row * count;
    auto* const real = reinterpret_cast<float*>(to);
    for (size_t i = 0; i < count; ++i) {
      real[i] = static_cast<float>(from[i] - zero) * scale;
    }
  }

  bool is_hybrid_ = false;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<EmbeddingLookup>(
              "EMBEDDING_LOOKUP",
              "the rows of input 1 at the indices in input 0, dequantized if "
              "the output is FLOAT32 and the table INT8")
              .OfVersions(1, 3)};
}

}  // namespace stowage::harness::embedding_lookup
