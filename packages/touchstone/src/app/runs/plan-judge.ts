import {
  HOST_OWNER,
  JUDGE_REFERENCE,
  type Owner,
  type RunCreateWire,
  validationError,
} from '@touchstone/protocol';
import type { SuiteHead } from '../../ports/index.js';
import type { JudgeDecision, Judges } from '../judges/judges.js';

type Parts = {
  readonly chooseJudge: Judges['choose'];
  readonly judges: Pick<Judges, 'choosePortable' | 'configured'>;
};

/**
 * The judge of a run: the portable one that its suite names or its caller, otherwise the configured one. A suite that names its
 * judge is measured by that one alone. Undefined when none is needed, or none is there.
 */
export async function planJudge(
  { chooseJudge, judges }: Parts,
  owner: Owner,
  head: SuiteHead,
  { configurable = {} }: Pick<RunCreateWire, 'configurable'>,
  hasContract: boolean,
  suiteOwner: Owner,
): Promise<JudgeDecision | undefined> {
  const wanted = wishOf(configurable.judge);
  const isUsed = head.judgedTasks > 0 && !hasContract;
  if (!isUsed) {
    if (wanted === undefined) return undefined;
    throw refusal(
      hasContract ? 'The contract of the suite names its judge.' : 'No task of the suite needs a judge.',
    );
  }
  const { judge: ofSuite, judgeData } = head.needs ?? {};
  if (wanted !== undefined && ofSuite !== undefined && wanted !== ofSuite)
    throw refusal(`The criteria of the suite name their judge, ${ofSuite}. Leave configurable.judge out.`);
  const reference = ofSuite ?? wanted ?? judges.configured;
  if (reference === undefined) return chooseJudge({ withData: judgeData });
  // A judge that a suite of the host or its configuration names is the host's: no tenant puts another in its place.
  const holder = ofSuite === undefined ? (wanted === undefined ? HOST_OWNER : owner) : suiteOwner;
  const decision = await judges.choosePortable(holder, reference, judgeData);
  if (wanted !== undefined && 'issue' in decision) throw refusal(decision.issue);
  return decision;
}

function wishOf(value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'string' && JUDGE_REFERENCE.test(value))) return value;
  throw refusal('Expected a portable judge as <judgeId>@<version>, such as acme.judges.tone@1.0.0.');
}

const refusal = (message: string) => validationError([{ pointer: '/configurable/judge', message }]);
