// Where a kernel keeps its tile (tile.h): persistent memory, as a temporary
// would take a place in the plan of the graph.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_TILE_MEMORY_H_
#define STOWAGE_SRC_HARNESS_KERNELS_TILE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/harness/kernels/tile.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {

class TileMemory {
 public:
  // Makes room for a tile of floats or one of integers. Errors: those of
  // NewPersistent; ResourceExhausted for a depth beyond any memory.
  absl::Status Prepare(OperatorContext& context, int64_t depth, bool is_float) {
    if (depth > int64_t{1} << 48) {
      return absl::ResourceExhaustedError(
          absl::StrCat("its filters have ", depth,
                       " elements each: expected no more than memory holds"));
    }
    return is_float ? New(context, depth * kFloatRows, floats_)
                    : New(context, depth * kIntegerRows, integers_);
  }

  // The tile for inputs of type T.
  template <typename T>
  auto* For() const {
    if constexpr (std::is_same_v<T, float>) {
      return floats_.data();
    } else {
      return integers_.data();
    }
  }

 private:
  template <typename Cell>
  static absl::Status New(OperatorContext& context, int64_t count,
                          absl::Span<Cell>& to) {
    const absl::StatusOr<absl::Span<Cell>> cells =
        context.NewPersistent<Cell>(static_cast<size_t>(count));
    if (!cells.ok()) return cells.status();
    to = *cells;
    return absl::OkStatus();
  }

  absl::Span<float> floats_;
  absl::Span<int16_t> integers_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_TILE_MEMORY_H_
