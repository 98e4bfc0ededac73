// SPDX-License-Identifier: Apache-2.0
// Finds recordings of a device that ran real models. A recording contains the
// plans and the arenas of the device. To read only the models, use
// tests/support/real_data.h.
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

// Returns the recordings of arenas in the folder `golden` (STOWAGE_GOLDEN) that
// belong to models in the folder `models` (STOWAGE_MODELS).
std::vector<DeviceRecording> DeviceRecordings(const std::string& models,
                                              const std::string& golden);

}  // namespace stowage

#endif  // STOWAGE_TESTS_TFLM_DEVICE_RECORDINGS_H_
