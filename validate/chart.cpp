#include "validate/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace qpcast::validate {

namespace {

constexpr double width = 460, height = 340;
constexpr double left = 64, right = 22, top = 28, bottom = 44;

bool drawable(double v) { return std::isfinite(v) && v > 0; }

/// A logarithmic axis from lo to hi, over pixels from..to.
class LogAxis {
 public:
  void see(double v) {
    if (!drawable(v)) return;
    lo_ = empty_ ? v : std::min(lo_, v);
    hi_ = empty_ ? v : std::max(hi_, v);
    empty_ = false;
  }
  void see(const LogAxis& other) {
    if (other.empty_) return;
    see(other.lo_);
    see(other.hi_);
  }
  /// Some room at both ends.
  void settle(double from, double to) {
    const double room = std::max(1.15, std::pow(hi_ / lo_, 0.04));
    lo_ /= room;
    hi_ *= room;
    from_ = from;
    to_ = to;
  }
  double at(double v) const {
    const double share = std::log(v / lo_) / std::log(hi_ / lo_);
    return from_ + std::clamp(share, -0.02, 1.02) * (to_ - from_);
  }
  /// Powers of ten; 1, 2 and 5 of each where few would be seen.
  std::vector<double> ticks() const {
    std::vector<double> out;
    const bool dense = hi_ / lo_ < 200;
    const double decades = std::log10(hi_ / lo_);
    const int step = decades > 9 ? static_cast<int>(std::ceil(decades / 9)) : 1;
    const int last = static_cast<int>(std::floor(std::log10(hi_)));
    for (int e = static_cast<int>(std::floor(std::log10(lo_))); e <= last; e += step)
      for (const double m : {1.0, 2.0, 5.0}) {
        const double v = m * std::pow(10, e);
        if ((m == 1 || dense) && v >= lo_ && v <= hi_) out.push_back(v);
      }
    return out;
  }
  bool empty() const { return empty_; }
  double lo() const { return lo_; }
  double hi() const { return hi_; }

 private:
  double lo_ = 1, hi_ = 1, from_ = 0, to_ = 1;
  bool empty_ = true;
};

std::string line(double x1, double y1, double x2, double y2, const char* style) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>)", x1,
                     y1, x2, y2, style);
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor,
                     escaped(text));
}

std::string frame(const Chart& c, const LogAxis& x, const LogAxis& y) {
  std::string out;
  for (const double v : x.ticks())
    out += line(x.at(v), height - bottom, x.at(v), top, "grid") +
           label(x.at(v), height - bottom + 14, "middle", fmt::format("{:g}", v));
  for (const double v : y.ticks())
    out += line(left, y.at(v), width - right, y.at(v), "grid") +
           label(left - 5, y.at(v) + 4, "end", fmt::format("{:g}", v));
  out += label((left + width - right) / 2, height - 8, "middle", c.x_label);
  out += fmt::format(
      "<text transform=\"translate(13 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
      (top + height - bottom) / 2, escaped(c.y_label));
  return out +
         fmt::format(R"(<text x="{:.1f}" y="16" class="title">{}</text>)", left, escaped(c.title));
}

/// y = x and y = x (1 +- tolerance), over the values that both axes have.
std::string diagonal(const LogAxis& x, const LogAxis& y, double tolerance) {
  std::string out;
  for (const double factor : {1.0, 1 + tolerance, 1 - tolerance}) {
    if (factor <= 0) continue;
    const double lo = std::max(x.lo(), y.lo() / factor), hi = std::min(x.hi(), y.hi() / factor);
    if (lo < hi)
      out += line(x.at(lo), y.at(lo * factor), x.at(hi), y.at(hi * factor),
                  factor == 1 ? "equal" : "limit");
  }
  return out;
}

std::string draw(const ChartSeries& s, const LogAxis& x, const LogAxis& y) {
  const auto colour = fmt::format("var(--c{:x})", s.colour % palette_size);
  std::string out, path;
  for (const auto& p : s.points) {
    if (!drawable(p.x) || !drawable(p.y)) continue;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", x.at(p.x), y.at(p.y));
    if (drawable(p.lo) && drawable(p.hi))
      out += fmt::format(R"(<line x1="{0:.1f}" y1="{1:.1f}" x2="{0:.1f}" y2="{2:.1f}" class="bar" )"
                         R"(stroke="{3}"/>)",
                         x.at(p.x), y.at(p.lo), y.at(p.hi), colour);
    out += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="{}"><title>{}</title>)"
                       "</circle>",
                       x.at(p.x), y.at(p.y), colour, escaped(p.tip));
  }
  if (s.line && !path.empty())
    out = fmt::format(R"(<path d="{}" fill="none" stroke="{}"/>)", path, colour) + out;
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (byte < 0x20 && c != '\n' && c != '\t')
      out += "\xEF\xBF\xBD";  // XML 1.0 has no such character, not even escaped
    else
      out += c;
  }
  return out;
}

std::string svg(const Chart& c) {
  LogAxis x, y;
  for (const auto& s : c.series)
    for (const auto& p : s.points)
      if (drawable(p.x) && drawable(p.y)) {
        x.see(p.x);
        y.see(p.y);
        if (drawable(p.lo) && drawable(p.hi)) {
          // An interval of orders of magnitude must not squeeze the points together.
          y.see(std::max(p.lo, p.y / 10));
          y.see(std::min(p.hi, p.y * 10));
        }
      }
  if (x.empty()) return fmt::format("<p>{}: nothing to draw.</p>", escaped(c.title));
  if (c.square) {
    x.see(y);
    y.see(x);
  }
  x.settle(left, width - right);
  y.settle(height - bottom, top);
  std::string out = fmt::format(
      R"(<svg viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}">)", width,
      height, escaped(c.title));
  out += frame(c, x, y);
  if (c.tolerance > 0) out += diagonal(x, y, c.tolerance);
  for (const auto& s : c.series) out += draw(s, x, y);
  return out + "</svg>";
}

}  // namespace qpcast::validate
