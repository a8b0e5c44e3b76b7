import {
  EVAL_MODES,
  EVALUATORS,
  GATE_STATUSES,
  SEVERITIES,
  UNSCORED_REASONS,
  VERDICTS,
} from '@touchstone/protocol';
import type { Shape } from '@touchstone/protocol/wire';
import { closed } from './vendor-shapes.js';

const text: Shape = { type: 'string' };
const number: Shape = { type: 'number' };
const count: Shape = { type: 'integer', minimum: 0 };
const flag: Shape = { type: 'boolean' };
const fraction: Shape = { type: 'number', minimum: 0, maximum: 1 };
const amount: Shape = { type: 'number', minimum: 0 };
const listOf = (items: Shape): Shape => ({ type: 'array', items });
const described = (shape: Shape, description: string): Shape => ({ ...shape, description });
const oneOf = (words: readonly string[]): Shape => ({ type: 'string', enum: words });
const interval: Shape = {
  ...listOf(fraction),
  minItems: 2,
  maxItems: 2,
  description: 'Lower and upper end of the 95 % interval.',
};

const judgeMembers = {
  provider: text,
  model: text,
  votes: { type: 'integer', minimum: 1 },
  promptDigest: text,
  digest: text,
  mock: flag,
} as const;
const judgeRequired = ['provider', 'model', 'votes', 'promptDigest', 'digest'];

const reportTasks = closed(
  {
    total: described(count, 'Tasks of the suite.'),
    selected: described(count, 'Tasks that ran.'),
    passed: count,
    unscored: described(count, 'Tasks that could not be scored; the scorecard has them as 0.'),
    unscoredTasks: listOf(closed({ taskId: text, reason: oneOf(UNSCORED_REASONS) })),
  },
  ['total', 'selected', 'passed', 'unscored'],
);
const reportAggregate = closed({
  score: described(fraction, 'The mean of the task scores, as in the scorecard.'),
  interval,
  passRate: described(fraction, 'The share of tasks that passed.'),
  passRateInterval: interval,
  bar: described(fraction, 'What the score has to reach.'),
});
const reportCriterion = closed(
  {
    id: text,
    applicable: described(count, 'Tasks in which it was decided.'),
    met: described(fraction, 'The share of them that met it.'),
    weight: described(fraction, 'Its mean weight in them.'),
    agreement: described(fraction, 'The mean share of votes that said so.'),
  },
  ['id', 'applicable', 'met', 'weight'],
);
const reportRepeats = closed({
  k: count,
  tasks: described(count, 'Tasks of which every repeat was scored.'),
  passAtK: described(fraction, 'Chance that at least one of k repeats passes.'),
  passHatK: described(fraction, 'Chance that all k repeats pass.'),
  curve: described(listOf(closed({ j: count, passAt: fraction, passHat: fraction })), 'The same for 1 to k.'),
});

const side = closed({ score: fraction, passed: flag });
const reportAdjusted = closed({
  score: fraction,
  passed: flag,
  overrides: listOf(
    closed(
      {
        taskId: text,
        eventId: text,
        annotationId: text,
        before: side,
        after: side,
        by: described(text, 'Whose correction it is.'),
        at: text,
        replaced: described(count, 'Earlier corrections that no longer count.'),
      },
      ['taskId', 'eventId', 'annotationId', 'before', 'after', 'by', 'at'],
    ),
  ),
});

const change: Shape = { type: 'number', minimum: -1, maximum: 1 };
const modelPin = closed({ provider: text, model: text, temperature: number, maxTokens: count, mock: flag }, [
  'provider',
  'model',
]);
const reportAgent = closed({ agentId: text, version: text, digest: text });
const latencies = closed({ p50Ms: amount, p95Ms: amount });
const reportRegression = closed(
  {
    baselineRunId: text,
    baseline: closed(
      {
        agent: reportAgent,
        model: modelPin,
        score: fraction,
        endedAt: text,
        imported: described(flag, 'It came as a scorecard file.'),
      },
      ['agent', 'score', 'endedAt'],
    ),
    scoreDelta: described(change, 'Negative is worse.'),
    interval: {
      ...listOf(change),
      minItems: 2,
      maxItems: 2,
      description: 'Where the mean of the task differences could lie, 95 %.',
    },
    pValue: described(fraction, 'One-sided sign-flip test for a drop.'),
    mcnemarP: described(fraction, 'Two-sided exact McNemar test on the tasks that changed sides.'),
    verdict: described(
      oneOf(VERDICTS),
      'fail: a real regression. inconclusive: too few tasks differ to tell.',
    ),
    tolerance: fraction,
    tasks: closed({ paired: count, differing: count, unpaired: count }),
    smallestDetectableDrop: described(fraction, 'Absent when the suite is too small to show any.'),
    toFail: listOf(text),
    toPass: listOf(text),
    changes: listOf(closed({ taskId: text, before: fraction, after: fraction })),
    moreChanges: count,
    cost: closed({ beforeUsd: amount, afterUsd: amount }),
    latency: closed({ before: latencies, after: latencies }),
    otherJudge: described(flag, 'The judges differ, and the caller wanted to compare all the same.'),
  },
  [
    'baselineRunId',
    'baseline',
    'scoreDelta',
    'interval',
    'pValue',
    'mcnemarP',
    'verdict',
    'tolerance',
    'tasks',
    'toFail',
    'toPass',
    'changes',
  ],
);
const reportSlice = closed(
  {
    name: described(text, 'What the task ids begin with.'),
    tasks: count,
    score: fraction,
    passRate: fraction,
    passRateInterval: interval,
    scoreDelta: described(change, 'Against the baseline.'),
    exploratory: flag,
  },
  ['name', 'tasks', 'score', 'passRate', 'passRateInterval', 'exploratory'],
);

