// The runs of a suite over time. Content-free.
import type { AgentId, Digest, GateId, ModelName, Timestamp, Version } from '../../../model/ids.js';
import { CONTRACT_VERDICTS, REPORT_VERDICTS } from '../../../model/verdicts.js';
import { amount, choice, closed, fraction, id, list, mark, text, type Wire } from '../../schema/build.js';
import { change, interval, runId } from '../parts.js';

const historyPoint = closed(
  {
    /** The completed run. */
    runId: runId(),
    /** The version of the suite that ran. */
    suiteVersion: id<Version>(),
    /** Points with equal digests are comparable. */
    suiteDigest: id<Digest>(),
    /** The agent that was evaluated. */
    agentId: id<AgentId>(),
    /** Its version. */
    agentVersion: id<Version>(),
    /** Digest of the agent's bytes. */
    agentDigest: id<Digest>(),
    /** When the run ended, ISO 8601. The points are in this order. */
    endedAt: id<Timestamp>(),
    /** The mean of the task scores. */
    score: fraction(),
    /** The share of tasks that passed. */
    passRate: fraction(),
    /** The pass score of the suite. From 0 to 1; the host's default when the suite declares none. */
    bar: fraction('The pass score of the suite.'),
    /** Thresholds, unscored tasks and contract together. */
    verdict: choice(CONTRACT_VERDICTS),
  },
  {
    /** Known cost of the run, in US dollars; absent when nothing is known. */
    costUsd: amount(),
    /** Where the score could lie, 95 %. */
    interval,
    /** The 95th percentile of response times, in milliseconds. */
    p95Ms: amount(
      'Like the interval and the regression, absent of old runs: one answer reads a bounded number of results.',
    ),
    /** Against the baseline that the run was made with. */
    regression: closed({ scoreDelta: change(), verdict: choice(REPORT_VERDICTS) }),
    /** The judge of rubric tasks; absent when no task needed one. */
    judge: closed({ provider: id<ModelName>(), model: id<ModelName>(), digest: id<Digest>() }),
    /** The run is the baseline at present. Absent for all other runs. */
    blessed: mark('The run is the baseline at present.'),
  },
);
/** One completed run of a suite, among others. */
export type HistoryPoint = Wire<typeof historyPoint>;

/** Answer of `GET …/suites/{suiteRef}/history`. */
export const suiteHistory = closed({
  /** Oldest first. Completed runs only. */
  points: list(historyPoint, 'Oldest first.'),
  /** Drawn as horizontal lines by a chart of the scores. */
  gates: list(
    closed(
      {
        /** A gate of the host's configuration. */
        gateId: id<GateId>(),
        /** The deployment state that the gate guards. */
        to: text(),
      },
      {
        /** The mean score that the gate asks for, from 0 to 1; the suite's own thresholds decide when absent. */
        requiredPassScore: fraction(),
      },
    ),
    'Gates that ask for a run of the suite.',
  ),
});
/** The completed runs of a suite over time, and what gates ask of it. */
export type SuiteHistory = Wire<typeof suiteHistory>;
