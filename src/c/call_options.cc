// SPDX-License-Identifier: Apache-2.0
#include "src/c/call_options.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/handles.h"
#include "stowage/base/status.h"
#include "stowage/c/solve.h"
#include "stowage/strategy.h"

namespace stowage::c_api {

void SetDefaults(stowage_options* options) {
  const SolveOptions defaults;
  options->threads = static_cast<uint32_t>(defaults.threads);
  options->strategy = nullptr;
  options->time_limit_ns = defaults.time_limit_ns;
  options->node_budget = STOWAGE_NONE;
  options->seed = defaults.seed;
  options->decide = 0;
  options->relax_to_boxes = 0;
  options->incumbent = nullptr;
  options->cancel = nullptr;
  options->progress = nullptr;
  options->keep_going = nullptr;
  options->context = nullptr;
}

const char* StrategyFor(const Problem& problem, const char* given) {
  if (given != nullptr) return given;
  return problem.kind() == PlanKind::kObjects ? "greedy_best" : "skyline";
}

bool CallerObserver::OnProgress(const SearchProgress& progress) {
  // Progress is not reported if plans have costs: a cheaper plan may have a
  // larger total, which would look like an error to a caller that does not see
  // the costs.
  if (options_.progress == nullptr || progress.cost) return true;
  stowage_progress out = {};
  out.struct_size = sizeof(out);
  out.total_size = progress.total_size;
  out.lower_bound = progress.lower_bound;
  out.nodes = progress.nodes;
  out.found_by = progress.found_by.c_str();
  int32_t end = 1;
  CallBack([&] { end = options_.progress(options_.context, &out); }, &thrown_);
  return thrown_.empty() && end == 0;
}

bool CallerObserver::KeepGoing() {
  if (is_cancelled_ != nullptr &&
      is_cancelled_->load(std::memory_order_relaxed)) {
    return false;
  }
  if (options_.keep_going == nullptr) return true;
  int32_t end = 1;
  CallBack([&] { end = options_.keep_going(options_.context); }, &thrown_);
  return thrown_.empty() && end == 0;
}

Status CallOptions::Read(const stowage_options* options, string_view name) {
  name_ = std::string(name);
  SetDefaults(&options_);
  if (options == nullptr) return OkStatus();
  Status s = CheckGiven(options, name);
  if (!s.ok()) return s;
  std::memcpy(&options_, options, sizeof(options_));
  s = CheckFlag(options_.decide, StrCat(name, "->decide"));
  if (s.ok()) {
    s = CheckFlag(options_.relax_to_boxes, StrCat(name, "->relax_to_boxes"));
  }
  if (s.ok() && options_.incumbent != nullptr) {
    s = CheckHandle(options_.incumbent, StrCat(name, "->incumbent"));
  }
  if (s.ok() && options_.cancel != nullptr) {
    s = CheckHandle(options_.cancel, StrCat(name, "->cancel"));
  }
  if (!s.ok()) return s;
  solve_options_.threads = options_.threads;
  solve_options_.time_limit_ns = options_.time_limit_ns;
  if (options_.node_budget != STOWAGE_NONE) {
    solve_options_.node_budget = options_.node_budget;
    solve_options_.time_limit_ns = kNoTimeLimit;
  }
  solve_options_.seed = options_.seed;
  solve_options_.decide = options_.decide == 1;
  solve_options_.relax_to_boxes = options_.relax_to_boxes == 1;
  if (options_.cancel != nullptr) {
    observer_.Watch(options_.cancel->is_cancelled);
  }
  if (observer_.is_needed()) solve_options_.observer = &observer_;
  if (options_.incumbent != nullptr) {
    incumbent_ = options_.incumbent->solution;
    solve_options_.incumbent = incumbent_.get();
  }
  return s;
}

Status CallOptions::CheckNoIncumbent() const {
  if (incumbent_ == nullptr) return OkStatus();
  return InvalidArgumentError(
      StrCat(name_,
             "->incumbent: not null; expected null, since this function has "
             "plans of its own"));
}

}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_options_init(stowage_options* options,
                                  stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckSized(options, "options");
    if (!s.ok()) return s;
    stowage_options defaults = {};
    c_api::SetDefaults(&defaults);
    c_api::WriteSized(defaults, options);
    return s;
  });
}

stowage_cancel_token* stowage_cancel_token_new(void) {
  return c_api::NewOrNull<stowage_cancel_token>();
}

void stowage_cancel_token_free(stowage_cancel_token* token) { delete token; }

void stowage_cancel(stowage_cancel_token* token) {
  if (token != nullptr) {
    token->is_cancelled->store(true, std::memory_order_relaxed);
  }
}

}  // extern "C"
