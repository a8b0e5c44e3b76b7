// Tasks by runs, and what waits: ids, numbers and flags alone.
import type { AgentId, Digest, RunId, TaskId, Timestamp, Version } from '../../model/ids.js';
import { RUN_VERDICTS } from '../../model/run.js';
import {
  choice,
  closed,
  count,
  flag,
  fraction,
  id,
  list,
  mark,
  plain,
  text,
  type Wire,
} from '../schema/build.js';
import { interval } from './parts.js';

/** How a task came out: passed, failed, unscored, or not there. The score of the latter two says nothing. */
export type MatrixCell = readonly [score: number, outcome: 'p' | 'f' | 'u' | '-'];

const cell = plain<MatrixCell>({
  type: 'array',
  prefixItems: [
    { type: 'number', minimum: 0, maximum: 1 },
    { type: 'string', enum: ['p', 'f', 'u', '-'] },
  ],
  minItems: 2,
  maxItems: 2,
  description: 'The score, to 1/240, and p passed, f failed, u unscored or - absent.',
});

const matrixRun = closed(
  {
    /** The completed run. */
    runId: id<RunId>(),
    /** The agent that was evaluated. */
    agent: closed({ agentId: id<AgentId>(), version: id<Version>() }),
    /** `<suiteId>@<version>`, and the digest: runs with equal ones had the same tasks. */
    suite: closed({ ref: text(), digest: id<Digest>() }),
    /** The mean of the task scores. */
    score: fraction(),
    /** Where it could lie, 95 %. */
    interval,
    /** Bars, unscored tasks, contract and baseline together. */
    verdict: choice(RUN_VERDICTS),
    /** When the run ended, ISO 8601. */
    endedAt: id<Timestamp>(),
  },
  {
    /** The run is the baseline at present. Absent for all other runs. */
    blessed: mark('The run is the baseline at present.'),
  },
);
/** One column of a matrix. */
export type MatrixRun = Wire<typeof matrixRun>;

const matrixRow = closed({
  /** The task in its suite. */
  taskId: id<TaskId>(),
  /** One for each run, in their order. */
  cells: list(cell),
  /** How often the task changed its side from one run that scored it to the next. */
  flips: count('Changes of side from one run to the next.'),
});
/** One row of a matrix. */
export type MatrixRow = Wire<typeof matrixRow>;

/** Answer of `GET …/matrix`. */
export const matrix = closed(
  {
    /** In the order they were named in; of a suite, oldest first. */
    runs: list(matrixRun),
    /** Whether all of them were measured alike, so that their scores can be held against each other. */
    comparable: flag(),
    /** Tasks that the filter keeps. */
    matched: count('Tasks that the filter keeps.'),
    /** Whether older runs were left out: one answer reads a bounded number of results. */
    cut: flag(),
    /** The tasks. */
    items: list(matrixRow),
  },
  {
    /** Why not; absent when they are comparable. */
    reason: text(),
  },
);
/** Tasks by runs: how each came out. */
export type Matrix = Wire<typeof matrix>;

/** Answer of `GET …/counts`. */
export const hostCounts = closed({
  /** Questions that wait for people. */
  approvals: count('Runs that wait for people.'),
  /** Tasks that failed or could not be scored in the newest run of a suite and an agent, and that nobody has reviewed. */
  review: count('Tasks of the newest runs that did not pass and that nobody has reviewed.'),
  /** Runs that are at work or about to be. */
  running: count('Runs that are at work or about to be.'),
});
/** What waits, and what is at work. */
export type HostCounts = Wire<typeof hostCounts>;
