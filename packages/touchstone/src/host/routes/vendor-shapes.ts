import { EVAL_MODES, SEVERITIES, UNSCORED_REASONS, VERDICTS } from '@touchstone/contract';
import type { Shape } from '../shape.js';

const text: Shape = { type: 'string' };
const closed = (
  properties: { readonly [name: string]: Shape },
  required = Object.keys(properties),
): Shape => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** A list in pages. */
export const page = (items: Shape): Shape =>
  closed({ items: { type: 'array', items }, nextCursor: text }, ['items']);

export const installedSuite = closed({ suiteRef: text, suiteId: text, version: text, digest: text });
export const suiteHead: Shape = {
  type: 'object',
  properties: {
    suiteId: text,
    version: text,
    digest: text,
    modes: { type: 'array', items: text },
    taskCount: { type: 'integer' },
  },
  required: ['suiteId', 'version', 'digest', 'modes', 'taskCount'],
};
export const boundAgent = closed({ agentId: text, version: text, digest: text });
const packMembers = {
  name: text,
  version: text,
  integrity: text,
  digest: text,
  signedBy: text,
  filesSigned: { type: 'boolean' },
} as const;
const packRequired = ['name', 'version', 'integrity', 'digest', 'filesSigned', 'agents'];
export const packHead = closed(
  {
    ...packMembers,
    agents: { type: 'array', items: closed({ agentId: text, suiteRef: text }, ['agentId']) },
  },
  packRequired,
);
export const installedPack = closed(
  {
    ...packMembers,
    agents: {
      type: 'array',
      items: closed({ agentId: text, version: text, digest: text, suiteRef: text }, [
        'agentId',
        'version',
        'digest',
      ]),
    },
    suites: { type: 'array', items: installedSuite },
    warnings: { type: 'array', items: text },
  },
  [...packRequired, 'suites', 'warnings'],
);
export const agentSpec: Shape = {
  type: 'object',
  description: 'An entry of "agents" in the config, of a kind a tenant may bind.',
};

export const taskView: Shape = {
  type: 'object',
  properties: {
    taskId: text,
    score: { type: 'number', minimum: 0, maximum: 1 },
    passed: { type: 'boolean' },
    unscored: { type: 'string', enum: UNSCORED_REASONS, description: 'Why there is no score.' },
    expected: { type: 'object' },
    invocations: { type: 'array', items: { type: 'object' } },
  },
  required: ['taskId', 'score', 'passed', 'expected', 'invocations'],
};

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

export const evalReport = closed(
  {
    runId: text,
    suite: closed({ ref: text, digest: text }),
    agent: closed({ agentId: text, version: text, digest: text }),
    model: closed({ provider: text, model: text, temperature: number, maxTokens: count, mock: flag }, [
      'provider',
      'model',
    ]),
    modes: listOf(oneOf(EVAL_MODES)),
    tasks: reportTasks,
    aggregate: reportAggregate,
    verdict: described(oneOf(VERDICTS), 'Inconclusive when the bar lies within the interval of the score.'),
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
  },
  ['runId', 'suite', 'agent', 'modes', 'tasks', 'aggregate', 'verdict', 'cost', 'latency'],
);
