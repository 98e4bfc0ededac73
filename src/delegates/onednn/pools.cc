// SPDX-License-Identifier: Apache-2.0
// Describes AVERAGE_POOL_2D and MAX_POOL_2D, for floats and for bytes.
#include "src/delegates/onednn/operation.h"
#include "src/delegates/onednn/spatial.h"
#include "stowage/harness/window.h"

namespace stowage::harness::onednn {

absl::StatusOr<Operation> DescribePool(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckData({0}, true));
  STOWAGE_ASSIGN_OR_RETURN(const PoolOptions options,
                           PoolOptionsOf(node.spec()));
  const Tensor& input = node.input(0);
  if (input.rank() != 4) return Refuse("input 0: expected an image");
  STOWAGE_ASSIGN_OR_RETURN(const ImageWindow window,
                           MakeImageWindow(input.shape, options.padding,
                                           options.filter, options.stride));
  if (input.type != ElementType::kFloat32 &&
      options.activation != FusedActivation::kNone) {
    return Refuse("it has an activation; expected none for bytes");
  }
  STOWAGE_ASSIGN_OR_RETURN(const auto attributes,
                           MakeAttributes(node.output(), options.activation));
  const Spatial spatial(window);
  const bool is_mean = node.spec().name == "AVERAGE_POOL_2D";
  const auto from = ImageDesc(input);
  const auto to = ImageDesc(node.output());
  Operation operation;
  STOWAGE_ASSIGN_OR_RETURN(
      operation.primitive,
      MakePrimitive<dnnl::pooling_v2_forward>(
          node.engine(), attributes, dnnl::prop_kind::forward_inference,
          is_mean ? dnnl::algorithm::pooling_avg_exclude_padding
                  : dnnl::algorithm::pooling_max,
          from, to, spatial.strides, spatial.taps, spatial.dilations,
          spatial.before, spatial.after));
  operation.inputs = {node.Read(DNNL_ARG_SRC, 0, from)};
  operation.output = node.Written(to);
  return operation;
}

}  // namespace stowage::harness::onednn
