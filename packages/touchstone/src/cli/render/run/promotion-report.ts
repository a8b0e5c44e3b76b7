import type { RunView } from '../../verbs/run/result.js';
import { placeOf } from '../deployments/deployment.js';

/** What a report says of the promotion that followed a run. */
export type ReportedPromotion = {
  readonly status: 'moved' | 'denied' | 'waiting' | 'impossible';
  /** The code of what was in the way. */
  readonly code?: string;
  readonly words: string;
};

/** One sentence, free of content; undefined when nothing was to be promoted. */
export function reportedPromotion({ promotion }: RunView): ReportedPromotion | undefined {
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
