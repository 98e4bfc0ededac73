// SPDX-License-Identifier: Apache-2.0
#include "tests/tflm/device_recordings.h"

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "tests/support/real_data.h"

namespace stowage {

std::vector<DeviceRecording> DeviceRecordings(const std::string& models,
                                              const std::string& golden) {
  std::vector<DeviceRecording> recordings;
  for (const std::string& path : support::FilesIn(models, ".tflite")) {
    const std::string file = path.substr(path.rfind('/') + 1);
    const absl::string_view name = absl::StripSuffix(file, ".tflite");
    std::ifstream recorded(
        absl::StrCat(golden, "/", name, "/seed1/manifest.json"));
    if (!recorded) continue;
    nlohmann::json manifest = nlohmann::json::parse(recorded);
    if (!manifest.contains("arena")) continue;
    recordings.push_back({path, std::move(manifest)});
  }
  return recordings;
}

}  // namespace stowage
