import type { SessionFacts } from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';

/**
 * Whether this is the page in one file: nothing can be changed there, and it has no other places. It is known when the page is built, so
 * that what only a host can fill takes no room in files.
 */
export const IN_FILE = import.meta.env.MODE === 'file';

/** Where everything that is shown comes from: a host, or the file that the page is in. */
export type Source = {
  readonly client: Client;
  /** Who the caller is, and what it may do. */
  readonly readSession: (signal: AbortSignal) => Promise<SessionFacts>;
  /** When it last answered; a file always does. */
  readonly lastNews?: () => number | undefined;
  /** Asks for something else than an answer of the client, such as a file. */
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  /** The tags that authors gave tasks; hosts know none. */
  readonly tagsOf?: (runId: string, taskId: string) => readonly string[];
  /** Of a run in a file: how many tasks there was no room for the events of. */
  readonly leftOutOf?: (runId: string) => number;
  /** Whether inputs and answers can be read. */
  readonly hasContent: boolean;
};

/** When the host last answered anything, by the clock of this machine; undefined before. */
export const lastNews = (): number | undefined => source.lastNews?.();

/** The client of the source. It is set before anything is shown. */
export let client: Client;
let source: Source;

export function openSource(opened: Source): void {
  source = opened;
  client = opened.client;
}

export const readSession: Source['readSession'] = (signal) => source.readSession(signal);
export const fetchFrom: Source['fetch'] = (path, init) => source.fetch(path, init);
export const tagsOf = (runId: string, taskId: string): readonly string[] =>
  source.tagsOf?.(runId, taskId) ?? [];
export const leftOutOf = (runId: string): number => source.leftOutOf?.(runId) ?? 0;
export const hasContent = (): boolean => source.hasContent;
