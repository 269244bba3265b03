package server

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
)

// Store keeps invoices.
type Store interface {
	Find(id int64) (*Invoice, error)
	Insert(in Invoice) (int64, error)
}

var ErrNotFound = errors.New("not found")

type Handler struct {
	store Store
	log   *slog.Logger
}

func New(store Store, log *slog.Logger) http.Handler {
	h := &Handler{store: store, log: log}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /invoices/{id}", h.get)
	mux.HandleFunc("POST /invoices", h.create)
	return mux
}

func (h *Handler) get(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		http.Error(w, "id must be a number", http.StatusBadRequest)
		return
	}
	invoice, err := h.store.Find(id)
	switch {
	case errors.Is(err, ErrNotFound):
		http.NotFound(w, r)
	case err != nil:
		h.fail(w, err)
	default:
		h.write(w, http.StatusOK, invoice)
	}
}

func (h *Handler) create(w http.ResponseWriter, r *http.Request) {
	var in Invoice
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in); err != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	id, err := h.store.Insert(in)
	if err != nil {
		h.fail(w, err)
		return
	}
	h.write(w, http.StatusCreated, map[string]int64{"id": id})
}

func (h *Handler) write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		h.log.Error("write", "error", err)
	}
}

func (h *Handler) fail(w http.ResponseWriter, err error) {
	h.log.Error("request", "error", err)
	http.Error(w, "internal error", http.StatusInternalServerError)
}
