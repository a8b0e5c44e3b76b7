import {
  type AuditEntry,
  asId,
  defined,
  type Owner,
  type PrincipalId,
  type PrunedRuns,
  type ResourceName,
  type RunId,
  type ScopeName,
} from '@touchstone/protocol';
import type { Run, Store } from '../../ports/index.js';
import { logDigest } from '../views/log-normalisation.js';
import { readNeeds } from './needed-runs.js';

/** Which runs of an owner are to go, with all they are or with their content alone. */
export type PruneRule = {
  /** Only those that ended before. */
  readonly endedBefore?: number | undefined;
  /** Only those that are not among the newest so many of their suite and agent; those without a verdict count apart. */
  readonly keep?: number | undefined;
  readonly bodiesOnly: boolean;
};

type PruneOptions = {
  readonly rule: PruneRule;
  readonly dryRun: boolean;
  /** Who is recorded as having removed them. */
  readonly principal: PrincipalId;
  readonly now: number;
  /** Aborts when the host closes: what is left is removed another time. */
  readonly signal?: AbortSignal;
};

/** Runs that one request removes at most; a caller asks again for the rest. */
const MOST = 1_000;

/** Removes what a rule lets go and nothing needs, newest first. */
export async function pruneRuns(store: Store, owner: Owner, options: PruneOptions): Promise<PrunedRuns> {
  const { rule, dryRun, signal } = options;
  const needOf = await readNeeds(store, owner);
  const removed: RunId[] = [];
  const kept: PrunedRuns['kept'][number][] = [];
  for await (const run of candidates(store, owner, rule)) {
    if (removed.length === MOST || signal?.aborted) return { removed, kept, more: true };
    const { runId } = run;
    const need = await needOf(run);
    if (need) kept.push({ runId, ...need });
    else if (dryRun || (await removeOne(store, run, { ...options, bodiesOnly: rule.bodiesOnly })))
      removed.push(runId);
    else kept.push(...(await keptSince(store, run)));
  }
  return { removed, kept, more: false };
}

/** A removal that the store refuses has met somebody who needs the run now, or who has removed it. */
async function keptSince(store: Store, { owner, runId }: Run): Promise<PrunedRuns['kept']> {
  const run = await store.runs.get(owner, runId);
  const need = run && (await (await readNeeds(store, owner))(run));
  return need ? [{ runId, ...need }] : [];
}

type Removal = Pick<PruneOptions, 'principal' | 'now'> & { readonly bodiesOnly: boolean };

/** Removes a run or its content, together with the record of it. False when it is needed now, or no longer there. */
export async function removeOne(
  store: Store,
  run: Run,
  { bodiesOnly, principal, now }: Removal,
): Promise<boolean> {
  const { owner, runId, plan } = run;
  const entry = removalEntry(runId, bodiesOnly, principal, now);
  if (!bodiesOnly) return store.retention.remove(owner, runId, entry);
  // Scorecards of the run name the log as it was; one that is made later must not name another.
  const log = plan.kind === 'eval' ? await logDigest(store, owner, runId) : undefined;
  return store.retention.removeBodies(owner, runId, entry, log?.digest);
}

/** What the audit log says of a removal. */
const removalEntry = (runId: RunId, bodiesOnly: boolean, principal: PrincipalId, at: number): AuditEntry => ({
  at,
  principal,
  action: asId<ScopeName>('runs:delete'),
  resource: asId<ResourceName>(`runs/${runId}${bodiesOnly ? '/bodies' : ''}`),
  allowed: true,
  runId,
});

const PAGE = 100;

/** The runs that a rule lets go. Only with `keep` do newer ones count as well. */
async function* candidates(store: Store, owner: Owner, rule: PruneRule): AsyncGenerator<Run> {
  const ranks = new Map<string, number>();
  const createdBefore = rule.keep === undefined ? rule.endedBefore : undefined;
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await store.runs.list(owner, { limit: PAGE, ...defined({ cursor, createdBefore }) });
    cursor = page.nextCursor;
    for (const run of page.items) {
      const rank = (ranks.get(subjectOf(run)) ?? 0) + 1;
      ranks.set(subjectOf(run), rank);
      if (isPastRule(run, rank, rule)) yield run;
    }
    // Others get their turn: a store in this process answers at once.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function isPastRule(run: Run, rank: number, { endedBefore, keep, bodiesOnly }: PruneRule): boolean {
  if (keep !== undefined && rank <= keep) return false;
  if (endedBefore !== undefined && (run.completedAt ?? run.createdAt) >= endedBefore) return false;
  // A move of a deployment holds no content.
  return !bodiesOnly || (run.bodiesRemovedAt === undefined && run.plan.kind !== 'deployment');
}

/**
 * Runs of the same suite and agent follow one another; so do those of one agent or one workflow. Evaluations without a
 * verdict follow one another: a week without access to a provider must not drive out what was measured before.
 */
function subjectOf({ plan, workflowId, ...run }: Run): string {
  const agentId = plan.kind === 'deployment' ? plan.agentId : 'agent' in plan ? plan.agent.agentId : null;
  const isJudged = plan.kind !== 'eval' || run.headline?.unscored === 0;
  return JSON.stringify([plan.kind, workflowId, agentId, isJudged]);
}
