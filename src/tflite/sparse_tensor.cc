// SPDX-License-Identifier: Apache-2.0
#include "src/tflite/sparse_tensor.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"

namespace stowage {
namespace {

using Numbers = std::vector<size_t>;

absl::Status Invalid(absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("its sparsity: ", message));
}

template <typename T>
size_t SizeOf(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

// Reads a list of numbers, which may be unaligned in a corrupt file. Errors:
// InvalidArgument for more than `max_size` numbers, and for a negative number.
template <typename T>
absl::StatusOr<Numbers> ReadList(const flatbuffers::Vector<T>* list,
                                 size_t max_size, absl::string_view what) {
  const size_t size = SizeOf(list);
  if (size > max_size) {
    return Invalid(absl::StrCat(what, ": ", size, " numbers; expected at most ",
                                max_size));
  }
  Numbers numbers;
  numbers.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    T number = 0;
    std::memcpy(&number, list->Data() + i * sizeof(T), sizeof(T));
    if (number < T{0}) {
      return Invalid(absl::StrCat(what, ": number ", i, " is ", number,
                                  "; expected 0 or more"));
    }
    numbers.push_back(static_cast<size_t>(number));
  }
  return numbers;
}

absl::StatusOr<Numbers> ReadNumbers(tflite::SparseIndexVector type,
                                    const void* list, size_t max_size,
                                    absl::string_view what) {
  switch (list == nullptr ? tflite::SparseIndexVector::NONE : type) {
    case tflite::SparseIndexVector::Int32Vector:
      return ReadList(static_cast<const tflite::Int32Vector*>(list)->values(),
                      max_size, what);
    case tflite::SparseIndexVector::Uint16Vector:
      return ReadList(static_cast<const tflite::Uint16Vector*>(list)->values(),
                      max_size, what);
    case tflite::SparseIndexVector::Uint8Vector:
      return ReadList(static_cast<const tflite::Uint8Vector*>(list)->values(),
                      max_size, what);
    default:
      return Invalid(absl::StrCat(what, ": a list of type ",
                                  static_cast<int>(type),
                                  "; expected INT32, UINT16 or UINT8"));
  }
}

struct Level {
  size_t extent = 1;  // the number of coordinates
  size_t stride = 1;  // dense elements from one coordinate to the next
  bool is_sparse = false;
  // For a sparse level, the index of the first child of each node of the level
  // above.
  Numbers segments;
  // For a sparse level, the coordinates of all children.
  Numbers indices;
};

class Unpacker {
 public:
  Unpacker(const tflite::SparsityParameters& sparsity,
           absl::Span<const int32_t> shape, size_t dense_elements)
      : sparsity_(sparsity),
        shape_(shape.begin(), shape.end()),
        dense_elements_(dense_elements),
        block_sizes_(shape.size(), 1) {}

  // Returns the position in the dense tensor of each element, in the order of
  // the elements.
  absl::StatusOr<Numbers> Places(size_t elements);

 private:
  absl::Status ReadOrder();
  absl::Status ReadBlocks();
  absl::Status ReadLevels(size_t elements);
  absl::Status ReadSparseLevel(const tflite::DimensionMetadata& source,
                               absl::string_view place, size_t nodes,
                               Level* level) const;
  const tflite::DimensionMetadata& Metadata(size_t level) const {
    return *sparsity_.dim_metadata()->Get(
        static_cast<flatbuffers::uoffset_t>(level));
  }
  bool IsOfBlock(size_t level) const { return order_[level] >= shape_.size(); }
  // Returns the dimension of the tensor to which the level belongs. A level of
  // a block belongs to the dimension that is divided into blocks.
  size_t DimensionOf(size_t level) const {
    return IsOfBlock(level) ? block_map_[order_[level] - shape_.size()]
                            : order_[level];
  }

