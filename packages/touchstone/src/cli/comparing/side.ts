import type {
  AgentPin,
  ContractVerdict,
  Digest,
  EmbedderPin,
  Fork,
  JudgeIdentity,
  ModelPin,
  RunId,
  Scorecard,
  SuitePin,
  TaskResult,
} from '@touchstone/protocol';
import type { LocalTouchstone } from '../../app/index.js';
import type { StepResult } from '../../ports/index.js';
import type { EvalRun } from '../find-run.js';
import { resultPages } from '../verbs/run/collect-result.js';

/** One of two runs that are compared. Nothing in it is content. */
export type Side = {
  readonly runId: RunId;
  readonly suite: SuitePin;
  readonly agent: AgentPin;
  readonly model?: ModelPin;
  readonly judge?: JudgeIdentity;
  readonly safetyJudge?: JudgeIdentity;
  readonly safetyPolicy?: Digest;
  readonly contract?: Digest;
  readonly embedder?: EmbedderPin;
  /** Whether that contract was kept, as far as it was written down. */
  readonly contractVerdict?: ContractVerdict;
  readonly repeats: number;
  /** In suite order. */
  readonly results: readonly TaskResult[];
  readonly score: number;
  readonly passed: number;
  readonly endedAt: number;
  /** It begins with the history of another run; a scorecard tells of which one, and not how. */
  readonly fork?: Pick<Fork, 'source'> & Partial<Fork>;
  /** Only its scorecard is here: there are no answers to look at. */
  readonly imported?: true;
};

type Measured = Omit<Side, 'results' | 'score' | 'passed' | 'endedAt' | 'imported'>;

/** Of a completed run. */
export async function sideOfRun(touchstone: LocalTouchstone, run: EvalRun): Promise<Side> {
  const rows: StepResult[] = [];
  for await (const page of resultPages(touchstone, run.runId)) for (const row of page) rows.push(row);
  const results = rows.sort((a, b) => a.ordinal - b.ordinal).map(({ result }) => result);
  const { contractVerdict } = run.headline ?? {};
  const measured = { ...run.plan, runId: run.runId, ...(contractVerdict && { contractVerdict }) };
  return sideOf(measured, results, run.completedAt ?? run.createdAt);
}

export const sideOfCard = (card: Scorecard): Side => ({
  ...sideOf(card, card.results, Date.parse(card.endedAt)),
  ...(card.caveats?.forkOf && { fork: { source: card.caveats.forkOf } }),
  imported: true,
});

function sideOf(measured: Measured, results: readonly TaskResult[], endedAt: number): Side {
  const { runId, suite, agent, model, judge, safetyJudge, safetyPolicy, repeats, fork } = measured;
  const { contract, embedder, contractVerdict } = measured;
  const sum = results.reduce((total, { score }) => total + score, 0);
  return {
    runId,
    suite,
    agent,
    ...(model && { model }),
    ...(judge && { judge }),
    ...(safetyJudge && { safetyJudge }),
    ...(safetyPolicy && { safetyPolicy }),
    ...(contract && { contract }),
    ...(embedder && { embedder }),
    ...(contractVerdict && { contractVerdict }),
    repeats,
    results,
    score: results.length === 0 ? 0 : sum / results.length,
    passed: results.filter(({ passed }) => passed).length,
    endedAt,
    ...(fork && { fork }),
  };
}
