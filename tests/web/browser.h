// SPDX-License-Identifier: Apache-2.0
// Controls a real browser through its debugging pipe, so that a test can
// compare a page with the library that made it.
//
//   auto browser = Browser::Start();
//   if (!browser.ok()) ...  // NotFound if no browser is installed
//   EXPECT_TRUE((*browser)->Open("file:///tmp/page.html").ok());
//   EXPECT_EQ((*browser)->Evaluate("1 + 1").value(), 2);
//
// The protocol is that of Chromium's developer tools. Messages are JSON, and a
// NUL ends each message. The browser uses its file descriptors 3 and 4.
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

// The requests, the errors and the dialogs of a page, so that a test can check
// that there are no unwanted ones. Each list is in chronological order.
struct PageEvents {
  std::vector<std::string> requests;  // URLs; the first is that of the page
  std::vector<std::string> errors;    // exceptions and messages on the console
  std::vector<std::string> dialogs;   // messages of dialogs
};

class Browser {
 public:
  // Starts a headless browser without network access. Errors: NotFound if no
  // browser is installed, or an error of the system.
  static absl::StatusOr<std::unique_ptr<Browser>> Start();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Loads a page, and returns after it has been loaded. Discards the events of
  // earlier pages. Error: DeadlineExceeded after a minute.
  absl::Status Open(const std::string& url);
  const PageEvents& events() const { return events_; }

  // Returns the value of a JavaScript expression. If the value is a promise,
  // waits for its result. Error: Aborted, with the text of the exception.
  absl::StatusOr<Json> Evaluate(const std::string& expression);

  // MoveMouse and Click move the mouse to a point. Click also presses and
  // releases the left button.
  absl::Status MoveMouse(double x, double y);
  absl::Status Click(double x, double y);
  // Presses and releases the key with the given name, such as "a", "ArrowLeft"
  // or "Enter".
  absl::Status Press(const std::string& key);

  // Sets a media feature that otherwise depends on the user's system, such as
  // ("prefers-color-scheme", "dark") or ("forced-colors", "active"). The value
  // "" restores the default.
  absl::Status SetMedia(const std::string& feature, const std::string& value);
  // Sets the size of the window in CSS pixels.
  absl::Status SetWindow(int width, int height, double pixel_ratio);

  absl::StatusOr<std::string> ScreenshotPng();
  absl::StatusOr<std::string> PrintPdf();
  // Collects garbage, and returns the number of bytes in use by JavaScript
  // objects.
  absl::StatusOr<uint64_t> HeapBytes();

  // Calls a method of the protocol for the page, and returns its result. Error:
  // Aborted, with the message of the browser.
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
  const std::string folder_;  // folder of the browser's profile
  std::string session_;
  std::string unread_;
  int64_t last_id_ = 0;
  bool is_loaded_ = false;
  PageEvents events_;
};

}  // namespace stowage::web

#endif  // STOWAGE_TESTS_WEB_BROWSER_H_
