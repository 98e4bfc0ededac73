// Fills a tensor with one element, whatever its type.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_FILL_ELEMENTS_H_
#define STOWAGE_SRC_HARNESS_KERNELS_FILL_ELEMENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "stowage/harness/tensor.h"

namespace stowage::harness {

// `element` points to as many bytes as an element of the tensor has.
inline void FillElements(Tensor& tensor, const void* element) {
  if (tensor.bytes == 0) return;
  auto* const bytes = static_cast<uint8_t*>(tensor.data);
  size_t filled = ElementBytes(tensor.type);
  std::memcpy(bytes, element, filled);
  while (filled < tensor.bytes) {
    const size_t more = std::min(filled, tensor.bytes - filled);
    std::memcpy(bytes + filled, bytes, more);
    filled += more;
  }
}

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_FILL_ELEMENTS_H_
