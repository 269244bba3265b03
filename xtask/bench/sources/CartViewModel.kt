package com.example.shop.cart

import androidx.lifecycle.ViewModel
import androidx.lifecycle.viewModelScope
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch

data class CartState(val lines: List<CartLine> = emptyList(), val loading: Boolean = false, val error: String? = null) {
    val total: Long get() = lines.sumOf { it.cents * it.quantity }
}

class CartViewModel(private val repository: CartRepository) : ViewModel() {
    private val _state = MutableStateFlow(CartState())
    val state: StateFlow<CartState> = _state.asStateFlow()

    fun load() {
        viewModelScope.launch {
            _state.update { it.copy(loading = true, error = null) }
            runCatching { repository.lines() }
                .onSuccess { lines -> _state.update { it.copy(lines = lines, loading = false) } }
                .onFailure { error -> _state.update { it.copy(loading = false, error = error.message) } }
        }
    }

    fun setQuantity(sku: String, quantity: Int) {
        _state.update { state ->
            val lines = state.lines.map { if (it.sku == sku) it.copy(quantity = quantity) else it }
            state.copy(lines = lines.filter { it.quantity > 0 })
        }
    }
}
