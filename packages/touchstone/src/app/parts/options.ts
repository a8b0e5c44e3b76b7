import type { Clock, Ids, Log, Random } from '../../ports/index.js';
import type { Config } from '../config/config.js';
import { systemClock, systemIds } from '../system.js';

export type HostRole = {
  /** Takes up runs and executes them. A host that does not still moves deployments, and asks people. */
  readonly works: boolean;
  /** Makes the tables of a database, and loads the packs and suites of the configured folders into the store. */
  readonly prepares: boolean;
};
const WHOLE_HOST: HostRole = { works: true, prepares: true };

export type ComposeOptions = {
  readonly config: Config;
  /** Holds the store when the configuration names none. Without either, everything is kept in memory. */
  readonly dataDir?: string;
  /** `host` takes up unfinished runs and loads the configured suites; `cli` does neither by itself. */
  readonly origin: 'host' | 'cli';
  /** What a host does of all that hosts of a store do; everything by default. */
  readonly role?: HostRole;
  /** Modules get processes of their own, where they can neither end nor print over this one; by default on a host. */
  readonly modulesApart?: boolean;
  readonly log: Log;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly random?: Random;
  readonly env?: NodeJS.ProcessEnv;
  /** Of this package, for documents that are sent to others. */
  readonly version?: string;
  /** Tells the person who waits for this process one sentence; a host has its log instead. */
  readonly tell?: (sentence: string) => void;
  /** Adds an agent that echoes, for the test seams to evaluate. Never in production. */
  readonly testSeams?: boolean;
};

/** What a host is made from, with its defaults. */
export type Basics = Required<Omit<ComposeOptions, 'testSeams' | 'dataDir' | 'tell'>> &
  Pick<ComposeOptions, 'dataDir' | 'tell'>;

export const withDefaults = (options: ComposeOptions): Basics => ({
  clock: systemClock,
  ids: systemIds,
  random: Math.random,
  role: WHOLE_HOST,
  modulesApart: options.origin === 'host',
  env: process.env,
  version: '0.1.0',
  ...options,
});
