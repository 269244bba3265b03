package main

import (
	"context"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func run(ctx context.Context, jobs <-chan Job, workers int) {
	var group sync.WaitGroup
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				select {
				case <-ctx.Done():
					return
				case job, ok := <-jobs:
					if !ok {
						return
					}
					job.Run(ctx)
				}
			}
		}()
	}
	group.Wait()
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	run(ctx, poll(ctx), 4)
}
