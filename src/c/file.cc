// SPDX-License-Identifier: Apache-2.0
// Reads and writes problems, as files and as text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/handles.h"
#include "src/c/pass_on.h"
#include "src/c/plans.h"
#include "src/io/read_json.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/c/verify.h"
#include "stowage/io/problem_file.h"
#include "stowage/io/write_file.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

stowage_file::stowage_file(stowage::ProblemFile read)
    : file(std::move(read)),
      offsets(OffsetsOf(file.problem, file.plan)),
      objects(ObjectsOf(file.problem, file.plan)) {}

namespace stowage::c_api {
namespace {

Status HandOver(StatusOr<ProblemFile> read, stowage_file** file) {
  if (!read.ok()) return read.status();
  *file = new stowage_file(*std::move(read));
  return OkStatus();
}

bool IsJson(string_view text) {
  return problem_file::IsProblem(
      text.substr(0, problem_file::kProblemStartBytes));
}

std::unique_ptr<stowage_builder> BuilderOf(const ProblemFile& file) {
  auto builder = std::make_unique<stowage_builder>();
  builder->spec = file.problem;
  builder->has_records = true;
  const UserLists* users = nullptr;
  if (builder->spec.free_order) {
    builder->order = OrderKind::kFree;
    builder->tasks = file.problem.free_order->tasks;
    builder->edges = file.problem.free_order->edges;
    users = &file.problem.free_order->users;
    builder->spec.free_order.reset();
  } else if (builder->spec.constraints.order) {
    builder->order = OrderKind::kFromFile;
    users = &file.problem.constraints.users;
  }
  for (size_t i = 0; users != nullptr && i < users->size(); ++i) {
    builder->users.emplace_back((*users)[i].begin(), (*users)[i].end());
  }
  return builder;
}

StatusOr<stowage_plan> PlanOf(const stowage_file& file, uint32_t kind) {
  if (Status s = CheckFlag(kind, "kind"); !s.ok()) return s;
  stowage_plan view = {};
  if (kind == STOWAGE_OFFSETS) {
    if (!file.offsets.ok()) return file.offsets.status();
    view = ViewOf(*file.offsets);
  } else {
    if (!file.objects.ok()) return file.objects.status();
    view = ViewOf(*file.objects);
  }
  const std::vector<TaskId>& order = file.file.plan.execution_order;
  if (!order.empty()) {
    view.order = order.data();
    view.order_count = order.size();
  }
  return view;
}

// Sets the interval of every record to the bounding interval of the tasks that
// use the record, because files contain these intervals even if the order of
// the tasks is free.
void BoundUsers(ProblemSpec* spec) {
  for (size_t i = 0; spec->free_order && i < spec->records.size(); ++i) {
    const auto users = spec->free_order->users[i];
    const auto [first, last] = std::minmax_element(users.begin(), users.end());
    spec->records[i].first_task = *first;
    spec->records[i].last_task = *last;
  }
}

// Returns a problem and its plan as text. Records without names are identified
// by their numbers.
StatusOr<std::string> TextOf(const stowage_problem* problem,
                             const stowage_plan* plan, uint32_t format) {
  Status s = CheckHandle(problem, "problem");
  if (s.ok()) s = CheckFlag(format, "format");
  if (!s.ok()) return s;
  ProblemFile file;
  file.problem = problem->problem.ToSpec();
  file.problem.kind = PlanKind::kOffsets;
  BoundUsers(&file.problem);
  for (size_t i = file.problem.names.size(); i < problem->problem.size(); ++i) {
    file.problem.names.push_back(StrCat(i));
  }
  if (plan != nullptr) {
    const auto solution = SolutionOf(problem->problem, plan);
    if (!solution.ok()) return solution.status();
    file.plan = FilePlanOf(*solution);
  }
  return format == STOWAGE_JSON ? FormatProblemJson(file)
                                : FormatProblemCsv(file);
}

}  // namespace

std::string FileAt(const char* path) {
  return path == std::string("-") ? "./-" : path;
}

Status PassOn(string_view text, stowage_write_fn write, void* context) {
  std::string thrown;
  int32_t end = 1;
  CallBack([&] { end = write(context, text.data(), text.size()); }, &thrown);
  if (!thrown.empty()) return InternalError(thrown);
  if (end == 0) return OkStatus();
  return CancelledError("write: stopped by the caller's function");
}

}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_file_read(const char* path, stowage_file** file,
                               stowage_error* error) {
  if (file != nullptr) *file = nullptr;
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckPointer(path, "path");
    if (s.ok()) s = c_api::CheckPointer(file, "file");
    return s.ok() ? c_api::HandOver(stowage::ReadProblemFile(path), file) : s;
  });
}

stowage_code stowage_file_parse(const char* text, size_t size, const char* name,
                                stowage_file** file, stowage_error* error) {
  if (file != nullptr) *file = nullptr;
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckArray(text, size, "text");
    if (s.ok()) s = c_api::CheckPointer(name, "name");
    if (s.ok()) s = c_api::CheckPointer(file, "file");
    if (!s.ok()) return s;
    const stowage::string_view all(size == 0 ? "" : text, size);
    return c_api::HandOver(c_api::IsJson(all)
                               ? stowage::ParseProblemJson(all, name)
                               : stowage::ParseProblemCsv(all, name),
                           file);
  });
}

void stowage_file_free(stowage_file* file) { delete file; }

stowage_code stowage_file_builder(const stowage_file* file,
                                  stowage_builder** builder,
                                  stowage_error* error) {
  if (builder != nullptr) *builder = nullptr;
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(file, "file");
    if (s.ok()) s = c_api::CheckPointer(builder, "builder");
    if (s.ok()) *builder = c_api::BuilderOf(file->file).release();
    return s;
  });
}

stowage_code stowage_file_plan(const stowage_file* file, uint32_t kind,
                               stowage_plan* plan, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(file, "file");
    if (s.ok()) s = c_api::CheckSized(plan, "plan");
    if (!s.ok()) return s;
    const auto view = c_api::PlanOf(*file, kind);
    if (!view.ok()) return view.status();
    c_api::WriteSized(*view, plan);
    return s;
  });
}

stowage_code stowage_write_problem(const stowage_problem* problem,
                                   const stowage_plan* plan, uint32_t format,
                                   stowage_write_fn write, void* context,
                                   stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    if (write == nullptr) {
      return stowage::InvalidArgumentError("write: null; expected a function");
    }
    const auto text = c_api::TextOf(problem, plan, format);
    return text.ok() ? c_api::PassOn(*text, write, context) : text.status();
  });
}

stowage_code stowage_save_problem(const stowage_problem* problem,
                                  const stowage_plan* plan, uint32_t format,
                                  const char* path, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckPointer(path, "path");
    if (!s.ok()) return s;
    const auto text = c_api::TextOf(problem, plan, format);
    return text.ok() ? stowage::WriteFile(c_api::FileAt(path), *text)
                     : text.status();
  });
}

}  // extern "C"
