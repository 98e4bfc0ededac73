// SPDX-License-Identifier: Apache-2.0
// What a device recorded while it ran models in use: its plan and its arena.
// For models alone see tests/support/real_data.h.
//
//   for (const DeviceRecording& run : DeviceRecordings(*models, *golden)) ...
#ifndef STOWAGE_TESTS_TFLM_DEVICE_RECORDINGS_H_
#define STOWAGE_TESTS_TFLM_DEVICE_RECORDINGS_H_

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace stowage {

struct DeviceRecording {
  std::string path;  // of the model
  nlohmann::json manifest;
};

// Of the models under the first folder those that have a recording of an arena
// under the second: the values of STOWAGE_MODELS and STOWAGE_GOLDEN.
std::vector<DeviceRecording> DeviceRecordings(const std::string& models,
                                              const std::string& golden);

}  // namespace stowage

#endif  // STOWAGE_TESTS_TFLM_DEVICE_RECORDINGS_H_
