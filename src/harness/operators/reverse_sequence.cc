// SPDX-License-Identifier: Apache-2.0
// Registers REVERSE_SEQUENCE. The input consists of batches, which are
// sequences of different lengths, padded to the longest. Input 1 contains the
// length of each sequence. That many elements at the beginning of the sequence
// are reversed, and the remaining elements are copied unchanged.
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::reverse_sequence {
namespace {

class ReverseSequence : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, IndexTypes()));
    STOWAGE_ASSIGN_OR_RETURN(
        const auto* options,
        OptionsOf<tflite::ReverseSequenceOptions>(context));
    const Tensor& input = context.input(0);
    STOWAGE_ASSIGN_OR_RETURN(const int sequence,
                             ResolveAxis(options->seq_dim(), input.rank()));
    STOWAGE_ASSIGN_OR_RETURN(const int batch,
                             ResolveAxis(options->batch_dim(), input.rank()));
    if (sequence == batch) {
      return RefuseModel("sequences and batches are both along dimension ",
                         batch, "; expected two dimensions");
    }
    sequence_ = static_cast<size_t>(sequence);
    batch_ = static_cast<size_t>(batch);
    if (context.input(1).shape != Shape{input.shape[batch_]}) {
      return RefuseModel(InputPlace(context, 1), ": its shape is ",
                         ShapeText(context.input(1).shape), "; expected [",
                         input.shape[batch_], "], a length for each batch");
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const auto lengths, IntegersOf(context, 1));
    const Tensor& input = context.input(0);
    const int64_t longest = input.shape[sequence_];
    for (const int64_t length : lengths) {
      if (length >= 0 && length <= longest) continue;
      return RefuseModel(InputPlace(context, 1), ": it has a length of ",
                         length, "; expected 0 to ", longest);
    }
    if (input.bytes == 0) return absl::OkStatus();
    const std::vector<int64_t> strides = Strides(input.shape);
    std::vector<BoxCopy::Axis> axes = ZipAxes(input.shape, strides, strides);
    const int64_t step = strides[sequence_];
    const auto copy = [&](int64_t extent, int64_t from_step, int64_t from,
                          int64_t to) {
      axes[sequence_] = {extent, from_step, step};
      BoxCopy(axes, from, to)
          .Run(input.data, context.output(0).data, ElementBytes(input.type));
    };
    axes[batch_].extent = 1;
    for (size_t b = 0; b < lengths.size(); ++b) {
      const int64_t start = static_cast<int64_t>(b) * strides[batch_];
      const int64_t length = lengths[b];
      copy(length, -step, start + (length - 1) * step, start);
      copy(longest - length, step, start + length * step,
           start + length * step);
    }
    return absl::OkStatus();
  }

 private:
  size_t sequence_ = 0;  // the dimension along which a sequence lies
  size_t batch_ = 0;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<ReverseSequence>("REVERSE_SEQUENCE",
                                    "the first elements of each sequence in "
                                    "reverse order, as many as input 1 says")};
}

}  // namespace stowage::harness::reverse_sequence
