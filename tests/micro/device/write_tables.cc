// SPDX-License-Identifier: Apache-2.0
// write_tables VECTORS FOLDER: writes the vectors that tests on devices need as
// tables in C: FOLDER/plan_vectors.inc.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "nlohmann/json.hpp"

namespace {

using nlohmann::json;

// -1, planned on the device, becomes STOWAGE_MICRO_UNPLACED.
uint32_t Word(const json& number) {
  return static_cast<uint32_t>(number.get<int64_t>());
}

// Of vectors_tflm_public.jsonl.
std::string PlanTables(std::istream& lines) {
  std::ostringstream records, offsets, vectors;
  size_t first = 0;
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json vector = json::parse(line);
    const json& expected = vector.at("expected");
    const size_t size = vector.at("records").size();
    for (size_t i = 0; i < size; ++i) {
      const json& record = vector.at("records")[i];
      records << "    {" << Word(record[0]) << "u, " << Word(record[1]) << "u, "
              << Word(record[2]) << "u, "
              << Word(vector.at("offline_offsets")[i]) << "u},\n";
      offsets << "    " << Word(expected.at("offsets")[i]) << "u,\n";
    }
    vectors << "    {" << first << ", " << size << ", "
            << Word(expected.at("max_size")) << "u, "
            << expected.at("overlap").get<bool>() << "},\n";
    first += size;
  }
  return "// Places in the two tables below.\n"
         "typedef struct {\n"
         "  uint32_t first, count, total, overlap;\n"
         "} plan_vector;\n"
         "static const stowage_micro_buffer kPlanRecords[] = {\n" +
         records.str() + "};\nstatic const uint32_t kPlanOffsets[] = {\n" +
         offsets.str() + "};\nstatic const plan_vector kPlanVectors[] = {\n" +
         vectors.str() +
         "};\nenum { kPlanVectorCount = " + std::to_string(count) + " };\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: write_tables VECTORS FOLDER\n";
    return 2;
  }
  const std::string vectors = argv[1];
  const std::string folder = argv[2];
  std::ifstream plans(vectors + "/vectors_tflm_public.jsonl");
  std::ofstream tables(folder + "/plan_vectors.inc");
  tables << PlanTables(plans);
  tables.close();
  return plans.eof() && tables ? 0 : 1;
}
