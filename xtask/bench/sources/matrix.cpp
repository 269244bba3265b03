#include <algorithm>
#include <cassert>
#include <vector>

template <typename T>
class Matrix {
public:
    Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), cells_(rows * columns) {}

    T& operator()(std::size_t row, std::size_t column) {
        assert(row < rows_ && column < columns_);
        return cells_[row * columns_ + column];
    }

    Matrix transposed() const {
        Matrix result(columns_, rows_);
        for (std::size_t row = 0; row < rows_; ++row)
            for (std::size_t column = 0; column < columns_; ++column)
                result(column, row) = cells_[row * columns_ + column];
        return result;
    }

    void fill(const T& value) { std::fill(cells_.begin(), cells_.end(), value); }

private:
    std::size_t rows_, columns_;
    std::vector<T> cells_;
};
