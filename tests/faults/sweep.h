// SPDX-License-Identifier: Apache-2.0
// Runs the command with a fault. Each run has a process and a folder of its
// own.
#ifndef STOWAGE_TESTS_FAULTS_SWEEP_H_
#define STOWAGE_TESTS_FAULTS_SWEEP_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/faults/faults.h"
#include "tests/support/temp_folder.h"

namespace stowage::faults {

// The result of a run of the command.
struct Ending {
  int exit_code = 0;  // 128 + the signal that ended it
  uint64_t calls = 0;
  uint64_t failed = 0;
  // The numbers of memory blocks and files that are still allocated or open
  // when the command ends by itself. They should be 0 after WarmUp.
  int64_t leaked_blocks = 0;
  int64_t leaked_descriptors = 0;
  std::string out;
  std::string err;
  // Maps the path of each file in the folder to its content. An empty folder is
  // represented by a path that ends with a slash, without content.
  std::map<std::string, std::string> files;
};

class SweepTest : public TempFolderTest {
 protected:
  // Runs the command once in a separate folder, so that everything that is
  // allocated only once already exists and does not look like a leak in later
  // runs.
  void WarmUp(const std::vector<std::string>& arguments,
              const std::map<std::string, std::string>& files) const;

  // Runs `stowage ARGUMENTS` in a folder that initially contains `files`. The
  // command creates its temporary files in the subfolder tmp.
  Ending Run(const std::vector<std::string>& arguments,
             const std::map<std::string, std::string>& files,
             const Fault& fault) const;

 private:
  std::string MakeFolder(const std::string& folder,
                         const std::map<std::string, std::string>& files) const;
};

// Returns the numbers of the calls that must fail if the command makes `calls`
// calls: all of them if they are few, and otherwise the first and last ones and
// some in between.
std::vector<uint64_t> Sweep(uint64_t calls);

}  // namespace stowage::faults

#endif  // STOWAGE_TESTS_FAULTS_SWEEP_H_
