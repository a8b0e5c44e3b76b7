// The scorecard that travels as a signed file. Stricter than what this host writes needs: a file comes from elsewhere, and
// what is no name could be anything, an agent's answer included. `scorecard.test.ts` holds it against the model's type.

import { CHECK_NAMES } from '../../model/checks/catalogue.js';
import type {
  AgentId,
  ChannelName,
  CriterionId,
  Digest,
  ErrorName,
  FindingKind,
  Id,
  JudgeReference,
  ModelName,
  RunId,
  ScorerName,
  SuiteId,
  TaskId,
  Timestamp,
  VariableName,
  Version,
} from '../../model/ids.js';
import { JUDGE_REFERENCE } from '../../model/judge-reference.js';
import { EVAL_MODES, MODEL_CLASSES } from '../../model/modes.js';
import { SEVERITIES, UNSCORED_REASONS } from '../../model/score.js';
import { CONTRACT_VERDICTS } from '../../model/verdicts.js';
import {
  amount,
  choice,
  closed,
  flag,
  fraction,
  id,
  integer,
  list,
  mark,
  number,
  text,
} from '../schema/build.js';
import { change, page, REASONING_EFFORTS } from './parts.js';

/** Longer names than this are none. */
const MAX_NAME = 1024;
/** A name of one form. `title` says the form in words, for the message. */
const named = <T extends Id<string>>(pattern: string, title: string) =>
  id<T>(undefined, { pattern, title, maxLength: MAX_NAME });
/** A whole number within bounds. */
const whole = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  integer(undefined, { minimum, maximum });

const digest = named<Digest>('^sha256:[0-9a-f]{64}$', 'sha256: and 64 hexadecimal digits');
const runId = named<RunId>('^[A-Za-z0-9][A-Za-z0-9._:-]*$', 'a run id of letters, digits and ._:-');
const suiteId = named<SuiteId>(
  '^[a-z0-9.-]+\\.evals\\.[a-z0-9-]+$',
  'a suite id such as core.acme.evals.refunds',
);
const suiteVersion = named<Version>('^\\d+\\.\\d+\\.\\d+$', 'a version such as 1.2.0');
const taskId = named<TaskId>('^[a-z0-9][a-z0-9-]*$', 'a task id of small letters, digits and hyphens');
const agentId = named<AgentId>('^[A-Za-z0-9][A-Za-z0-9._:/-]*$', 'an agent id such as local.acme.support');
const agentVersion = named<Version>('^\\d[A-Za-z0-9._+-]*$', 'a version such as 1.2.0');
const LABEL = '^[A-Za-z0-9][A-Za-z0-9._:-]*$';
const criterionId = named<CriterionId>(LABEL, 'a criterion id of letters, digits and ._:-');
const findingKind = named<FindingKind>(LABEL, 'a kind of finding, of letters, digits and ._:-');
const channel = named<ChannelName>('^[A-Za-z][A-Za-z0-9._-]*$', 'a channel of letters, digits and ._-');
// Providers name their models as they please; all that can be said is that a name stands on one line.
const ONE_LINE = '^\\P{C}{1,256}$';
const modelName = named<ModelName>(ONE_LINE, 'a name of at most 256 characters, on one line');
const scorerName = named<ScorerName>('^[A-Za-z0-9._-]{1,64}$', 'a name of letters, digits and ._-');
const diffRef = named<Id<'address'>>('^/[!-~]+$', 'an address on the host, beginning with a slash');
const timestamp = id<Timestamp>(undefined, {
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d\\.\\d{3}Z$',
  title: 'a moment in UTC, written like 2026-01-31T12:00:00.000Z',
  format: 'date-time',
});

const judge = closed(
  { provider: modelName, model: modelName, votes: whole(1, 100), promptDigest: digest, digest },
  {
    mock: mark(),
    portable: id<JudgeReference>(undefined, { pattern: JUDGE_REFERENCE.source, maxLength: 250 }),
  },
);
const parameters = {
  temperature: number(undefined, { minimum: 0, maximum: 2 }),
  maxTokens: whole(1),
  topP: fraction(),
  seed: whole(Number.MIN_SAFE_INTEGER),
  stop: list(text(undefined, { minLength: 1, maxLength: 100 }), undefined, { maxItems: 4 }),
  frequencyPenalty: number(undefined, { minimum: -2, maximum: 2 }),
  presencePenalty: number(undefined, { minimum: -2, maximum: 2 }),
  reasoningEffort: choice(REASONING_EFFORTS),
};
const findings = list(closed({ kind: findingKind, severity: choice(SEVERITIES) }));
const criterion = closed(
  { id: criterionId, met: fraction(), weight: amount() },
  {
    agreement: fraction(),
    value: fraction(),
    check: choice(CHECK_NAMES),
    scorer: digest,
    unjudged: choice(UNSCORED_REASONS),
  },
);

