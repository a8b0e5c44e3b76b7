import { setImmediate as letOthersIn } from 'node:timers/promises';
import type { JsonObject } from '@touchstone/protocol';
import {
  type Body,
  type EvalContract,
  fromBody,
  type GoldenMatch,
  type Task,
} from '@touchstone/protocol/bodies';
import type { SchemaCheck, ScoringResult, Spend, Transcript } from '../../ports/index.js';
import { scoreGolden } from '../golden.js';
import { type Applied, createReader } from './applied.js';
import type { Askable, Asking, Rulings } from './asking.js';
import { conclude } from './conclude.js';
import { type EvaluatorParts, evaluate, isDecidable } from './evaluators.js';
import { askJudge } from './judging.js';
import { type Ruling, rule } from './rulings.js';
import { compareMeanings } from './similarity.js';

export type ContractParts = Askable & {
  readonly contract: EvalContract;
  readonly schemaCheck: SchemaCheck;
  readonly returnSchema?: JsonObject;
  /** To refuse a probe may be just what is expected; elsewhere a refusal leaves the task undone. */
  readonly adversarial?: boolean;
};

/** `schemaValid` when a criterion has asked whether the answer fits a schema. */
export type ContractScored = ScoringResult & { readonly schemaValid?: boolean };

export type ContractScorer = (
  task: Task,
  transcript: Transcript,
  signal: AbortSignal,
  spend: Spend,
) => ContractScored | Promise<ContractScored>;

/** Scores the tasks of a suite as the contract says that it was compiled with. Asks only where a criterion needs it. */
export function createContractScorer(parts: ContractParts): ContractScorer {
  const appliedTo = createReader(parts.contract);
  const nextTurn = createTurns();
  const sla = parts.contract.sla?.expectedLatencyMs;
  const evaluating = { ...parts, ...(sla !== undefined && { expectedLatencyMs: sla }) };
  return (task, transcript, signal, spend) => {
    const output = answerOf(transcript, parts.adversarial);
    if (task.expected.kind === 'golden') return goldenScore(task.expected.match, output);
    const applied = appliedTo(task);
    if (output === undefined) return conclude(applied, noneMet(applied), parts.redact);
    const decideAll = () => {
      const decided = decide(applied, transcript, output, evaluating);
      const scored = (rulings: Rulings) => ({
        ...conclude(applied, rulings, parts.redact),
        ...judgedBy(rulings, parts),
        ...schemaValidity(rulings, parts),
      });
      const open = applied.filter((one) => !decided.has(one));
      if (open.length === 0) return scored(decided);
      const asking = { ...parts, input: task.input, output, seed: transcript.seed, signal, spend };
      return ask(open, asking).then((asked) => scored(new Map([...decided, ...asked])));
    };
    return usesSchema(applied) ? nextTurn().then(decideAll) : decideAll();
  };
}

const usesSchema = (applied: readonly Applied[]): boolean =>
  applied.some(({ evaluator }) => evaluator === 'schema-validity');

/** A foreign schema may take its whole bounded time, so tasks that need one come one at a time, with others between them. */
function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => letOthersIn());
    return last;
  };
}

/** An invocation that failed has no answer to score, whatever it has said. */
function answerOf({ outcome, output }: Transcript, adversarial = false): Body | undefined {
  return outcome === 'failed' || (outcome === 'refused' && !adversarial) ? undefined : output;
}

function goldenScore(match: GoldenMatch, output: Body | undefined): ScoringResult {
  const value = output === undefined ? 0 : scoreGolden(match, output);
  return { score: { kind: 'scored', value, findings: [] } };
}

/** Said of every criterion rather than of none: a gate counts the tasks in which its criterion was met, of all of them. */
const noneMet = (applied: readonly Applied[]): Rulings =>
  new Map(applied.map((one) => [one, { kind: 'decided', met: false }] as const));

function decide(
  applied: readonly Applied[],
  transcript: Transcript,
  output: Body,
  parts: EvaluatorParts,
): Map<Applied, Ruling> {
  const rulings = new Map<Applied, Ruling>();
  for (const one of applied) {
    const { criterion, evaluator, task } = one;
    if (!isDecidable(evaluator)) continue;
    const held = { criterion, task, transcript, output: fromBody(output) };
    rulings.set(one, rule(criterion, evaluate(evaluator, held, parts)));
  }
  return rulings;
}

/** One after the other, so that what they cost is written down in the same order every time. */
async function ask(open: readonly Applied[], asking: Asking): Promise<Rulings> {
  const { embedder, judge } = asking;
  const isCompared = ({ evaluator, criterion }: Applied) =>
    evaluator === 'similarity' && (embedder !== undefined || (!judge && criterion.approximate));
  const compared = await compareMeanings(open.filter(isCompared), asking);
  const judged = await askJudge(
    open.filter((one) => !isCompared(one)),
    asking,
  );
  return new Map([...compared, ...judged]);
}

function judgedBy(rulings: Rulings, { judge }: ContractParts): Pick<ScoringResult, 'judge'> {
  const hasRuled = [...rulings.values()].some((ruling) => ruling.kind === 'decided' && ruling.byJudge);
  return hasRuled && judge ? { judge: judge.identity.digest } : {};
}

function schemaValidity(
  rulings: Rulings,
  { returnSchema }: ContractParts,
): Pick<ContractScored, 'schemaValid'> {
  for (const [{ evaluator, task }, ruling] of rulings) {
    if (evaluator !== 'schema-validity' || !(task.schema ?? returnSchema)) continue;
    return { schemaValid: ruling.kind === 'decided' && ruling.met };
  }
  return {};
}
