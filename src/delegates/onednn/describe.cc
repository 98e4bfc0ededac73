// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/string_view.h"
#include "src/delegates/onednn/operation.h"

namespace stowage::harness::onednn {
namespace {

struct Row {
  absl::string_view name;
  absl::StatusOr<Operation> (*describe)(const Node&);
};

constexpr Row kRows[] = {
    {"CONV_2D", DescribeConvolution},
    {"DEPTHWISE_CONV_2D", DescribeDepthwise},
    {"FULLY_CONNECTED", DescribeFullyConnected},
    {"AVERAGE_POOL_2D", DescribePool},
    {"MAX_POOL_2D", DescribePool},
    {"SOFTMAX", DescribeSoftmax},
    {"ADD", DescribeBinary},
    {"SUB", DescribeBinary},
    {"MUL", DescribeBinary},
    {"RELU", DescribeUnary},
    {"RELU6", DescribeUnary},
    {"RELU_N1_TO_1", DescribeUnary},
    {"LEAKY_RELU", DescribeUnary},
    {"HARD_SWISH", DescribeUnary},
    {"LOGISTIC", DescribeUnary},
    {"TANH", DescribeUnary},
};

}  // namespace

absl::StatusOr<Operation> Describe(const Node& node) {
  for (const Row& row : kRows) {
    if (!node.spec().is_custom && row.name == node.spec().name) {
      return row.describe(node);
    }
  }
  return Refuse(node.spec().TypeText(), " is not an operator of oneDNN");
}

}  // namespace stowage::harness::onednn