export const evalReport = closed(
  {
    runId: text,
    suite: closed({ ref: text, digest: text }),
    agent: reportAgent,
    model: modelPin,
    modes: listOf(oneOf(EVAL_MODES)),
    tasks: reportTasks,
    aggregate: reportAggregate,
    verdict: described(oneOf(VERDICTS), 'Inconclusive when the bar lies within the interval of the score.'),
    adjusted: described(
      reportAdjusted,
      'With the corrections of people in place of the scores they are about.',
    ),
    regression: reportRegression,
    criteria: listOf(reportCriterion),
    repeats: reportRepeats,
    findings: listOf(closed({ kind: text, severity: oneOf(SEVERITIES), tasks: count })),
    cost: closed(
      {
        agentUsd: amount,
        judgeUsd: amount,
        unpriced: described(count, 'Model calls of unknown price.'),
      },
      [],
    ),
    latency: closed({ p50Ms: amount, p95Ms: amount, maxMs: amount }),
    judge: closed({ ...judgeMembers, agreement: fraction }, judgeRequired),
    safetyJudge: closed(judgeMembers, judgeRequired),
    rejudgeOf: text,
    cacheHits: described(count, 'Model calls answered from the response cache.'),
    nondeterministic: described(flag, 'Live tools took part, so the run may not go the same way twice.'),
    slices: described(listOf(reportSlice), 'Parts of the suite, looked at after the fact: no verdicts.'),
  },
  ['runId', 'suite', 'agent', 'modes', 'tasks', 'aggregate', 'verdict', 'cost', 'latency'],
);

const gateStatus = described(
  oneOf(GATE_STATUSES),
  'warn: an advisory one that was missed. error: somebody who was to decide it could not be asked.',
);
export const contractReport = closed(
  {
    runId: text,
    suite: closed({ ref: text, digest: text }),
    agent: reportAgent,
    contract: described(text, 'Digest of the contract.'),
    verdict: oneOf(['pass', 'fail', 'error']),
    tasks: closed({ total: count, selected: count, passed: count }),
    criteria: listOf(
      closed(
        {
          id: text,
          strict: flag,
          evaluator: oneOf(EVALUATORS),
          applicable: described(count, 'Tasks it applies to.'),
          met: described(count, 'Tasks that met it in every repeat.'),
          rate: fraction,
          required: fraction,
          mean: described(fraction, 'The mean degree, for criteria that have degrees.'),
          unjudged: described(count, 'Tasks in which nobody could be asked.'),
          status: gateStatus,
        },
        ['id', 'strict', 'evaluator', 'applicable', 'met', 'required', 'status'],
      ),
    ),
    sla: closed({
      expectedLatencyMs: number,
      p95Ms: amount,
      policy: oneOf(['gate', 'warn']),
      status: gateStatus,
    }),
    summary: described(
      closed(
        {
          score: fraction,
          passed: flag,
          otherBarsMet: described(
            flag,
            'Of a part of the suite: whether the bars besides the pass score are met.',
          ),
        },
        ['score', 'passed'],
      ),
      'What the thresholds alone say.',
    ),
    dataset: closed({ digest: text, rows: count }),
    judge: closed(judgeMembers, judgeRequired),
    embedder: closed({ provider: text, model: text }),
  },
  ['runId', 'suite', 'agent', 'contract', 'verdict', 'tasks', 'criteria', 'summary'],
);
