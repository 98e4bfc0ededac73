// SPDX-License-Identifier: Apache-2.0
// Computes the rows of the table of adapters. Each adapter plans the records of
// a trace in the same way as for its host. The planner of the host is replaced
// by a model of it, tests/adapters/NAME_host.h.
#ifndef STOWAGE_BENCH_ADAPTER_ROWS_H_
#define STOWAGE_BENCH_ADAPTER_ROWS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "stowage/usage_record.h"

namespace stowage::bench {

// Holds the records of one trace. Every plan aligns offsets to 64 bytes.
struct AdapterInput {
  std::string name;
  std::vector<ByteRecord> records;
};

// Holds the result for one input.
struct AdapterRow {
  size_t host_total = 0;  // bytes, by the host's planner alone
  size_t total = 0;       // bytes, by the adapter
  size_t bound = 0;       // bytes; no plan is smaller
  double host_us = 0;     // the time of the host's planner alone
  double us = 0;  // the time of the adapter, the host's planner included
};

// Returns the shortest time of 5 runs, in microseconds.
inline double MicrosecondsOf(const std::function<void()>& work) {
  double least = 0;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    if (i == 0 || time.count() < least) least = time.count();
  }
  return least;
}

// Each of these functions measures one adapter. The function of the adapter
// NAME is defined in adapter_rows_NAME.cc.
AdapterRow GgmlRow(const AdapterInput& input);
AdapterRow MlirRow(const AdapterInput& input);
AdapterRow NativertRow(const AdapterInput& input);
AdapterRow OpenvinoRow(const AdapterInput& input);
AdapterRow XlaRow(const AdapterInput& input);

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_ADAPTER_ROWS_H_
