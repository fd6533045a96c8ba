#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace qpcast::cli {

bool colour() { return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

std::string bold(const std::string& text) { return colour() ? "\033[1m" + text + "\033[0m" : text; }
std::string red(const std::string& text) { return colour() ? "\033[31m" + text + "\033[0m" : text; }

Table::Table(std::vector<std::string> headers) : headers_{std::move(headers)} {
  for (auto& h : headers_) {
    left_.push_back(h.starts_with('<'));
    if (left_.back()) h.erase(0, 1);
  }
}

void Table::row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string Table::text() const {
  std::vector<std::size_t> width;
  for (const auto& h : headers_) width.push_back(h.size());
  for (const auto& r : rows_)
    for (std::size_t i = 0; i < r.size(); ++i) width[i] = std::max(width[i], r[i].size());
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i) out += "  ";
      out += left_[i] ? fmt::format("{:<{}}", cells[i], width[i])
                      : fmt::format("{:>{}}", cells[i], width[i]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };
  auto out = bold(line(headers_)) + "\n";
  for (const auto& r : rows_) out += line(r) + "\n";
  return out;
}

Progress::Progress(std::string what)
    : what_{std::move(what)}, start_{std::chrono::steady_clock::now()}, last_{start_} {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::update(double done) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (::isatty(STDERR_FILENO) != 1 || now - start_ < 2s || now - last_ < 100ms) return;
  last_ = now;
  shown_ = true;
  constexpr int width = 30;
  const auto full = static_cast<std::size_t>(std::lround(width * std::clamp(done, 0.0, 1.0)));
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = done > 0 ? elapsed / done - elapsed : 0;
  fmt::print(stderr, "\r{} [{}{}] {:3.0f} %  {:.0f} s left \033[K", what_, std::string(full, '#'),
             std::string(width - full, '.'), 100 * done, left);
  std::fflush(stderr);
}

std::string number(double value) {
  const double size = std::abs(value);
  if (size != 0 && (size >= 1e7 || size < 1e-3)) return fmt::format("{:.3g}", value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

}  // namespace qpcast::cli
