// SPDX-License-Identifier: Apache-2.0
#include "tests/web/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace stowage::web {
namespace {

constexpr int64_t kPatience = 60'000;  // ms
// The paths of the browser binaries. The scripts in /usr/bin are not used,
// because such a script starts the browser as a separate process, which would
// keep running if the script were killed.
constexpr const char* kPrograms[] = {
    "/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium"};
// The file descriptors from which the browser reads and to which it writes.
constexpr int kBrowserIn = 3;
constexpr int kBrowserOut = 4;

int64_t NowMillis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string FindProgram() {
  for (const char* program : kPrograms) {
    if (access(program, X_OK) == 0) return program;
  }
  return "";
}

// Replaces the child process with the browser, and connects the pipes to the
// file descriptors that the browser expects.
[[noreturn]] void Become(const std::vector<std::string>& arguments, int in,
                         int out) {
  setpgid(0, 0);
  // The pipes may already have the descriptors 3 or 4, so they are first moved
  // to higher descriptors.
  const int high_in = fcntl(in, F_DUPFD, 16);
  const int high_out = fcntl(out, F_DUPFD, 16);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  dup2(high_in, kBrowserIn);
  dup2(high_out, kBrowserOut);
  close(high_in);
  close(high_out);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

absl::StatusOr<std::string> MakeFolder() {
  std::string path =
      (std::filesystem::temp_directory_path() / "stowage-browser-XXXXXX")
          .string();
  if (mkdtemp(path.data()) == nullptr) {
    return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot make it"));
  }
  return path;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Browser>> Browser::Start() {
  const std::string program = FindProgram();
  if (program.empty()) {
    return absl::NotFoundError(
        "no browser; expected the Debian package chromium-headless-shell");
  }
  absl::StatusOr<std::string> folder = MakeFolder();
  if (!folder.ok()) return folder.status();
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "pipe");
  }
  const std::vector<std::string> arguments = {
      program,
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--remote-debugging-pipe",
      "--enable-precise-memory-info",
      "--js-flags=--expose-gc",
      absl::StrCat("--user-data-dir=", *folder),
      "--window-size=1280,900",
      "about:blank"};
  const pid_t process = fork();
  if (process < 0) return absl::ErrnoToStatus(errno, "fork");
  if (process == 0) Become(arguments, in[0], out[1]);
  close(in[0]);
  close(out[1]);
  std::unique_ptr<Browser> browser(
      new Browser(process, in[1], out[0], *std::move(folder)));
  if (absl::Status s = browser->Attach(); !s.ok()) return s;
  return browser;
}

Browser::Browser(pid_t process, int to, int from, std::string folder)
    : process_(process), to_(to), from_(from), folder_(std::move(folder)) {}

Browser::~Browser() {
  close(to_);
  close(from_);
  // Killing the process group also kills the helper processes of the browser.
  kill(-process_, SIGKILL);
  int status = 0;
  waitpid(process_, &status, 0);
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

absl::Status Browser::Attach() {
  absl::StatusOr<Json> target =
      CallIn("", "Target.createTarget", {{"url", "about:blank"}});
  if (!target.ok()) return target.status();
  absl::StatusOr<Json> attached =
      CallIn("", "Target.attachToTarget",
             {{"targetId", target->at("targetId")}, {"flatten", true}});
  if (!attached.ok()) return attached.status();
  session_ = attached->at("sessionId").get<std::string>();
  for (const char* domain : {"Page", "Runtime", "Network", "Log"}) {
    const auto enabled = Call(absl::StrCat(domain, ".enable"), Json::object());
    if (!enabled.ok()) return enabled.status();
  }
  return Call("Network.emulateNetworkConditions", {{"offline", true},
                                                   {"latency", 0},
                                                   {"downloadThroughput", -1},
                                                   {"uploadThroughput", -1}})
      .status();
}

absl::Status Browser::Send(const std::string& message) {
  // The NUL at the end of the string is sent as well, because it terminates the
  // message.
  const char* rest = message.c_str();
  size_t left = message.size() + 1;
  while (left > 0) {
    const ssize_t written = write(to_, rest, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::ErrnoToStatus(errno, "browser: write");
    rest += written;
    left -= static_cast<size_t>(written);
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> Browser::Receive(int64_t deadline) {
  while (true) {
    const size_t end = unread_.find('\0');
    if (end != std::string::npos) {
      Json message = Json::parse(unread_.substr(0, end), nullptr, false);
      unread_.erase(0, end + 1);
      if (message.is_object()) return message;
      return absl::InternalError("browser: a message that is not an object");
    }
    const int64_t left = deadline - NowMillis();
    pollfd waiting = {from_, POLLIN, 0};
    if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) == 0) {
      return absl::DeadlineExceededError("browser: no answer");
    }
    std::array<char, 65536> buffer;
    const ssize_t n = read(from_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return absl::UnavailableError("browser: it has ended");
    unread_.append(buffer.data(), static_cast<size_t>(n));
  }
}

void Browser::HandleEvent(const Json& message) {
  const std::string method = message.value("method", "");
  const Json params = message.value("params", Json::object());
  if (method == "Network.requestWillBeSent") {
    events_.requests.push_back(params.at("request").at("url"));
  } else if (method == "Runtime.exceptionThrown") {
    events_.errors.push_back(params.at("exceptionDetails").dump());
  } else if (method == "Log.entryAdded") {
    const Json& entry = params.at("entry");
    if (entry.at("level") == "error") events_.errors.push_back(entry.dump());
  } else if (method == "Runtime.consoleAPICalled") {
    if (params.at("type") == "error") events_.errors.push_back(params.dump());
  } else if (method == "Page.javascriptDialogOpening") {
    events_.dialogs.push_back(params.value("message", ""));
  } else if (method == "Page.loadEventFired") {
    is_loaded_ = true;
  }
}

absl::StatusOr<Json> Browser::CallIn(const std::string& session,
                                     const std::string& method,
                                     const Json& params) {
  const int64_t id = ++last_id_;
  Json message = {{"id", id}, {"method", method}, {"params", params}};
  if (!session.empty()) message["sessionId"] = session;
  if (absl::Status s = Send(message.dump()); !s.ok()) return s;
  const int64_t deadline = NowMillis() + kPatience;
  while (true) {
    absl::StatusOr<Json> answer = Receive(deadline);
    if (!answer.ok()) {
      return absl::Status(
          answer.status().code(),
          absl::StrCat(answer.status().message(), " to ", method));
    }
    if (answer->value("id", int64_t{0}) != id) {
      HandleEvent(*answer);
      continue;
    }
    if (answer->contains("error")) {
      return absl::AbortedError(
          absl::StrCat(method, ": ", answer->at("error").dump()));
    }
    return answer->value("result", Json::object());
  }
}

absl::StatusOr<Json> Browser::Call(const std::string& method,
                                   const Json& params) {
  return CallIn(session_, method, params);
}

absl::Status Browser::Open(const std::string& url) {
  events_ = {};
  is_loaded_ = false;
  const absl::StatusOr<Json> opened = Call("Page.navigate", {{"url", url}});
  if (!opened.ok()) return opened.status();
  if (opened->contains("errorText")) {
    return absl::AbortedError(
        absl::StrCat(url, ": ", opened->at("errorText").get<std::string>()));
  }
  const int64_t deadline = NowMillis() + kPatience;
  while (!is_loaded_) {
    const absl::StatusOr<Json> message = Receive(deadline);
    if (!message.ok()) return message.status();
    HandleEvent(*message);
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> Browser::Evaluate(const std::string& expression) {
  absl::StatusOr<Json> answer =
      Call("Runtime.evaluate", {{"expression", expression},
                                {"awaitPromise", true},
                                {"returnByValue", true},
                                {"userGesture", true}});
  if (!answer.ok()) return answer;
  if (answer->contains("exceptionDetails")) {
    return absl::AbortedError(
        absl::StrCat(expression, ": ", answer->at("exceptionDetails").dump()));
  }
  return answer->at("result").value("value", Json());
}

absl::Status Browser::MoveMouse(double x, double y) {
  return Call("Input.dispatchMouseEvent",
              {{"type", "mouseMoved"}, {"x", x}, {"y", y}})
      .status();
}

absl::Status Browser::Click(double x, double y) {
  if (absl::Status s = MoveMouse(x, y); !s.ok()) return s;
  for (const char* type : {"mousePressed", "mouseReleased"}) {
    const absl::Status s = Call("Input.dispatchMouseEvent", {{"type", type},
                                                             {"x", x},
                                                             {"y", y},
                                                             {"button", "left"},
                                                             {"clickCount", 1}})
                               .status();
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Browser::Press(const std::string& key) {
  Json down = {{"type", "keyDown"}, {"key", key}, {"code", key}};
  if (key.size() == 1) down["text"] = key;
  if (key == "Enter") {
    down["text"] = "\r";
    down["windowsVirtualKeyCode"] = 13;
  }
  if (key == "Tab") down["windowsVirtualKeyCode"] = 9;
  if (absl::Status s = Call("Input.dispatchKeyEvent", down).status(); !s.ok()) {
    return s;
  }
  return Call("Input.dispatchKeyEvent",
              {{"type", "keyUp"}, {"key", key}, {"code", key}})
      .status();
}

absl::Status Browser::SetMedia(const std::string& feature,
                               const std::string& value) {
  const Json features = Json::array({{{"name", feature}, {"value", value}}});
  return Call("Emulation.setEmulatedMedia", {{"features", features}}).status();
}

absl::Status Browser::SetWindow(int width, int height, double pixel_ratio) {
  return Call("Emulation.setDeviceMetricsOverride",
              {{"width", width},
               {"height", height},
               {"deviceScaleFactor", pixel_ratio},
               {"mobile", false}})
      .status();
}

absl::StatusOr<std::string> Browser::ScreenshotPng() {
  const absl::StatusOr<Json> answer =
      Call("Page.captureScreenshot", {{"format", "png"}});
  if (!answer.ok()) return answer.status();
  std::string png;
  if (!absl::Base64Unescape(answer->at("data").get<std::string>(), &png)) {
    return absl::InternalError("browser: a picture that is not base64");
  }
  return png;
}

absl::StatusOr<std::string> Browser::PrintPdf() {
  const absl::StatusOr<Json> answer =
      Call("Page.printToPDF", {{"preferCSSPageSize", true}});
  if (!answer.ok()) return answer.status();
  std::string pdf;
  if (!absl::Base64Unescape(answer->at("data").get<std::string>(), &pdf)) {
    return absl::InternalError("browser: a document that is not base64");
  }
  return pdf;
}

absl::StatusOr<uint64_t> Browser::HeapBytes() {
  if (absl::Status s =
          Call("HeapProfiler.collectGarbage", Json::object()).status();
      !s.ok()) {
    return s;
  }
  const absl::StatusOr<Json> usage =
      Call("Runtime.getHeapUsage", Json::object());
  if (!usage.ok()) return usage.status();
  // The bytes of typed arrays are outside the heap of objects, so they are
  // added here.
  return usage->at("usedSize").get<uint64_t>() +
         usage->value("backingStorageSize", uint64_t{0});
}

}  // namespace stowage::web
