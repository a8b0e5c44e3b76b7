import { defined, type Principal } from '@touchstone/protocol';
import type { Engine, Run } from '../../ports/index.js';
import { withChannel } from '../deployments/channel.js';
import { isExecuted } from '../fleet/sharing.js';
import { createRun } from '../runs/create-run.js';
import { createdBefore, idsOf } from '../runs/creation.js';
import { createFork } from '../runs/fork-run.js';
import { previewRun } from '../runs/preview-run.js';
import { createRejudge } from '../runs/rejudge.js';
import type { CreationOptions, Touchstone } from '../touchstone.js';
import type { Parts } from './parts.js';

/** New runs. Each is driven as soon as it is stored, unless the caller drives it. */
export function runsOf(
  parts: Parts,
  engine: Engine,
): Pick<Touchstone, 'createRun' | 'previewRun' | 'rejudge' | 'fork'> {
  const { origin: ownOrigin, log, suites, agents, judges, safety, settings, config } = parts;
  const planning = {
    ...parts,
    findSuite: suites.find,
    suiteSignature: suites.signature,
    findAgent: agents.registry.find,
    chooseModel: agents.registry.chooseModel,
    chooseUser: agents.registry.chooseUser,
    chooseJudge: judges.choose,
    judges,
    chooseSafetyJudge: judges.chooseForSafety,
    safetyPolicy: safety.digest,
    unsetVariable: agents.tools.unsetVariable,
    priceOf: agents.priceOf,
    evalSettings: settings,
    maxRunDurationMs: config.limits.maxRunDurationMs,
    tolerance: config.regression.tolerance,
    checkerFor: parts.checkers.forRequest,
    suiteHead: suites.head,
    suiteTasks: suites.tasks,
  };
  const begin = (run: Run, start = true): Run => {
    const { owner, runId, plan } = run;
    if (start && !parts.role.works && isExecuted(plan)) parts.store.leases.offer(runId, plan.environment);
    else if (start) engine.drive(owner, runId).catch((error) => log.error('run.abandoned', { runId }, error));
    return run;
  };
  const once = async (
    { owner }: Principal,
    { creationId, start }: CreationOptions,
    create: (named: typeof planning) => Promise<Run>,
  ): Promise<Run> =>
    (await createdBefore(parts.store.runs, owner, creationId)) ??
    begin(await create({ ...planning, ids: idsOf(parts.ids, creationId) }), start);
  return {
    createRun: (principal, body, options = {}) =>
      once(principal, options, (named) => {
        const { origin = ownOrigin, exclusiveScope = false, channel, contract, seamRunId } = options;
        const bound = { ...withChannel(named, channel), ...defined({ contract, seamRunId }) };
        return createRun(bound, principal, body, { origin, exclusiveScope });
      }),
    previewRun: (owner, body) => previewRun(planning, owner, body),
    rejudge: (principal, runId, request, options = {}) =>
      once(principal, options, (named) =>
        createRejudge(named, principal, runId, request, options.origin ?? ownOrigin),
      ),
    fork: (principal, runId, body, options = {}) =>
      once(principal, options, (named) =>
        createFork(named, principal, runId, body, options.origin ?? ownOrigin),
      ),
  };
}
