// Calls of the local server. Nothing else is ever asked: the page's content security policy allows no other address.

/** What went wrong, in words and with what to do about it. */
export class Failure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint = '',
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}

let token = '';

/**
 * Takes the token out of the address and keeps it in memory only: what a browser stores for a tab lies in files of its profile,
 * which other programs of the user can read. After a reload the page asks for the printed address again.
 */
export function takeToken(): void {
  const fragment = location.hash.slice(1);
  if (fragment && !fragment.startsWith('/')) {
    token = decodeURIComponent(fragment.split('/')[0] ?? '');
    history.replaceState(null, '', location.pathname + '#/now');
  }
}

export function hasToken(): boolean {
  return token !== '';
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await ask(path, signal ? { signal } : {});
  return (await response.json()) as T;
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

/** One request with the token; anything but success becomes a `Failure`. */
export async function ask(path: string, options: RequestInit = {}): Promise<Response> {
  if (!token) throw noToken();
  let response: Response;
  try {
    response = await fetch(path, {
      ...options,
      cache: 'no-store',
      headers: { ...(options.headers as Record<string, string>), Authorization: `Bearer ${token}` },
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Failure('offline', 'The server does not answer.', 'Start it again: tollgate ui');
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

function noToken(): Failure {
  return new Failure(
    'no_token',
    'This page has no access token.',
    'Open the link that is printed by: tollgate ui --print-url',
  );
}

async function failureOf(response: Response): Promise<Failure> {
  try {
    const { error } = (await response.json()) as {
      error: { code: string; message: string; hint?: string; retry_after_s?: number };
    };
    if (error.code === 'no_token') {
      return new Failure('no_token', 'The access token is not valid any more.', noToken().hint);
    }
    return new Failure(error.code, error.message, error.hint ?? '', error.retry_after_s ?? 0);
  } catch {
    return new Failure('failed', `The server answered with status ${response.status}.`, 'Try again.');
  }
}

/** Any thrown value as a `Failure`. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure('failed', error instanceof Error ? error.message : String(error), 'Reload the page.');
}
