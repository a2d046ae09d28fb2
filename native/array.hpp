// Numpy arrays as arguments and results, without copies, and checks of their lengths.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace nb = nanobind;

namespace lwcal {

template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using NewArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Out = NewArray<double>;

// Raise ValueError in Python if an array does not have the expected number of rows.
inline void require_length(const char* name, std::size_t length, std::size_t expected) {
    if (length != expected)
        throw std::invalid_argument(std::string("expected ") + std::to_string(expected) +
                                    " rows in " + name + ", got " + std::to_string(length) + ".");
}

inline void require_not_empty(const char* name, std::size_t length) {
    if (length == 0) throw std::invalid_argument(std::string(name) + " is empty.");
}

// Memory for `capacity` values. `release` hands the first `size` of them to numpy.
// It is not initialised: the system provides only the pages that are written to.
template <typename T>
class Buffer {
   public:
    explicit Buffer(std::size_t capacity)
        : data_(static_cast<T*>(std::malloc((capacity ? capacity : 1) * sizeof(T)))) {
        if (!data_) throw std::bad_alloc();
        advise_huge_pages(capacity * sizeof(T));
    }
    T* data() { return data_.get(); }

    NewArray<T> release(std::size_t size) {
        T* data = data_.release();
        nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
        return NewArray<T>(data, {size}, owner);
    }

    nb::ndarray<nb::numpy, T, nb::ndim<2>> release(std::size_t rows, std::size_t columns) {
        T* data = data_.release();
        nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
        return {data, {rows, columns}, owner};
    }

   private:
    // Huge pages make the first writes to a large buffer cheaper. numpy asks for them too.
    void advise_huge_pages([[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
        constexpr std::size_t page = 4096, worthwhile = std::size_t{1} << 22;
        if (bytes < worthwhile) return;
        const std::size_t offset = page - reinterpret_cast<std::size_t>(data_.get()) % page;
        madvise(reinterpret_cast<char*>(data_.get()) + offset, bytes - offset, MADV_HUGEPAGE);
#endif
    }
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    std::unique_ptr<T, Free> data_;
};

// Compute without the lock of the interpreter: other Python threads run meanwhile.
template <typename Compute>
auto unlocked(Compute compute) {
    nb::gil_scoped_release other_threads_run;
    return compute();
}

inline Out to_array(const std::vector<double>& values) {
    Buffer<double> out(values.size());
    std::copy(values.begin(), values.end(), out.data());
    return out.release(values.size());
}

}  // namespace lwcal
