import type { RunId } from '@touchstone/protocol';

/** What a process tells the others about a run. `drive`: it waits for a driver; `work`: its open work has changed; `follow`: its log has readers. */
export type Topic = 'log' | 'drive' | 'work' | 'follow' | 'annotation';
export type NoticeListener = (runId: RunId, detail: string) => void;

/** The other processes that share a store. Nothing durable depends on any of it: a notification may not be heard. */
export type Peers = {
  /**
   * Tells the others, or those that are named, after a commit and apart from it. Repeated notices about a run are sent together.
   */
  notify(topic: Topic, runId: RunId, detail?: string, to?: readonly string[]): void;
  /** Called for notices of others only. Returns the function that ends it. */
  listen(topic: Topic, listener: NoticeListener): () => void;
  /** The log of a run has a reader here, so that the others tell of it soon; until the answer is called. */
  follow(runId: RunId): () => void;
  /**
   * Another number after each time that the others could have counted this process as lost; undefined while they can.
   */
  presence(): number | undefined;
  /** Looks which of these lease holders are no more. */
  look(holders: readonly string[]): Promise<void>;
  /** Whether the last looks have shown that a holder's process is no more. */
  isGone(holder: string): boolean;
  /** Whether this process is the one that has the name, until it ends; false while another one has it. */
  holdAlone(name: string): Promise<boolean>;
  close(): Promise<void>;
};

const NOTHING = (): void => undefined;

/** For a store whose processes do not know each other. What is done once for all of them, each does for itself. */
export const NO_PEERS: Peers = {
  notify: NOTHING,
  listen: () => NOTHING,
  follow: () => NOTHING,
  presence: () => 0,
  look: async () => undefined,
  isGone: () => false,
  holdAlone: async () => true,
  close: async () => undefined,
};
