/// Memory that the GPU reaches: its own, and host memory mapped into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace qpcast::hw::gda {

/// Pinned host memory at the same address on both sides, zeroed.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  /// @throws DeviceError
  explicit PinnedMemory(std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept
      : data_{std::exchange(other.data_, nullptr)}, bytes_{std::exchange(other.bytes_, 0)} {}
  PinnedMemory& operator=(PinnedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// GPU memory, zeroed.
class GpuMemory {
 public:
  GpuMemory() = default;
  /// @throws DeviceError
  explicit GpuMemory(std::size_t bytes);
  ~GpuMemory();
  GpuMemory(GpuMemory&& other) noexcept
      : data_{std::exchange(other.data_, nullptr)}, bytes_{std::exchange(other.bytes_, 0)} {}
  GpuMemory& operator=(GpuMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  void fill(int byte);
  void from_host(const void* host, std::size_t bytes);
  void to_host(void* host, std::size_t bytes) const;

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace qpcast::hw::gda
