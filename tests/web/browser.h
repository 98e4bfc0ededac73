// SPDX-License-Identifier: Apache-2.0
// Drives a real browser through its debugging pipe, so that a test can compare
// a page with the library that made it.
//
//   auto browser = Browser::Start();
//   if (!browser.ok()) ...  // NotFound where none is installed
//   EXPECT_TRUE((*browser)->Open("file:///tmp/page.html").ok());
//   EXPECT_EQ((*browser)->Evaluate("1 + 1").value(), 2);
//
// The protocol is that of Chromium's developer tools: JSON, each message ended
// by a NUL, on file descriptors 3 and 4 of the browser.
#ifndef STOWAGE_TESTS_WEB_BROWSER_H_
#define STOWAGE_TESTS_WEB_BROWSER_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace stowage::web {

using Json = nlohmann::json;

// What a page did that its reader would not want; each list is in order.
struct PageEvents {
  std::vector<std::string> requests;  // URLs; the first is that of the page
  std::vector<std::string> errors;    // exceptions and messages on the console
  std::vector<std::string> dialogs;   // messages of dialogs
};

class Browser {
 public:
  // Starts a headless browser without a network. Errors: NotFound if no browser
  // is installed, or an error of the system.
  static absl::StatusOr<std::unique_ptr<Browser>> Start();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Loads a page and returns once it is loaded. Forgets the events before.
  // Error: DeadlineExceeded after a minute.
  absl::Status Open(const std::string& url);
  const PageEvents& events() const { return events_; }

  // Returns the value of an expression, which may be a promise. Error: Aborted
  // with the exception.
  absl::StatusOr<Json> Evaluate(const std::string& expression);

  // Both move the mouse; Click also presses its left button there.
  absl::Status MoveMouse(double x, double y);
  absl::Status Click(double x, double y);
  // Presses and releases a key by its name: "a", "ArrowLeft", "Enter".
  absl::Status Press(const std::string& key);

  // Sets a media feature as the system of a reader would:
  // ("prefers-color-scheme", "dark"), ("forced-colors", "active"). The value ""
  // restores the default.
  absl::Status SetMedia(const std::string& feature, const std::string& value);
  // Sets the size of the window in CSS pixels.
  absl::Status SetWindow(int width, int height, double pixel_ratio);

  absl::StatusOr<std::string> ScreenshotPng();
  absl::StatusOr<std::string> PrintPdf();
  // Returns the bytes of JavaScript objects after a garbage collection.
  absl::StatusOr<uint64_t> HeapBytes();

  // Calls any method of the protocol for the page. Error: Aborted with the
  // browser's message.
  absl::StatusOr<Json> Call(const std::string& method, const Json& params);

 private:
  Browser(pid_t process, int to, int from, std::string folder);
  absl::Status Attach();
  absl::StatusOr<Json> CallIn(const std::string& session,
                              const std::string& method, const Json& params);
  absl::Status Send(const std::string& message);
  // Returns the next message. `deadline` is in milliseconds of a steady clock.
  absl::StatusOr<Json> Receive(int64_t deadline);
  void HandleEvent(const Json& message);

  const pid_t process_;
  const int to_;
  const int from_;
  const std::string folder_;  // of its profile
  std::string session_;
  std::string unread_;
  int64_t last_id_ = 0;
  bool is_loaded_ = false;
  PageEvents events_;
};

}  // namespace stowage::web

#endif  // STOWAGE_TESTS_WEB_BROWSER_H_
