import {
  type AgentId,
  type AgentPin,
  CONTRACT_VERDICTS,
  type CriterionId,
  type Digest,
  type EmbedderPin,
  EVAL_MODES,
  type EvalSummary,
  type Finding,
  type FindingKind,
  type Id,
  type JudgeIdentity,
  MODEL_CLASSES,
  type ModelName,
  type ModelPin,
  type RunId,
  type Scorecard,
  SEVERITIES,
  type SuiteId,
  type SuitePin,
  type TaskId,
  type TaskResult,
  type TaskScore,
  type Thresholds,
  type Timestamp,
  UNSCORED_REASONS,
  type Version,
} from '@touchstone/protocol';
import { choice, flag, id, list, mark, members, number, type Reader } from './shape.js';

const digest = id<Digest>(/^sha256:[0-9a-f]{64}$/, 'sha256: and 64 hexadecimal digits');
const runId = id<RunId>(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/, 'a run id of letters, digits and ._:-');
const suiteId = id<SuiteId>(/^[a-z0-9.-]+\.evals\.[a-z0-9-]+$/, 'a suite id such as core.acme.evals.refunds');
const suiteVersion = id<Version>(/^\d+\.\d+\.\d+$/, 'a version such as 1.2.0');
const taskId = id<TaskId>(/^[a-z0-9][a-z0-9-]*$/, 'a task id of small letters, digits and hyphens');
const agentId = id<AgentId>(/^[A-Za-z0-9][A-Za-z0-9._:/-]*$/, 'an agent id such as local.acme.support');
const agentVersion = id<Version>(/^\d[A-Za-z0-9._+-]*$/, 'a version such as 1.2.0');
const label = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;
const criterionId = id<CriterionId>(label, 'a criterion id of letters, digits and ._:-');
const findingKind = id<FindingKind>(label, 'a kind of finding, of letters, digits and ._:-');
const channel = id<Id<'channel'>>(/^[A-Za-z][A-Za-z0-9._-]*$/, 'a channel of letters, digits and ._-');
// Providers name their models as they please; all that can be said is that a name stands on one line.
const modelName = id<ModelName>(/^\P{C}{1,256}$/u, 'a name of at most 256 characters, on one line');
const diffRef = id<Id<'address'>>(/^\/[!-~]+$/, 'an address on the host, beginning with a slash');

const fraction = number({ least: 0, most: 1 });
const amount = number({ least: 0, most: Number.MAX_VALUE });
const count = number({ least: 0, whole: true });
const atLeastOne = number({ least: 1, whole: true });
/** As many as a run may ask for. */
const repeats = number({ least: 1, most: 100, whole: true });

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const timestamp: Reader<Timestamp> = (value, reading) =>
  typeof value === 'string' && ISO_UTC.test(value) && isMoment(value)
    ? (value as Timestamp)
    : reading.refuse('Expected a moment in UTC, written like 2026-01-31T12:00:00.000Z.');

/** The calendar is checked by writing the moment again: a 31st of June would come back as the 1st of July. */
function isMoment(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString() === text;
}

const suitePin = members<SuitePin>({ suiteId, version: suiteVersion, digest }, {});
const agentPin = members<AgentPin>({ agentId, version: agentVersion, digest }, { channel });
const modelPin = members<ModelPin>(
  { provider: modelName, model: modelName },
  { temperature: number({ least: 0, most: 2 }), maxTokens: atLeastOne, mock: mark },
);
const judgeIdentity = members<JudgeIdentity>(
  { provider: modelName, model: modelName, votes: repeats, promptDigest: digest, digest },
  { mock: mark },
);
const thresholds = members<Thresholds>(
  {},
  { passScore: fraction, maxCostUsd: amount, maxP95LatencyMs: count },
);
const findings = list(members<Finding>({ kind: findingKind, severity: choice(SEVERITIES) }, {}));

type FoldedCriterion = NonNullable<TaskResult['criteria']>[number];
const criterion = members<FoldedCriterion>(
  { id: criterionId, met: fraction, weight: amount },
  { agreement: fraction, value: fraction, unjudged: choice(UNSCORED_REASONS) },
);

const taskResult = members<TaskResult>(
  { taskId, score: fraction, passed: flag },
  {
    latencyMs: count,
    costUsd: amount,
    judgeUsd: amount,
    unpriced: count,
    cacheHits: count,
    schemaValid: flag,
    findings,
    unscored: choice(UNSCORED_REASONS),
    outcome: choice(['failed', 'refused']),
    criteria: list(criterion),
    judge: digest,
    bar: fraction,
    repeats: list(fraction, { least: 2, most: 100 }),
  },
);

const taskScore = members<TaskScore>(
  { taskId, score: fraction, passed: flag },
  { costUsd: amount, latencyMs: count, schemaValid: flag, safetyFindings: findings },
);

const summary = members<EvalSummary>(
  {
    suiteId,
    suiteVersion,
    aggregateScore: fraction,
    passed: flag,
    taskCount: count,
    passedCount: count,
    tasks: list(taskScore),
  },
  {
    evaluatedModelClass: choice(MODEL_CLASSES),
    totalCostUsd: amount,
    regression: members<NonNullable<EvalSummary['regression']>>(
      { baselineRunId: runId, scoreDelta: number({ least: -1, most: 1 }) },
      { diffRef },
    ),
  },
);

const caveats = members<NonNullable<Scorecard['caveats']>>(
  {},
  {
    rejudgeOf: runId,
    forkOf: runId,
    cacheHits: count,
    mock: mark,
    targetMismatch: mark,
    nondeterministic: mark,
  },
);

/** Every member of a scorecard and nothing else. Whether they agree with each other is another question. */
export const scorecardShape = members<Scorecard>(
  {
    runId,
    suite: suitePin,
    agent: agentPin,
    modes: list(choice(EVAL_MODES), { least: 1, most: EVAL_MODES.length }),
    totalTasks: atLeastOne,
    repeats,
    results: list(taskResult, { least: 1 }),
    summary,
    startedAt: timestamp,
    endedAt: timestamp,
    log: members<Scorecard['log']>({ events: atLeastOne, digest }, {}),
  },
  {
    model: modelPin,
    judge: judgeIdentity,
    safetyJudge: judgeIdentity,
    safetyPolicy: digest,
    contract: digest,
    embedder: members<EmbedderPin>({ provider: modelName, model: modelName }, {}),
    contractVerdict: choice(CONTRACT_VERDICTS),
    otherBarsMet: flag,
    thresholds,
    caveats,
  },
);
