import type {
  CompareRuns,
  JudgeComparison,
  LookAtRuns,
  LooksReport,
  RunComparison,
  RunId,
} from '@touchstone/protocol';
import type { Transport } from '../transport.js';
import { type Reading, VENDOR } from './calls.js';

/** Calls that hold runs against each other, and change nothing on the host. */
export function comparisonCalls(transport: Transport) {
  return {
    /** One run against another, task by task, and whether a drop is more than chance. Changes nothing on the host. */
    compare: (body: CompareRuns, reading?: Reading): Promise<RunComparison> =>
      transport.json({ method: 'POST', path: `${VENDOR}/runs:compare`, body, readOnly: true, ...reading }),
    /**
     * What is known after each round of one evaluation. The intervals are right at all looks at once, so one may stop at the
     * first verdict. Changes nothing on the host.
     */
    looks: (body: LookAtRuns, reading?: Reading): Promise<LooksReport> =>
      transport.json({ method: 'POST', path: `${VENDOR}/runs:looks`, body, readOnly: true, ...reading }),
    /**
     * How far the judges of two runs agree about the same recorded answers.
     * @param before A completed run.
     * @param after The run that `rejudge` made of it.
     */
    compareJudges: (before: RunId, after: RunId, reading?: Reading): Promise<JudgeComparison> =>
      transport.json({
        method: 'POST',
        path: `${VENDOR}/runs:compare-judges`,
        body: { before, after },
        readOnly: true,
        ...reading,
      }),
  };
}
