import type { PageSession } from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import { navigate } from './address.js';
import { tellWritten } from './writes.js';

// The half of the session that this page keeps. The other half is a cookie that no script can read.

const KEY = 'touchstone.session';
const PATH = '/v1/host/touchstone/session';

let hasEnded = false;
/** Aborted by a sign-out: what is on its way would be refused without the session, and nothing is asked until the next sign-in. */
let asking = new AbortController();
let answeredAt: number | undefined;

export const lastNews = (): number | undefined => answeredAt;

/** Whether the host no longer takes a session that this page had. */
export const isSessionOver = (): boolean => hasEnded;

export const isSignedIn = (): boolean => localStorage.getItem(KEY) !== null;

/** Sends a request with this page's half of the session. */
export async function sessionFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await send(url, init);
  answeredAt = Date.now();
  if (response.status === 401) askToSignIn();
  if (response.ok && init.method !== undefined && init.method !== 'GET') tellWritten();
  return response;
}

function send(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('touchstone-session', localStorage.getItem(KEY) ?? '');
  if (asking.signal.aborted && isSignedIn()) asking = new AbortController();
  const signal = init.signal ? AbortSignal.any([init.signal, asking.signal]) : asking.signal;
  return fetch(url, { ...init, headers, signal });
}

/** Leads to the sign-in, and afterwards back to here. */
export function askToSignIn(): void {
  if (isSignedIn()) hasEnded = true;
  localStorage.removeItem(KEY);
  if (location.pathname === '/sign-in') return;
  const back = location.pathname + location.search;
  navigate(`/sign-in${back === '/' ? '' : `?back=${encodeURIComponent(back)}`}`, { replace: true });
}

/** Exchanges a key, or a one-time token, for a session. Neither is kept. */
export async function signIn(secret: string): Promise<void> {
  const headers = { authorization: `Bearer ${secret}` };
  const response = await fetch(PATH, { method: 'POST', headers });
  const body = await response.json();
  if (!response.ok) throw new HostResponseError(response.status, body);
  hasEnded = false;
  localStorage.setItem(KEY, (body as PageSession).session);
}

export async function signOut(): Promise<void> {
  const headers = { 'touchstone-session': localStorage.getItem(KEY) ?? '' };
  localStorage.removeItem(KEY);
  asking.abort();
  await fetch(PATH, { method: 'DELETE', headers }).catch(() => undefined);
  navigate('/sign-in', { replace: true });
}
