// SPDX-License-Identifier: Apache-2.0
// Declares the size types of TensorFlow Lite's GPU delegate, so that tests of
// the adapter do not need the headers of the delegate.
#ifndef STOWAGE_TESTS_ADAPTERS_TFLITE_GPU_HOST_H_
#define STOWAGE_TESTS_ADAPTERS_TFLITE_GPU_HOST_H_

#include <cstdint>

namespace tflite::gpu {

struct uint2 {  // NOLINT(readability-identifier-naming): the host's name
  uint2() = default;
  uint2(uint32_t width, uint32_t height) : x(width), y(height) {}
  uint32_t x = 0;
  uint32_t y = 0;
};

struct uint3 {  // NOLINT(readability-identifier-naming): the host's name
  uint3() = default;
  uint3(uint32_t width, uint32_t height, uint32_t depth)
      : x(width), y(height), z(depth) {}
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;
};

struct BHWC {
  BHWC() = default;
  BHWC(int32_t batch, int32_t height, int32_t width, int32_t channels)
      : b(batch), h(height), w(width), c(channels) {}
  int32_t b = 0;
  int32_t h = 0;
  int32_t w = 0;
  int32_t c = 0;
};

// Describes a tensor. Descriptors can be tested for equality, but have no size
// that could be compared.
struct TensorDescriptor {
  int data_type = 0;
  int storage = 0;
  bool operator==(const TensorDescriptor& other) const {
    return data_type == other.data_type && storage == other.storage;
  }
};

}  // namespace tflite::gpu

#endif  // STOWAGE_TESTS_ADAPTERS_TFLITE_GPU_HOST_H_
