// SPDX-License-Identifier: Apache-2.0
// Writes plans as event traces for trace viewers, in two formats: Chrome's
// JSON, which speedscope and Perfetto can read, and Perfetto's protobuf, which
// is smaller and exact. To draw bytes at their offsets, use page.h or svg.h.
//
//   absl::StatusOr<std::string> events = views::FormatTraceEvents(
//       {view}, views::TraceEventFormat::kJson);
//   if (events.ok()) WriteFile("plan.json", *events).IgnoreError();
//
// Each plan is a process. A tensor is a slice from the beginning of its first
// task to the end of its last task. No two slices on one track overlap:
//
//   plan.csv                       shared objects: a track for each object
//     arena live    __/--\__       offsets: lanes, by interval coloring in the
//     arena unused  --\__/--       order of tasks, separate for each pool
//     operators     [CONV][RELU]
//     lane 1        [a ][c     ]
//     lane 2          [b  ]
//
// Each task lasts 1 microsecond, or its measured time.
#ifndef STOWAGE_VIEWS_TRACE_EVENTS_H_
#define STOWAGE_VIEWS_TRACE_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/explain/plan_view.h"
#include "stowage/write_text.h"

namespace stowage::views {

enum class TraceEventFormat {
  kJson,      // is trace-event JSON
  kPerfetto,  // has TrackEvent packets in protobuf
};

struct TraceEventOptions {
  // The maximum number of lanes that are shown for an arena or a pool, and the
  // maximum number of shared objects that are shown; at least 1. If more
  // tensors are live at once, the smallest tensors are left out. If there are
  // more objects, the smallest objects are left out with all their tensors. The
  // track "not shown" has the number of tensors and bytes that are left out.
  size_t lanes = 64;
  // The measured time of each operator, by task; 0 counts as 1 ns. Tasks beyond
  // the end of the list last 1,000 ns.
  std::vector<uint64_t> task_nanoseconds = {};
};

// Returns the format for the extension of a file name: .json, .pftrace or
// .perfetto-trace. Error: InvalidArgument for any other extension.
absl::StatusOr<TraceEventFormat> TraceEventFormatOf(absl::string_view path);

// Writes the events of the plans. All text is UTF-8 even if names are not; an
// id that is UTF-8 is written unchanged in the argument `id`. The violation of
// an unsafe plan is on the track "unsafe". Errors: InvalidArgument if there are
// no plans or no lanes; OutOfRange if the last task ends after 2^63 - 1 ns; the
// first error of `write`. O(n log n) for n records.
absl::Status WriteTraceEvents(absl::Span<const PlanView> plans,
                              TraceEventFormat format,
                              const TraceEventOptions& options,
                              const WriteText& write);

// Returns the output of WriteTraceEvents as one string.
absl::StatusOr<std::string> FormatTraceEvents(
    absl::Span<const PlanView> plans, TraceEventFormat format,
    const TraceEventOptions& options = {});

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_TRACE_EVENTS_H_
