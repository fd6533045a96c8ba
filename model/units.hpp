/// Strong types for the three quantities a forecast is made of: time, rate and size.
///
/// Conversions are spelled out here once. A Duration is kept in microseconds, a Rate in messages
/// per microsecond (numerically Mmsg/s), Bytes in bytes, and a Throughput in bytes per
/// microsecond (numerically MB/s). Nothing converts silently to or from double.
#pragma once

#include <compare>

namespace qpcast {

/// A span of time. Unit: microseconds; any finite value.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration us(double value) { return Duration{value}; }
  static constexpr Duration ns(double value) { return Duration{value * 1e-3}; }
  constexpr double us() const { return us_; }
  constexpr double ns() const { return us_ * 1e3; }
  constexpr double seconds() const { return us_ * 1e-6; }

  constexpr Duration operator+(Duration other) const { return Duration{us_ + other.us_}; }
  constexpr Duration operator-(Duration other) const { return Duration{us_ - other.us_}; }
  constexpr Duration operator*(double factor) const { return Duration{us_ * factor}; }
  constexpr Duration operator/(double divisor) const { return Duration{us_ / divisor}; }
  constexpr double operator/(Duration other) const { return us_ / other.us_; }
  constexpr Duration& operator+=(Duration other) {
    us_ += other.us_;
    return *this;
  }
  constexpr auto operator<=>(const Duration&) const = default;

 private:
  constexpr explicit Duration(double us) : us_{us} {}
  double us_ = 0;
};

constexpr Duration operator*(double factor, Duration d) { return d * factor; }

/// A message rate. Unit: messages per microsecond, the field's Mmsg/s.
class Rate {
 public:
  constexpr Rate() = default;
  static constexpr Rate mmsg_per_s(double value) { return Rate{value}; }
  constexpr double mmsg_per_s() const { return per_us_; }
  constexpr double per_second() const { return per_us_ * 1e6; }
  /// Mean time between two messages.
  constexpr Duration interval() const { return Duration::us(1.0 / per_us_); }

  constexpr Rate operator*(double factor) const { return Rate{per_us_ * factor}; }
  constexpr Rate operator/(double divisor) const { return Rate{per_us_ / divisor}; }
  constexpr double operator/(Rate other) const { return per_us_ / other.per_us_; }
  constexpr auto operator<=>(const Rate&) const = default;

 private:
  constexpr explicit Rate(double per_us) : per_us_{per_us} {}
  double per_us_ = 0;
};

/// A count of messages, so that `messages(32) / 1.04_us` is a Rate.
struct Messages {
  double count = 0;
};
constexpr Messages messages(double count) { return {count}; }
constexpr Rate operator/(Messages m, Duration d) { return Rate::mmsg_per_s(m.count / d.us()); }

/// A size. Unit: bytes.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(double bytes) : bytes_{bytes} {}
  constexpr double count() const { return bytes_; }
  constexpr Bytes operator+(Bytes other) const { return Bytes{bytes_ + other.bytes_}; }
  constexpr Bytes operator*(double factor) const { return Bytes{bytes_ * factor}; }
  constexpr auto operator<=>(const Bytes&) const = default;

 private:
  double bytes_ = 0;
};

/// A byte rate. Unit: bytes per microsecond, which is MB/s; 1 GB/s = 1e9 B/s = 1,000 of them.
class Throughput {
 public:
  constexpr Throughput() = default;
  static constexpr Throughput gb_per_s(double value) { return Throughput{value * 1e3}; }
  static constexpr Throughput gbit_per_s(double value) { return Throughput{value * 1e3 / 8}; }
  constexpr double gb_per_s() const { return per_us_ * 1e-3; }
  constexpr auto operator<=>(const Throughput&) const = default;
  friend constexpr Duration operator/(Bytes b, Throughput t) {
    return Duration::us(b.count() / t.per_us_);
  }

 private:
  constexpr explicit Throughput(double per_us) : per_us_{per_us} {}
  double per_us_ = 0;
};

constexpr Throughput operator*(Rate r, Bytes b) {
  return Throughput::gb_per_s(r.mmsg_per_s() * b.count() * 1e-3);
}

namespace literals {
constexpr Duration operator""_us(long double v) { return Duration::us(static_cast<double>(v)); }
constexpr Duration operator""_us(unsigned long long v) {
  return Duration::us(static_cast<double>(v));
}
constexpr Duration operator""_ns(long double v) { return Duration::ns(static_cast<double>(v)); }
constexpr Duration operator""_ns(unsigned long long v) {
  return Duration::ns(static_cast<double>(v));
}
constexpr Rate operator""_Mmsg(long double v) { return Rate::mmsg_per_s(static_cast<double>(v)); }
constexpr Rate operator""_Mmsg(unsigned long long v) {
  return Rate::mmsg_per_s(static_cast<double>(v));
}
constexpr Bytes operator""_B(unsigned long long v) { return Bytes{static_cast<double>(v)}; }
}  // namespace literals

}  // namespace qpcast
