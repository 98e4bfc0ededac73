// SPDX-License-Identifier: Apache-2.0
// Adds the names and labels of a problem, which have no influence on plans.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/c/border.h"
#include "src/c/builder.h"
#include "src/c/handles.h"
#include "stowage/base/status.h"
#include "stowage/c/problem.h"
#include "stowage/labels.h"

namespace stowage::c_api {
namespace {

std::string TextOrEmpty(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

Status SetTensor(stowage_builder* builder, uint64_t record, TensorInfo info,
                 const uint64_t* consumers, size_t count) {
  Status s = CheckRecord(builder, record);
  if (s.ok()) s = CheckArray(consumers, count, "consumers");
  if (!s.ok()) return s;
  info.consumers.assign(consumers, consumers + count);
  std::vector<TensorInfo>& tensors = builder->spec.labels.tensors;
  tensors.resize(builder->spec.records.size());
  tensors[record] = std::move(info);
  return s;
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_builder_names(stowage_builder* builder,
                                   const char* const* names, size_t count,
                                   stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckPerRecord(builder, names, count, "names");
    return s.ok() ? c_api::CopyNames(names, count, &builder->spec.names) : s;
  });
}

stowage_code stowage_builder_operators(stowage_builder* builder,
                                       const char* const* names, size_t count,
                                       stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(builder, "builder");
    if (!s.ok()) return s;
    return c_api::CopyNames(names, count, &builder->spec.labels.operators);
  });
}

stowage_code stowage_builder_group_names(stowage_builder* builder,
                                         const char* const* names, size_t count,
                                         stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(builder, "builder");
    if (!s.ok()) return s;
    return c_api::CopyNames(names, count, &builder->spec.labels.groups);
  });
}

stowage_code stowage_builder_readers(stowage_builder* builder,
                                     const uint64_t* readers, size_t count,
                                     stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s =
        c_api::CheckPerRecord(builder, readers, count, "readers");
    if (s.ok()) builder->spec.labels.readers.assign(readers, readers + count);
    return s;
  });
}

stowage_code stowage_builder_lifetimes(stowage_builder* builder,
                                       const char* rule, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(builder, "builder");
    if (s.ok()) s = c_api::CheckPointer(rule, "rule");
    if (s.ok()) builder->spec.labels.lifetimes = rule;
    return s;
  });
}

stowage_code stowage_builder_tensor(stowage_builder* builder, uint64_t record,
                                    const char* name, const char* type,
                                    const char* shape, uint64_t producer,
                                    const uint64_t* consumers, size_t count,
                                    stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::TensorInfo info;
    info.name = c_api::TextOrEmpty(name);
    info.type = c_api::TextOrEmpty(type);
    info.shape = c_api::TextOrEmpty(shape);
    if (producer != STOWAGE_NONE) info.producer = producer;
    return c_api::SetTensor(builder, record, std::move(info), consumers, count);
  });
}

}  // extern "C"
