export interface Options {
  concurrency?: number;
  retries?: number;
}

type Job<T> = () => Promise<T>;

export class Queue {
  private waiting: Array<() => void> = [];
  private running = 0;

  constructor(private readonly options: Options = {}) {}

  async add<T>(job: Job<T>): Promise<T> {
    await this.slot();
    try {
      return await this.attempt(job);
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  private slot(): Promise<void> {
    const { concurrency = 1 } = this.options;
    return new Promise((resolve) => {
      const start = () => {
        this.running += 1;
        resolve();
      };
      if (this.running < concurrency) start();
      else this.waiting.push(start);
    });
  }

  private async attempt<T>(job: Job<T>): Promise<T> {
    const { retries = 0 } = this.options;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await job();
      } catch (error) {
        if (attempt >= retries) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
      }
    }
  }
}
