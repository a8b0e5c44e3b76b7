import { runDocument } from '../../../exporters/index.js';
import type { Promotion } from '../../verbs/deployments/promotion.js';
import { exitOfAll, type RunView } from '../../verbs/run/result.js';

/** The `--json` form of what came of a request. */
export const promotionDocument = (promotion: Promotion): object => {
  const { agentId, version, evalRunId, steps, record, unchanged, exitCode } = promotion;
  const last = steps.at(-1);
  return {
    agentId,
    version,
    ...(evalRunId !== undefined && { evalRunId }),
    exitCode,
    steps: steps.map(({ error: _, ...step }) => step),
    record,
    ...(unchanged && { unchanged }),
    ...(last?.outcome === 'waiting' && { waiting: { runId: last.runId } }),
    ...(last?.error && { error: last.error }),
  };
};

/** The `--json` form of one run. */
export function documentOf(result: RunView): object {
  const { recorded, promotion } = result;
  return runDocument(result, {
    exitCode: exitOfAll(result),
    ...(recorded !== undefined && { recorded }),
    ...(promotion && { promotion: 'steps' in promotion ? promotionDocument(promotion) : promotion }),
  });
}
