// SPDX-License-Identifier: Apache-2.0
#include "src/command/json.h"

#include <string>

#include "absl/time/time.h"

namespace stowage::cli {

std::string Dump(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

double Micros(absl::Duration time) {
  return static_cast<double>(absl::ToInt64Nanoseconds(time)) / 1e3;
}

}  // namespace stowage::cli
