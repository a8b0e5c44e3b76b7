import type { Digest, Json, Owner, ScorecardResult, SuitePin, TaskId } from '@touchstone/protocol';
import type { Store } from '../../ports/index.js';
import { type SharedTasks, shareTasks, type TaskDigests } from '../../scorecard/index.js';
import { digestOf } from '../../suites/index.js';
import { ownerOfSuite, suiteByDigest, taskPages } from '../catalogue/suite-catalogue.js';

/** A run as far as it tells which tasks it ran: by its suite, or, of a scorecard that came in a file, by its results. */
type TaskSource = {
  readonly suite: Pick<SuitePin, 'digest'>;
  readonly results?: readonly ScorecardResult[];
  readonly imported?: boolean;
};

/** How the tasks of two runs' suites hang together; undefined when a scorecard file does not say which tasks it is about. */
export async function sharedTasks(
  store: Store,
  owner: Owner,
  before: TaskSource,
  after: TaskSource,
): Promise<SharedTasks | undefined> {
  if (before.suite.digest === after.suite.digest) return sameSuite(before, after);
  const then = await digestsOf(store, owner, before);
  const now = then && (await digestsOf(store, owner, after));
  return then && now && shareTasks(then, now);
}

/** All tasks are common. Those that were not selected make no difference: nobody compares what was not run. */
function sameSuite({ results = [] }: TaskSource, { results: others = [] }: TaskSource): SharedTasks {
  const common = new Set([...results, ...others].map(({ taskId }) => taskId));
  return { common, changed: [], added: [], removed: [] };
}

const digestsOf = (store: Store, owner: Owner, source: TaskSource): Promise<TaskDigests | undefined> =>
  source.imported
    ? Promise.resolve(cardDigests(source.results ?? []))
    : suiteDigests(store, owner, source.suite.digest);

function cardDigests(results: readonly ScorecardResult[]): TaskDigests | undefined {
  const digests = new Map<TaskId, Digest>();
  for (const { taskId, taskDigest } of results) {
    if (taskDigest === undefined) return undefined;
    digests.set(taskId, taskDigest);
  }
  return digests;
}

/** Of every task of a suite that is kept here. */
export async function suiteDigests(
  store: Store,
  owner: Owner,
  digest: Digest,
): Promise<TaskDigests | undefined> {
  const holder = await ownerOfSuite(store, owner, digest);
  const head = holder && (await suiteByDigest(store, holder, digest));
  if (!holder || !head) return undefined;
  const digests = new Map<TaskId, Digest>();
  for await (const page of taskPages(store, holder, head))
    for (const task of page) digests.set(task.taskId, digestOf(task as unknown as Json));
  return digests;
}
