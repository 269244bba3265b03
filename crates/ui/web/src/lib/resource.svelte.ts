import { asFailure, get, type Failure } from './api';

/** What a page loads: the last answer stays while a newer one is on its way, so that nothing jumps. */
export class Resource<T> {
  data = $state.raw<T | undefined>();
  failure = $state.raw<Failure | undefined>();
  loading = $state(false);
  #path = '';
  #running: AbortController | undefined;

  /** Loads from here. An older request that is still running is given up. */
  load(path: string): void {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#path = path;
    this.loading = true;
    get<T>(path, running.signal).then(
      (data) => {
        if (this.#running === running) this.#settle(data, undefined);
      },
      (error: unknown) => {
        if (this.#running === running && !running.signal.aborted) this.#settle(undefined, asFailure(error));
      },
    );
  }

  reload = (): void => {
    if (this.#path) this.load(this.#path);
  };

  forget(): void {
    this.#running?.abort();
    this.data = undefined;
    this.failure = undefined;
    this.loading = false;
  }

  #settle(data: T | undefined, failure: Failure | undefined): void {
    if (data !== undefined) this.data = data;
    this.failure = failure;
    this.loading = false;
  }
}
