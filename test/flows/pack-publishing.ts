import { check } from '@touchstone/protocol/wire';
import { expect } from 'vitest';
import { PACK_URL, readJson } from './pack-host.js';
import type { FetchOptions, WholeHost } from './whole-host.js';

export const put = (host: WholeHost, body: unknown, url = PACK_URL, options: FetchOptions = {}) =>
  readJson(host, url, { method: 'PUT', body, ...options });

/** All that a pack could leave behind, as its owner sees it. */
const shelves = async (host: WholeHost): Promise<string> => {
  const paths = ['/v1/host/touchstone/packs', '/v1/agents', '/v1/host/touchstone/suites'];
  return (await Promise.all(paths.map(async (path) => (await host.fetch(path)).text()))).join('\n');
};

/** Sends a pack that must not get in: the answer is an error, and everything is as it was before. */
export async function refused(host: WholeHost, body: unknown, url?: string, options?: FetchOptions) {
  const before = await shelves(host);
  const answer = await put(host, body, url, options);
  expect(check('error-envelope', answer.body)).toEqual([]);
  expect(await shelves(host)).toBe(before);
  return { status: answer.status, code: answer.body.error };
}

export const refusal = (code: string, status = 400) => ({ status, code });
