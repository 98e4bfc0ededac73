// SPDX-License-Identifier: Apache-2.0
// Implements the functions of stowage/c/cache.h, which keep plans in a cache.
#include "stowage/c/cache.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "src/c/border.h"
#include "src/c/call_options.h"
#include "src/c/handles.h"
#include "src/c/pass_on.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/io/plans_file.h"
#include "stowage/plan_cache.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::c_api {
namespace {

Status CheckCache(const stowage_plan_cache* cache) {
  return CheckHandle(cache, "cache");
}

Status Get(const stowage_plan_cache* cache, const stowage_problem* problem,
           const stowage_options* options, stowage_solution** solution) {
  CallOptions call;
  Status s = CheckPointer(solution, "solution");
  if (s.ok()) s = CheckCache(cache);
  if (s.ok()) s = CheckHandle(problem, "problem");
  if (s.ok()) s = call.Read(options);
  if (!s.ok()) return s;
  if (call.strategy() != nullptr) {
    return InvalidArgumentError(
        "options->strategy: not null; expected null, since the cache has a "
        "strategy");
  }
  // Copies the contents of the handles, since a callback may free the handles.
  const std::shared_ptr<PlanCache> plans = cache->plans;
  const Problem given = problem->problem;
  auto found = plans->Get(given, call.solve_options());
  if (!call.thrown().empty()) return InternalError(call.thrown());
  if (!found.ok()) return found.status();
  *solution = new stowage_solution(given, *std::move(found));
  return s;
}

Status Improve(const stowage_plan_cache* cache, const stowage_options* options,
               uint64_t* improved) {
  CallOptions call;
  Status s = CheckCache(cache);
  if (s.ok()) s = call.Read(options);
  if (s.ok()) s = call.CheckNoIncumbent();
  if (!s.ok()) return s;
  // Copies the pointer, since a callback may free the handle.
  const std::shared_ptr<PlanCache> plans = cache->plans;
  const auto found =
      plans->Improve(call.solve_options(),
                     call.strategy() != nullptr ? call.strategy() : "optimal");
  if (!call.thrown().empty()) return InternalError(call.thrown());
  if (!found.ok()) return found.status();
  if (improved != nullptr) *improved = *found;
  return s;
}

Status Load(const stowage_plan_cache* cache, const char* path,
            uint64_t* damaged_lines) {
  Status s = CheckCache(cache);
  if (s.ok()) s = CheckPointer(path, "path");
  if (!s.ok()) return s;
  auto list = LoadPlans(path);
  if (!list.ok()) return list.status();
  for (IdentifiedPlan& plan : list->plans) cache->plans->Add(std::move(plan));
  if (damaged_lines != nullptr) *damaged_lines = list->damaged_lines;
  return s;
}

stowage_plan_cache_stats StatsInC(const PlanCacheStats& stats) {
  stowage_plan_cache_stats out = {};
  out.plans = stats.plans;
  out.bytes = stats.bytes;
  out.hits = stats.hits;
  out.misses = stats.misses;
  out.evicted = stats.evicted;
  out.refused = stats.refused;
  return out;
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_plan_cache* stowage_plan_cache_new(uint64_t max_bytes,
                                           const char* strategy) {
  return c_api::NewOrNull<stowage_plan_cache>(
      max_bytes, strategy != nullptr ? strategy : "skyline");
}

void stowage_plan_cache_free(stowage_plan_cache* cache) { delete cache; }

stowage_code stowage_plan_cache_get(stowage_plan_cache* cache,
                                    const stowage_problem* problem,
                                    const stowage_options* options,
                                    stowage_solution** solution,
                                    stowage_error* error) {
  if (solution != nullptr) *solution = nullptr;
  return c_api::AtBorder(
      error, [&] { return c_api::Get(cache, problem, options, solution); });
}

stowage_code stowage_plan_cache_improve(stowage_plan_cache* cache,
                                        const stowage_options* options,
                                        uint64_t* improved,
                                        stowage_error* error) {
  return c_api::AtBorder(
      error, [&] { return c_api::Improve(cache, options, improved); });
}

stowage_code stowage_plan_cache_load(stowage_plan_cache* cache,
                                     const char* path, uint64_t* damaged_lines,
                                     stowage_error* error) {
  return c_api::AtBorder(
      error, [&] { return c_api::Load(cache, path, damaged_lines); });
}

stowage_code stowage_plan_cache_save(const stowage_plan_cache* cache,
                                     const char* path, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckCache(cache);
    if (s.ok()) s = c_api::CheckPointer(path, "path");
    if (!s.ok()) return s;
    return stowage::SavePlans(cache->plans->Plans(), c_api::FileAt(path));
  });
}

stowage_code stowage_plan_cache_get_stats(const stowage_plan_cache* cache,
                                          stowage_plan_cache_stats* stats,
                                          stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckCache(cache);
    if (s.ok()) s = c_api::CheckSized(stats, "stats");
    if (s.ok()) {
      c_api::WriteSized(c_api::StatsInC(cache->plans->stats()), stats);
    }
    return s;
  });
}

}  // extern "C"