const accessDenial = closed(
  { provider: modelName, status: whole(100, 599) },
  {
    code: named<ErrorName>('^[A-Za-z0-9_.-]{1,64}$', 'a name of letters, digits and _.-'),
    keyEnv: named<VariableName>(ONE_LINE, 'the name of an environment variable'),
  },
);

const taskResultMembers = [
  { taskId, score: fraction(), passed: flag() },
  {
    latencyMs: whole(0),
    costUsd: amount(),
    judgeUsd: amount(),
    simulatedUserUsd: amount(),
    unpriced: whole(0),
    cacheHits: whole(0),
    schemaValid: flag(),
    findings,
    unscored: choice(UNSCORED_REASONS),
    denial: accessDenial,
    outcome: choice(['failed', 'refused']),
    criteria: list(criterion),
    judge: digest,
    bar: fraction(),
    repeats: list(fraction(), undefined, { minItems: 2, maxItems: 100 }),
  },
] as const;
/** As `TaskResult`, which says what each member is. */
export const taskResult = closed(...taskResultMembers);
/** As `ScorecardResult`. */
const scorecardResult = closed(taskResultMembers[0], { ...taskResultMembers[1], taskDigest: digest });

const taskScore = closed(
  { taskId, score: fraction(), passed: flag() },
  { costUsd: amount(), latencyMs: whole(0), schemaValid: flag(), safetyFindings: findings },
);

/** As `EvalSummary`, with names that are checked more strictly. */
const summary = closed(
  {
    suiteId,
    suiteVersion,
    aggregateScore: fraction(),
    passed: flag(),
    taskCount: whole(0),
    passedCount: whole(0),
    tasks: list(taskScore),
  },
  {
    evaluatedModelClass: choice(MODEL_CLASSES),
    totalCostUsd: amount(),
    regression: closed({ baselineRunId: runId, scoreDelta: change() }, { diffRef }),
  },
);

/** As `caveats` of `Scorecard`. */
const caveats = closed(
  {},
  {
    rejudgeOf: runId,
    forkOf: runId,
    cacheHits: whole(0),
    mock: mark(),
    targetMismatch: mark(),
    nondeterministic: mark(),
    codeScorer: mark(),
    recorded: mark(),
  },
);

/** Every member of a scorecard and nothing else. Whether they agree with each other is another question. */
export const scorecard = closed(
  {
    runId,
    suite: closed({ suiteId, version: suiteVersion, digest }),
    agent: closed({ agentId, version: agentVersion, digest }, { channel }),
    modes: list(choice(EVAL_MODES), undefined, { minItems: 1, maxItems: EVAL_MODES.length }),
    totalTasks: whole(1),
    repeats: whole(1, 100),
    results: list(scorecardResult, undefined, { minItems: 1 }),
    summary,
    startedAt: timestamp,
    endedAt: timestamp,
    log: closed({ events: whole(1), digest }),
  },
  {
    model: closed(
      { provider: modelName, model: modelName },
      {
        ...parameters,
        mock: mark(),
      },
    ),
    simulatedUser: closed(
      { provider: modelName, model: modelName, promptDigest: digest, digest },
      { ...parameters, mock: mark() },
    ),
    judge,
    safetyJudge: judge,
    safetyPolicy: digest,
    contract: digest,
    embedder: closed({ provider: modelName, model: modelName }),
    scorers: list(closed({ name: scorerName, digest }, { evidence: mark() }), undefined, { minItems: 1 }),
    contractVerdict: choice(CONTRACT_VERDICTS),
    otherBarsMet: flag(),
    thresholds: closed({}, { passScore: fraction(), maxCostUsd: amount(), maxP95LatencyMs: whole(0) }),
    caveats,
  },
);

/** What a scorecard file says: the scorecard, and the program that ran the evaluation, as it names itself. */
export const scorecardPredicate = closed({
  host: closed({
    name: named<Id<'host'>>(ONE_LINE, 'a name of at most 256 characters, on one line'),
    version: named<Id<'host'>>(ONE_LINE, 'a name of at most 256 characters, on one line'),
  }),
  scorecard,
});

/** Results of an eval run in pages, each with the place of its task in the suite, counted from 0. */
export const resultPage = page(closed({ ordinal: whole(0), result: taskResult }));
