import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Queue } from './queue';

describe('Queue', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('runs at most two jobs at once', async () => {
    let running = 0;
    let most = 0;
    const queue = new Queue({ concurrency: 2 });
    const job = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
    };
    const done = Promise.all(Array.from({ length: 5 }, () => queue.add(job)));
    await vi.runAllTimersAsync();
    await done;
    expect(most).toBe(2);
  });

  it('tries a failed job again', async () => {
    const job = vi.fn().mockRejectedValueOnce(new Error('busy')).mockResolvedValue('ok');
    const result = new Queue({ retries: 1 }).add(job);
    await vi.runAllTimersAsync();
    await expect(result).resolves.toBe('ok');
    expect(job).toHaveBeenCalledTimes(2);
  });
});
