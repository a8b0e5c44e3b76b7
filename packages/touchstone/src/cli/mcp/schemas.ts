import {
  amount,
  anything,
  closed,
  count,
  flag,
  fraction,
  integer,
  json,
  list,
  mark,
  name,
  open,
  text,
} from '@touchstone/protocol/schema';

// Results may grow; what a client sends may not hold a member that nobody reads.

const MAX_NAME = 1_000;
/** A system refuses other characters in a path, in words of its own. */
const PRINTABLE = '^[^\\u0000-\\u001f]+$';
const MAX_NAMES = 1_000;

export const suiteName = text('The id of a suite, or its path inside the folder.', {
  pattern: PRINTABLE,
  maxLength: MAX_NAME,
});
export const suiteId = text('The id of a suite.', { minLength: 1, maxLength: MAX_NAME });
export const agentName = text('The id of an agent of the configuration, with @version if it matters.', {
  minLength: 1,
  maxLength: MAX_NAME,
});
export const runName = (about: string) =>
  text(`${about} A run id, "last" for the newest run, "last~1" for the one before it.`, {
    pattern: '^(last(~[0-9]{1,4})?|[A-Za-z0-9-]{1,64})$',
  });
export const names = (about: string) =>
  list(text(undefined, { minLength: 1, maxLength: MAX_NAME }), about, { minItems: 1, maxItems: MAX_NAMES });
export const limit = (most: number, usual: number) =>
  integer(`At most so many; ${usual} when absent.`, { minimum: 1, maximum: most });

export const REASONS = list(text(), 'Why, in words.');

/** A task that was scored and did not pass. */
const failure = open(
  { taskId: name(), score: fraction('From 0 to 1.'), reasons: REASONS },
  {
    latencyMs: count(),
    expected: json('What the suite asks for.'),
    answer: json('What the agent answered; absent when it gave no answer.'),
  },
);

/** A task that says nothing about the agent. */
const unscoredTask = open({
  taskId: name(),
  cause: name('Why there is no score.'),
  reasons: REASONS,
});

export const FAILURES = {
  failures: list(failure, 'Tasks that were scored and did not pass, in the order of the suite.'),
  unscored: list(unscoredTask, 'Tasks without a score, for a reason that is not the answer of the agent.'),
};
export const moreFailures = count('Failures that are left out; show_failures takes a higher limit.');

export const runResult = open(
  {
    outcome: name(
      'passed, failed, unjudged (nothing is said about the agent), over-budget, interrupted, or nothing-to-run.',
    ),
    exitCode: count('What touchstone run would have ended with.'),
    message: text('How it went, in a sentence.'),
    ...FAILURES,
  },
  {
    runId: name(),
    status: name(),
    suite: name(),
    agent: name(),
    score: fraction('The score of the run from 0 to 1; absent without a verdict.'),
    passed: flag('Whether the thresholds of the suite are reached; absent without a verdict.'),
    verdict: name('pass, fail or inconclusive, by the interval around the score.'),
    tasks: open({
      total: count('Tasks of the suite.'),
      selected: count('Tasks that were to run.'),
      passed: count(),
      failed: count(),
      unscored: count(),
    }),
    costUsd: amount('Known cost, in US dollars.'),
    caveats: list(name(), 'What keeps the scores from being evidence.'),
    error: open({ code: name(), message: text() }),
    moreFailures,
  },
);

export const suiteList = open({
  suites: list(
    open(
      {},
      {
        suite: name('Id and version.'),
        file: name('Path from the folder; absent for a suite of a pack.'),
        pack: name('The pack that brings it.'),
        tasks: count(),
        agent: name('The agent that the suite is made for.'),
        trouble: text('Why it cannot be read.'),
      },
    ),
  ),
  agents: list(open({ agentId: name() }, { persona: text() })),
});

export const checkedSuite = open(
  {
    valid: flag(),
    file: name(),
    issues: list(
      open({ pointer: text(), message: text() }, { line: count(), column: count(), file: name() }),
    ),
  },
  { suite: name(), tasks: count() },
);

export const runList = open({
  runs: list(
    open(
      { runId: name(), status: name(), agent: name() },
      { suite: name(), createdAt: name(), completedAt: name(), interrupted: mark(), headline: anything() },
    ),
  ),
});

export const shownFailures = open(
  { runId: name(), status: name('Of a run that is not completed, more may fail.'), ...FAILURES },
  { moreFailures },
);

export const shownTask = open(
  {
    runId: name(),
    taskId: name(),
    score: fraction(),
    passed: flag(),
    invocations: list(open({ invocationId: name(), outcome: name() }), 'One for each repeat.'),
  },
  { unscored: name('Why there is no score.'), expected: json(), findings: anything(), criteria: anything() },
);

const side = open({
  runId: name(),
  score: fraction(),
  suite: open({ ref: name() }),
  agent: open({ agentId: name() }),
});
export const comparedRuns = open(
  {
    before: side,
    after: side,
    comparable: flag('Whether there is a verdict.'),
    tasks: list(open({ taskId: name(), turn: name() }), 'Tasks whose verdict or score changed.'),
    unchanged: count('Tasks that are the same in both runs.'),
  },
  { reason: text('Why there is no verdict.'), regression: anything(), answers: list(anything()) },
);

export const explainedChecks = open({
  checks: list(
    open(
      {
        check: name(),
        metWhen: text(),
        arguments: list(open({ name: name(), must: text() }, { required: mark() })),
      },
      {
        first: name('The argument that a bare value stands for.'),
        example: text('An entry of expect, as YAML.'),
      },
    ),
  ),
});

export const NOTHING = closed({});
