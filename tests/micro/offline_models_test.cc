// SPDX-License-Identifier: Apache-2.0
// Tests real models that contain sound and unsound plans. The status of each
// plan and the size of the head must equal those in the manifest of the models.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/micro/offline.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"
#include "tests/support/net_builder.h"
#include "tests/support/real_data.h"

namespace stowage {
namespace {

using support::RealDataFolder;

constexpr uint32_t kCapacity = 4u << 20;

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

struct Row {
  std::string file;
  std::string kind;
  bool is_accepted = false;
  uint32_t head = 0;
};

std::vector<Row> ReadManifest(const std::string& path) {
  std::vector<Row> rows;
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    Row& row = rows.emplace_back();
    row.file = fields.at(0);
    row.kind = fields.at(2);
    row.is_accepted = fields.at(3) == "accept";
    if (row.is_accepted) {
      row.head = static_cast<uint32_t>(std::stoul(fields.at(4)));
    }
  }
  return rows;
}

// Returns the expected status for `kind`, the kind of defect in the manifest.
// Kinds that are not listed here mean that the plan is sound.
stowage_micro_status StatusOf(const std::string& kind) {
  static const std::map<std::string, stowage_micro_status> statuses = {
      {"other_name", STOWAGE_MICRO_OFFLINE_NOT_FOUND},
      {"twice", STOWAGE_MICRO_OFFLINE_TWICE},
      {"no_buffer", STOWAGE_MICRO_OFFLINE_NO_BUFFER},
      {"no_data", STOWAGE_MICRO_OFFLINE_NO_DATA},
      {"empty", STOWAGE_MICRO_OFFLINE_EMPTY},
      {"truncated", STOWAGE_MICRO_OFFLINE_TRUNCATED},
      {"odd_bytes", STOWAGE_MICRO_OFFLINE_ODD_BYTES},
      {"version", STOWAGE_MICRO_OFFLINE_VERSION},
      {"subgraphs", STOWAGE_MICRO_OFFLINE_SUBGRAPHS},
      {"too_few", STOWAGE_MICRO_OFFLINE_TOO_FEW},
      {"too_many", STOWAGE_MICRO_OFFLINE_TOO_MANY},
      {"count_lies", STOWAGE_MICRO_OFFLINE_SHORT},
      {"trailing", STOWAGE_MICRO_OFFLINE_TRAILING},
      {"negative", STOWAGE_MICRO_OFFLINE_NEGATIVE},
      {"minus_two", STOWAGE_MICRO_OFFLINE_NEGATIVE},
      {"unaligned", STOWAGE_MICRO_MISALIGNED_OFFSET},
      {"past_arena", STOWAGE_MICRO_CAPACITY_EXCEEDED},
      {"overlap", STOWAGE_MICRO_OVERLAP},
      {"variables_shared", STOWAGE_MICRO_OVERLAP}};
  const auto it = statuses.find(kind);
  return it == statuses.end() ? STOWAGE_MICRO_OK : it->second;
}

// Holds a model as a device sees it: one buffer for each tensor, followed by
// the buffers of scratch memory.
struct DeviceModel {
  uint32_t tensors = 0;
  std::vector<stowage_micro_buffer> buffers;
  std::vector<uint8_t> custom;      // by buffer: the number of its operator
  std::vector<uint32_t> variables;  // numbers of tensors
};

// Returns the number of the first tensor of each subgraph, followed by the
// number of all tensors.
std::vector<uint32_t> FirstTensors(const Model& model) {
  std::vector<uint32_t> first = {0};
  for (const SubgraphSpec& graph : model.subgraphs()) {
    first.push_back(first.back() + static_cast<uint32_t>(graph.tensors.size()));
  }
  return first;
}

// Numbers the custom operators from 1. For each tensor of a custom operator,
// sets its entry in `custom` to the number of the operator.
void NumberCustom(const SubgraphSpec& graph, uint32_t first,
                  std::vector<uint8_t>* custom) {
  uint8_t number = 0;
  for (const OperatorSpec& op : graph.operators) {
    if (!op.is_custom) continue;
    ++number;
    for (const auto* tensors : {&op.inputs, &op.outputs}) {
      for (const size_t t : *tensors) {
        if (t != kAbsent) (*custom)[first + t] = number;
      }
    }
  }
}

DeviceModel Describe(const std::string& bytes) {
  DeviceModel device;
  const auto model = Model::Parse(bytes, "model");
  EXPECT_TRUE(model.ok()) << model.status();
  const auto records = MicroBuffersOf(**model);
  EXPECT_TRUE(records.ok()) << records.status();
  const std::vector<uint32_t> first = FirstTensors(**model);
  device.tensors = first.back();
  device.buffers.resize(device.tensors, {0, 0, 0, STOWAGE_MICRO_UNPLACED});
  uint32_t last_task = 0;
  for (const MicroBuffer& it : *records) {
    const stowage_micro_buffer buffer = {
        static_cast<uint32_t>(it.record.tensor_size),
        static_cast<uint32_t>(it.record.first_task),
        static_cast<uint32_t>(it.record.last_task), STOWAGE_MICRO_UNPLACED};
    last_task = std::max(last_task, buffer.last_task);
    if (it.tensor == kAbsent) {
      device.buffers.push_back(buffer);
    } else {
      device.buffers[first[it.subgraph] + it.tensor] = buffer;
    }
  }
  device.custom.resize(device.buffers.size());
  for (size_t s = 0; s < (*model)->subgraphs().size(); ++s) {
    const SubgraphSpec& graph = (*model)->subgraphs()[s];
    NumberCustom(graph, first[s], &device.custom);
    for (size_t t = 0; t < graph.tensors.size(); ++t) {
      if (!graph.tensors[t].is_variable) continue;
      // A variable is live during all tasks, because its state is needed
      // between runs as well.
      const auto number = first[s] + static_cast<uint32_t>(t);
      device.variables.push_back(number);
      device.buffers[number] = {
          static_cast<uint32_t>((graph.tensors[t].bytes + 15) / 16 * 16), 0,
          last_task, STOWAGE_MICRO_UNPLACED};
    }
  }
  return device;
}

// Removes the variables without an offset in the plan, because they are in
// persistent memory and not in the head.
void RemovePersistentVariables(const stowage_micro_offline* plan,
                               DeviceModel* device) {
  for (const uint32_t t : device->variables) {
    const bool is_placed =
        plan != nullptr &&
        std::any_of(plan->offsets + size_t{4} * t,
                    plan->offsets + size_t{4} * t + 4,
                    [](uint8_t byte) { return byte != 0xFF; });
    if (!is_placed) device->buffers[t].size = 0;
  }
}

// Plans the head like a device that checks the plan in the model before using
// it, and sets *head to the number of bytes in the head. If the plan is
// rejected, returns the error and leaves *head unchanged. If the model has no
// plan, plans all buffers, sets *head and returns OFFLINE_NOT_FOUND.
stowage_micro_status PlanHead(const std::string& bytes, uint32_t* head) {
  stowage_micro_offline plan = {};
  stowage_micro_status status = stowage_micro_offline_find(
      bytes.data(), static_cast<uint32_t>(bytes.size()), &plan);
  const bool has_plan = status == STOWAGE_MICRO_OK;
  if (!has_plan && status != STOWAGE_MICRO_OFFLINE_NOT_FOUND) return status;
  DeviceModel device = Describe(bytes);
  RemovePersistentVariables(has_plan ? &plan : nullptr, &device);
  if (has_plan) {
    const stowage_micro_offline_rules rules = {16, kCapacity, nullptr};
    status = stowage_micro_offline_place(&plan, device.buffers.data(),
                                         device.tensors, &rules, head, nullptr);
    if (status != STOWAGE_MICRO_OK) return status;
  }
  std::vector<uint32_t> workspace(device.buffers.size());
  EXPECT_EQ(
      stowage_micro_plan(device.buffers.data(),
                         static_cast<uint32_t>(device.buffers.size()), 16,
                         workspace.data(),
                         static_cast<uint32_t>(4 * workspace.size()), head),
      STOWAGE_MICRO_OK);
  return status;
}

TEST(MicroOfflineModels, HaveTheVerdictOfTheirManifest) {
  const absl::optional<std::string> folder = RealDataFolder("STOWAGE_MICRO");
  if (!folder) GTEST_SKIP() << "STOWAGE_MICRO is not set";
  const std::string models = absl::StrCat(*folder, "/models/");
  size_t accepted = 0;
  size_t rejected = 0;
  for (const Row& row : ReadManifest(models + "MANIFEST.tsv")) {
    SCOPED_TRACE(row.file);
    uint32_t head = 0;
    const stowage_micro_status status =
        PlanHead(ReadBytes(models + row.file), &head);
    EXPECT_EQ(status, StatusOf(row.kind));
    if (row.is_accepted) {
      EXPECT_EQ(head, row.head);
      ++accepted;
    } else {
      EXPECT_NE(status, STOWAGE_MICRO_OK);
      EXPECT_NE(status, STOWAGE_MICRO_OFFLINE_NOT_FOUND);
      ++rejected;
    }
  }
  EXPECT_EQ(accepted, 27u);
  EXPECT_EQ(rejected, 52u);
}

// Returns a model like those written by Vela, a compiler for accelerators. The
// output, the scratch memory and the input of its custom operator have the same
// offset and are live at the same time.
std::string VelaModel() {
  NetBuilder net;
  net.SetType(tflite::TensorType::INT8);
  const int32_t output = net.Tensor({1, 2});
  const int32_t commands = net.Constant<int8_t>({4}, {1, 2, 3, 4});
  const int32_t weights = net.Constant<int8_t>({4}, {1, 2, 3, 4});
  const int32_t scratch = net.Input({74464});
  const int32_t fast = net.Input({74464});
  const int32_t input = net.Input({1, 96, 96, 1});
  net.AddOperator(tflite::BuiltinOperator::CUSTOM,
                  {commands, weights, scratch, fast, input}, {output},
                  "ethos-u");
  net.MarkOutput(output);
  ModelSpec spec = net.spec();
  tflite::MetadataT& metadata = spec.metadata.emplace_back();
  metadata.name = "OfflineMemoryAllocation";
  metadata.buffer = static_cast<uint32_t>(spec.buffers.size());
  std::vector<uint8_t>& data = spec.buffers.emplace_back().data;
  for (const int32_t word : {0, 1, 6, 0, -1, -1, 0, 0, 0}) {
    data.insert(data.end(), 4, static_cast<uint8_t>(word));
    if (word > 0) std::fill(data.end() - 3, data.end(), uint8_t{0});
  }
  return Build(spec);
}

TEST(MicroOfflineModels, OfVelaOverlapByIntent) {
  const std::string bytes = VelaModel();
  DeviceModel device = Describe(bytes);
  stowage_micro_offline plan = {};
  ASSERT_EQ(stowage_micro_offline_find(
                bytes.data(), static_cast<uint32_t>(bytes.size()), &plan),
            STOWAGE_MICRO_OK);
  uint32_t total = 0;
  uint32_t witness[2] = {};
  stowage_micro_offline_rules rules = {16, kCapacity, nullptr};
  const auto place = [&] {
    return stowage_micro_offline_place(&plan, device.buffers.data(),
                                       device.tensors, &rules, &total, witness);
  };
  EXPECT_EQ(place(), STOWAGE_MICRO_OVERLAP);
  EXPECT_EQ(witness[0], 0u);
  EXPECT_EQ(witness[1], 3u);
  rules.custom = device.custom.data();
  EXPECT_EQ(place(), STOWAGE_MICRO_OK);
  EXPECT_EQ(total, 74464u);
}

}  // namespace
}  // namespace stowage
