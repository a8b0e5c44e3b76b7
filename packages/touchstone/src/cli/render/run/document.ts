import { defined } from '@touchstone/protocol';
import type { Matrix } from '@touchstone/sdk/view';
import {
  type ExportedRun,
  type JunitFailures,
  renderJunit as junitOf,
  renderMarkdown as markdownOf,
  type RefusedSuite,
  type ReportedPromotion,
  runDocument,
} from '../../../exporters/index.js';
import type { Promotion } from '../../verbs/deployments/promotion.js';
import { exitOfAll, type RunView } from '../../verbs/run/result.js';
import { placeOf } from '../deployments/deployment.js';

/** The `--json` form of what came of a request. */
export const promotionDocument = (promotion: Promotion): object => {
  const { agentId, version, evalRunId, filesNotFollowed, steps, record, unchanged, exitCode } = promotion;
  const last = steps.at(-1);
  return {
    ...defined({ agentId, version, evalRunId, exitCode, filesNotFollowed }),
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
    ...defined({ recorded }),
    ...(promotion && { promotion: 'steps' in promotion ? promotionDocument(promotion) : promotion }),
  });
}

/** One sentence, free of content; undefined when nothing was to be promoted. */
function reportedPromotion({ promotion }: RunView): ReportedPromotion | undefined {
  if (!promotion) return undefined;
  if (!('steps' in promotion)) {
    const { code, message } = promotion.error;
    return { status: 'impossible', code, words: message };
  }
  const { record, versions, unchanged, steps, exitCode } = promotion;
  const last = steps.at(-1);
  const move = last ? `${last.fromState} → ${last.toState}` : '';
  if (last?.outcome === 'waiting')
    return { status: 'waiting', words: `${move} waits for approval, run ${last.runId ?? ''}`.trimEnd() };
  const now = `${record.agentId}@${record.version} is ${unchanged ? 'already' : 'now'} ${placeOf(record, versions)}`;
  if (!last?.error) return { status: 'moved', words: now };
  const { code, message } = last.error;
  return { status: exitCode === 1 ? 'denied' : 'impossible', code, words: `${move}: ${message}` };
}

/** A run as exporters take it. */
export function exportedRun(result: RunView): ExportedRun {
  const { promotion: _, ...run } = result;
  const promotion = reportedPromotion(result);
  return promotion ? { ...run, promotion } : run;
}

export const renderJunit = (
  results: readonly RunView[],
  refused: readonly RefusedSuite[] = [],
  which?: JunitFailures,
): string => junitOf(results.map(exportedRun), refused, which);

export const renderMarkdown = (
  results: readonly RunView[],
  refused: readonly RefusedSuite[] = [],
  matrices?: readonly Matrix[],
): string => markdownOf(results.map(exportedRun), refused, matrices);
