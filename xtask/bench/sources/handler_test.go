package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestGet(t *testing.T) {
	for name, test := range map[string]struct {
		path string
		want int
	}{
		"known":    {"/invoices/1", http.StatusOK},
		"unknown":  {"/invoices/2", http.StatusNotFound},
		"no digit": {"/invoices/x", http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			rec := httptest.NewRecorder()
			New(fakeStore{1: {ID: 1}}, discard).ServeHTTP(rec, httptest.NewRequest("GET", test.path, nil))
			if rec.Code != test.want {
				t.Errorf("got %d, want %d", rec.Code, test.want)
			}
		})
	}
}
