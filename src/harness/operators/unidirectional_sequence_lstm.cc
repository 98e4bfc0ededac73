// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM: a long short-term memory over a sequence, of
// floats in all its variants (lstm.h), or of integers in the plain one. Input
// [batch, time, inputs], or [time, batch, inputs] if it is time-major; output
// likewise. The output of the last step and the cell are variables.
#include <algorithm>

#include "src/harness/kernels/lstm.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"

namespace stowage::harness::unidirectional_sequence_lstm {
namespace {

class UnidirectionalSequenceLstm : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 24, 1));
    STOWAGE_RETURN_IF_ERROR(ReadOptions(context.spec()));
    STOWAGE_ASSIGN_OR_RETURN(shape_, CheckLstmInputs(context, is_time_major_));
    is_float_ = context.input(lstm_input::kInput).type == ElementType::kFloat32;
    if (!is_float_) {
      STOWAGE_ASSIGN_OR_RETURN(factors_, MakeLstmFactors(context, cell_clip_));
    }
    STOWAGE_ASSIGN_OR_RETURN(
        tile_, NewTile(context,
                       std::max({shape_.inputs, shape_.cells, shape_.outputs}),
                       is_float_));
    STOWAGE_ASSIGN_OR_RETURN(
        values_, context.AddTemporary(
                     is_float_ ? ElementType::kFloat32 : ElementType::kInt16,
                     {static_cast<int32_t>(kLstmGates),
                      static_cast<int32_t>(shape_.batches),
                      static_cast<int32_t>(shape_.cells)}));
    Shape output = context.input(lstm_input::kInput).shape;
    output[2] = static_cast<int32_t>(shape_.outputs);
    return context.ResizeOutput(0, output);
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (context.output(0).bytes == 0) return absl::OkStatus();
    Tensor& values = context.temporary(values_);
    if (is_float_) {
      RunFloatLstm(context, {context, shape_, tile_, values.as<float>()},
                   cell_clip_, projection_clip_);
    } else {
      RunIntegerLstm(context, {context, shape_, tile_, values.as<int16_t>()},
                     factors_);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ReadOptions(const OperatorSpec& spec) {
    STOWAGE_ASSIGN_OR_RETURN(
        const auto* const options,
        OptionsOf<tflite::UnidirectionalSequenceLSTMOptions>(spec));
    const auto activation = options->fused_activation_function();
    if (activation != tflite::ActivationFunctionType::TANH) {
      return RefuseModel("its activation is number ",
                         static_cast<int>(activation), ": expected TANH");
    }
    if (options->diagonal_recurrent_tensors()) {
      return RefuseModel(
          "its recurrent weights are diagonal: expected matrices");
    }
    is_time_major_ = options->time_major();
    cell_clip_ = options->cell_clip();
    projection_clip_ = options->proj_clip();
    return absl::OkStatus();
  }

  bool is_time_major_ = false;
  float cell_clip_ = 0;
  float projection_clip_ = 0;
  LstmShape shape_;
  bool is_float_ = true;
  LstmFactors factors_;  // of integers
  void* tile_ = nullptr;
  size_t values_ = 0;  // temporary: [gates, batches, cells]
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<UnidirectionalSequenceLstm>(
              "UNIDIRECTIONAL_SEQUENCE_LSTM",
              "a long short-term memory over a sequence, of floats "
              "in all its variants (lstm.h), or of integers in the "
              "plain one")
              .OfVersions(1, 4)};
}

}  // namespace stowage::harness::unidirectional_sequence_lstm
