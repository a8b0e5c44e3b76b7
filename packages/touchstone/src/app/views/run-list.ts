import type { Owner, RunVerdict } from '@touchstone/protocol';
import type { Page, Run, RunFilter, Store } from '../../ports/index.js';
import { createFigures, type OutcomesReader } from './outcomes/run-outcomes.js';
import { verdictOfRun } from './snapshot.js';

export type RunListQuery = RunFilter & {
  readonly verdict?: RunVerdict | undefined;
  readonly tag?: string | undefined;
  /** A part of its id, of the name of its suite or agent, or of a tag. */
  readonly q?: string | undefined;
};

/** So many runs are looked at for one answer; a page that ends early says where the next one begins. */
const MOST_READ = 2_000;

type RunListSource = { readonly store: Store; readonly outcomes: OutcomesReader };

/** Runs of an owner, newest first. What the store has no index for is looked for among the runs it lists. */
export async function listRuns(
  { store, outcomes }: RunListSource,
  owner: Owner,
  { verdict, tag, q, ...filter }: RunListQuery,
): Promise<Page<Run>> {
  const hasName = ruleOf({ tag, q });
  const withFigures = createFigures(outcomes);
  const items: Run[] = [];
  let nextCursor: string | undefined = filter.cursor;
  for (let read = 0; read < MOST_READ && items.length < filter.limit; ) {
    const limit = filter.limit - items.length;
    const page = await store.runs.list(owner, {
      ...filter,
      limit,
      ...(nextCursor !== undefined && { cursor: nextCursor }),
    });
    for (const named of page.items.filter(hasName)) {
      const run = await withFigures(named);
      if (verdict === undefined || verdictOfRun(run) === verdict) items.push(run);
    }
    nextCursor = page.nextCursor;
    if (nextCursor === undefined) break;
    read += page.items.length;
    if (verdict === undefined && tag === undefined && q === undefined) break;
  }
  return { items, ...(nextCursor !== undefined && { nextCursor }) };
}

const ruleOf =
  ({ tag, q }: Pick<RunListQuery, 'tag' | 'q'>) =>
  (run: Run): boolean =>
    (tag === undefined || run.request.tags?.includes(tag) === true) &&
    (q === undefined || namesOf(run).some((name) => name.toLowerCase().includes(q.toLowerCase())));

function namesOf({ runId, workflowId, plan, request }: Run): readonly string[] {
  const agent = 'agent' in plan ? [`${plan.agent.agentId}@${plan.agent.version}`] : [];
  const moved = plan.kind === 'deployment' ? [plan.agentId] : [];
  const suite = plan.kind === 'eval' ? [`${plan.suite.suiteId}@${plan.suite.version}`] : [];
  return [runId, workflowId, ...agent, ...moved, ...suite, ...(request.tags ?? [])];
}