  const tflite::SparsityParameters& sparsity_;
  Numbers shape_;
  size_t dense_elements_;
  Numbers order_;  // the dimension of the tensor or block, for each level
  // block_map_[i] is the dimension of the tensor that is divided by dimension i
  // of the block.
  Numbers block_map_;
  Numbers block_sizes_;  // is indexed by dimension of the tensor
  std::vector<Level> levels_;
};

absl::Status Unpacker::ReadOrder() {
  absl::StatusOr<Numbers> blocks =
      ReadList(sparsity_.block_map(), shape_.size(), "block map");
  if (!blocks.ok()) return blocks.status();
  block_map_ = *std::move(blocks);
  const size_t levels = shape_.size() + block_map_.size();
  absl::StatusOr<Numbers> order =
      ReadList(sparsity_.traversal_order(), levels, "traversal order");
  if (!order.ok()) return order.status();
  order_ = *std::move(order);
  std::vector<bool> is_there(levels, false);
  for (const size_t dimension : order_) {
    if (dimension >= levels || is_there[dimension]) {
      return Invalid(absl::StrCat("traversal order: ", dimension,
                                  "; expected each of 0 to ", levels - 1,
                                  " once"));
    }
    is_there[dimension] = true;
  }
  if (order_.size() != levels || SizeOf(sparsity_.dim_metadata()) != levels) {
    return Invalid(absl::StrCat(
        order_.size(), " dimensions in traversal order and ",
        SizeOf(sparsity_.dim_metadata()), " with metadata; expected ", levels,
        ", for those of the shape and of the block map"));
  }
  return absl::OkStatus();
}

absl::Status Unpacker::ReadBlocks() {
  std::vector<bool> is_blocked(shape_.size(), false);
  for (const size_t dimension : block_map_) {
    if (dimension >= shape_.size() || is_blocked[dimension]) {
      return Invalid(absl::StrCat("block map: ", dimension,
                                  "; expected dimensions of the shape, each "
                                  "once at most"));
    }
    is_blocked[dimension] = true;
  }
  for (size_t level = 0; level < order_.size(); ++level) {
    if (!IsOfBlock(level)) continue;
    const tflite::DimensionMetadata& source = Metadata(level);
    const size_t extent = shape_[DimensionOf(level)];
    const int32_t size = source.dense_size();
    if (source.format() != tflite::DimensionType::DENSE || size < 1 ||
        extent % static_cast<size_t>(size) != 0) {
      return Invalid(absl::StrCat(
          "level ", level, ": a block of ", size, " along dimension ",
          DimensionOf(level), " of ", extent,
          "; expected a dense level whose size divides the dimension"));
    }
    block_sizes_[DimensionOf(level)] = static_cast<size_t>(size);
  }
  return absl::OkStatus();
}

// Reads the levels and counts the nodes of each level, so that a tree that does
// not match the tensor is rejected before anything is unpacked. Every count is
// limited by the lists in the file.
absl::Status Unpacker::ReadLevels(size_t elements) {
  Numbers strides(shape_.size(), 1);
  for (size_t i = shape_.size(); i > 1; --i) {
    strides[i - 2] = strides[i - 1] * shape_[i - 1];
  }
  size_t nodes = 1;
  for (size_t i = 0; i < order_.size(); ++i) {
    const size_t dimension = DimensionOf(i);
    const size_t block = block_sizes_[dimension];
    Level& level = levels_.emplace_back();
    level.extent = IsOfBlock(i) ? block : shape_[dimension] / block;
    level.stride = strides[dimension] * (IsOfBlock(i) ? 1 : block);
    const tflite::DimensionMetadata& source = Metadata(i);
    const std::string place = absl::StrCat("level ", i);
    if (source.format() == tflite::DimensionType::SPARSE_CSR) {
      absl::Status status = ReadSparseLevel(source, place, nodes, &level);
      if (!status.ok()) return status;
      nodes = level.indices.size();
    } else if (source.format() == tflite::DimensionType::DENSE) {
      if (source.dense_size() < 0 ||
          static_cast<size_t>(source.dense_size()) != level.extent) {
        return Invalid(absl::StrCat(place, ": its size is ",
                                    source.dense_size(), "; expected ",
                                    level.extent));
      }
      // The product cannot overflow, because it is at most the number of
      // elements of the dense tensor.
      nodes *= level.extent;
    } else {
      return Invalid(absl::StrCat(place, ": its format is ",
                                  static_cast<int>(source.format()),
                                  "; expected DENSE or SPARSE_CSR"));
    }
  }
  if (nodes != elements) {
    return Invalid(absl::StrCat("places for ", nodes,
                                " elements, and its buffer has ", elements,
                                "; expected equal counts"));
  }
  return absl::OkStatus();
}

absl::Status Unpacker::ReadSparseLevel(const tflite::DimensionMetadata& source,
                                       absl::string_view place, size_t nodes,
                                       Level* level) const {
  level->is_sparse = true;
  absl::StatusOr<Numbers> segments =
      ReadNumbers(source.array_segments_type(), source.array_segments(),
                  nodes + 1, absl::StrCat(place, ", segments"));
  if (!segments.ok()) return segments.status();
  absl::StatusOr<Numbers> indices =
      ReadNumbers(source.array_indices_type(), source.array_indices(),
                  dense_elements_, absl::StrCat(place, ", indices"));
  if (!indices.ok()) return indices.status();
  level->segments = *std::move(segments);
  level->indices = *std::move(indices);
  if (level->segments.size() != nodes + 1 || level->segments.front() != 0 ||
      level->segments.back() != level->indices.size()) {
    return Invalid(absl::StrCat(place, ": ", level->segments.size(),
                                " segment ends for ", level->indices.size(),
                                " indices; expected ", nodes + 1,
                                ", from 0 to the number of indices"));
  }
  for (size_t node = 0; node < nodes; ++node) {
    const size_t begin = level->segments[node];
    const size_t end = level->segments[node + 1];
    if (end < begin || end > level->indices.size()) {
      return Invalid(absl::StrCat(place, ": segment ", node, " is from ", begin,
                                  " to ", end, "; expected it within ",
                                  level->indices.size(), " indices"));
    }
    for (size_t i = begin; i < end; ++i) {
      const size_t index = level->indices[i];
      if (index < level->extent &&
          (i == begin || level->indices[i - 1] < index)) {
        continue;
      }
      return Invalid(absl::StrCat(place, ": index ", i, " is ", index,
                                  "; expected increasing ones below ",
                                  level->extent));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Numbers> Unpacker::Places(size_t elements) {
  absl::Status status = ReadOrder();
  if (status.ok()) status = ReadBlocks();
  if (status.ok()) status = ReadLevels(elements);
  if (!status.ok()) return status;
  Numbers places = {0};
  for (const Level& level : levels_) {
    Numbers children;
    for (size_t node = 0; node < places.size(); ++node) {
      const size_t begin = level.is_sparse ? level.segments[node] : 0;
      const size_t end =
          level.is_sparse ? level.segments[node + 1] : level.extent;
      for (size_t i = begin; i < end; ++i) {
        const size_t coordinate = level.is_sparse ? level.indices[i] : i;
        children.push_back(places[node] + coordinate * level.stride);
      }
    }
    places = std::move(children);
  }
  return places;
}

}  // namespace

absl::Status UnpackSparse(const tflite::SparsityParameters& sparsity,
                          absl::Span<const int32_t> shape, size_t element_bytes,
                          absl::Span<const uint8_t> elements,
                          absl::Span<uint8_t> dense) {
  if (element_bytes == 0 || elements.size() % element_bytes != 0) {
    return Invalid(absl::StrCat("its buffer has ", elements.size(),
                                " bytes; expected whole elements of ",
                                element_bytes));
  }
  const size_t count = elements.size() / element_bytes;
  if (dense.empty()) {
    if (count == 0) return absl::OkStatus();
    return Invalid(absl::StrCat(count, " elements; expected none"));
  }
  const absl::StatusOr<Numbers> places =
      Unpacker(sparsity, shape, dense.size() / element_bytes).Places(count);
  if (!places.ok()) return places.status();
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(dense.data() + (*places)[i] * element_bytes,
                elements.data() + i * element_bytes, element_bytes);
  }
  return absl::OkStatus();
}

}  // namespace stowage
