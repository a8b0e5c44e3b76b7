import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunId } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import { queryPostgres } from '../setup/postgres.js';
import { callsIn, KEY, type Serving } from './processes.js';

export const EVAL = {
  mode: 'eval' as const,
  evalSuiteRef: 'local.test.evals.numbers',
  agentId: 'local.test.numbers',
};
export const POLL = { timeout: 90_000, interval: 100 };

export function setStore(folder: string, store: string | undefined): void {
  const file = join(folder, 'touchstone.config.json');
  const { store: _, ...config } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...config, ...(store !== undefined && { store }) }));
}

/** The agent notes its calls in a file, and has no other way to tell this process. */
export async function untilCalled(file: string, count: number): Promise<void> {
  while (callsIn(file).length < count) await wait(5);
}

/** The tasks that a stream of this host tells of, from the first event to the last. */
export async function scoresOf(host: Serving, runId: RunId): Promise<string[]> {
  const found: string[] = [];
  for await (const event of createClient({ baseUrl: host.url, key: KEY }).streamEvents(runId))
    if (event.type === 'eval.scored') found.push(String((event.payload as { taskId: string }).taskId));
  return found;
}

export const withoutTimes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, member) => (/Ms$|^(at|timestamp|runId)$/.test(key) ? undefined : member)),
  );

export async function comparableLog(
  host: Serving,
  runId: RunId,
): Promise<readonly { type: string; sequence: number }[]> {
  const log: unknown[] = [];
  for await (const event of createClient({ baseUrl: host.url, key: KEY }).streamEvents(runId))
    log.push(event);
  const text = JSON.stringify(log).replaceAll(runId, 'RUN');
  return withoutIds(withoutTimes(JSON.parse(text))) as readonly { type: string; sequence: number }[];
}

/** Ids made for one run only. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, member) =>
      /^(eventId|invocationId|causationId|correlationId|spanId|traceId)$/.test(key) ? undefined : member,
    ),
  );

/** Notes which results are kept now. Answers which of them have been executed again since: none ever should be. */
export async function noteKept(url: string, callsFile: string): Promise<() => readonly number[]> {
  const kept = new Set(
    (await queryPostgres(url, 'SELECT ordinal FROM records')).map(({ ordinal }) => Number(ordinal)),
  );
  const before = callsIn(callsFile).length;
  return () =>
    callsIn(callsFile)
      .slice(before)
      .map(({ ordinal }) => ordinal)
      .filter((ordinal) => kept.has(ordinal));
}
