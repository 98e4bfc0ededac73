// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/xnnpack/operation.h"

namespace stowage::harness::xnnpack {

absl::StatusOr<Operation> Describe(const Node& node) {
  for (const absl::Span<const DescribeRow> rows :
       {LinearRows(), ElementwiseRows(), ConvertRows(), ImageRows()}) {
    for (const DescribeRow& row : rows) {
      if (row.name == node.spec().name &&
          row.is_custom == node.spec().is_custom) {
        return row.describe(node);
      }
    }
  }
  return Refuse(node.spec().TypeText(), " is not an operator of XNNPACK");
}

}  // namespace stowage::harness::xnnpack
