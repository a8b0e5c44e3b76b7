// The report on an eval run: what the closed summary cannot hold. How sure its numbers are, and what they are made of.
// Holds no content: ids, numbers and words from lists.
import type { FindingKind, RunId, SliceName } from '../../../model/ids.js';
import { CAVEATS } from '../../../model/measurers.js';
import { EVAL_MODES } from '../../../model/modes.js';
import { SEVERITIES, type Thresholds } from '../../../model/score.js';
import { REPORT_VERDICTS } from '../../../model/verdicts.js';
import {
  amount,
  choice,
  closed,
  count,
  fraction,
  id,
  list,
  mark,
  plain,
  type Wire,
} from '../../schema/build.js';
import {
  agentVersion,
  change,
  interval,
  judgeIdentity,
  judgeInReport,
  modelPin,
  scorerPin,
  simulatedUser,
} from '../parts.js';
import { reportedRegression } from './regression.js';
import {
  aggregate,
  reportedAdjustment,
  reportedCorrection,
  reportedCriterion,
  reportedRepeats,
  suiteInReport,
  tasks,
} from './report-parts.js';

const reportedSlice = closed(
  {
    /** What the task ids begin with: the part before the first hyphen. */
    name: id<SliceName>('What the task ids begin with.'),
    /** Tasks of the slice that ran. */
    tasks: count(),
    /** The mean of their scores. */
    score: fraction(),
    /** The share of them that passed. */
    passRate: fraction(),
    /** Where the pass rate could lie, 95 %. */
    passRateInterval: interval,
    /** A reminder for readers: looked at after the fact, so no verdict can rest on it. */
    exploratory: mark(),
  },
  {
    /** Against the same tasks of the baseline; absent without one. */
    scoreDelta: change('Against the baseline.'),
  },
);
/** Tasks whose ids begin alike. */
export type ReportedSlice = Wire<typeof reportedSlice>;

/** Answer of `GET …/runs/{runId}/report`. */
export const evalReport = closed(
  {
    /** The run that the report is about. */
    runId: id<RunId>(),
    /** The suite that ran. */
    suite: suiteInReport,
    /** The agent that was evaluated. */
    agent: agentVersion,
    /** How the run was done, as decided at create. */
    modes: list(choice(EVAL_MODES)),
    /** How many tasks there are, and how they went. */
    tasks,
    /** The numbers of the whole run, with their uncertainty. */
    aggregate,
    /** Whether the score reached its threshold; `inconclusive` when the threshold lies within the interval. */
    verdict: choice(
      REPORT_VERDICTS,
      'Inconclusive when the threshold lies within the interval of the score.',
    ),
    /** Known costs in US dollars. A missing member is unknown, not zero. */
    cost: closed(
      {},
      {
        /** What the agent's model calls cost. */
        agentUsd: amount(),
        /** What the judges' model calls cost. */
        judgeUsd: amount(),
        /** What the model cost that played the user of conversations. */
        simulatedUserUsd: amount('What the model cost that played the user of conversations.'),
        /** Model calls of unknown price; absent when there are none. */
        unpriced: count('Model calls of unknown price.'),
      },
    ),
    /** Response times of the agent over all tasks, in milliseconds. */
    latency: closed({
      /** The median. */
      p50Ms: amount(),
      /** The 95th percentile. */
      p95Ms: amount(),
      /** The slowest task. */
      maxMs: amount(),
    }),
  },
  {
    /** The model that the run asked; absent when the agent brings its own. */
    model: modelPin,
    /** What the suite asks of a run. */
    thresholds: plain<Thresholds>({ type: 'object' }),
    /** Present when reviewers have corrected scores of this run. */
    adjusted: reportedAdjustment,
    /** Present when people have labelled enough of the run's answers to know the error of its judge. */
    corrected: reportedCorrection,
    /** Present when the run has a baseline, or the caller named a run to compare with. */
    regression: reportedRegression,
    /** Rubric criteria; absent when the suite has none. */
    criteria: list(reportedCriterion),
    /** Present when each task ran more than once. */
    repeats: reportedRepeats,
    /** What the safety checks found, by kind and severity; absent when they found nothing. */
    findings: list(
      closed({
        /** What sort of thing was found; never the text it was found in. */
        kind: id<FindingKind>(),
        /** How bad it is. */
        severity: choice(SEVERITIES),
        /** The number of tasks in which it was found. */
        tasks: count(),
      }),
    ),
    /** Who decided criteria that are prose; absent when no judge was asked. */
    judge: judgeInReport,
    /** The model that looked at every answer of an adversarial run. */
    safetyJudge: judgeIdentity,
    /** Who played the user of conversations; absent when nobody did. */
    simulatedUser,
    /** Programs of the operator that decided criteria; absent when no criterion names one. */
    scorers: list(scorerPin),
    /** What keeps the scores from being evidence, by what made them; absent when nothing does. */
    caveats: list(choice(CAVEATS), 'What keeps the scores from being evidence.'),
    /** The run whose recorded answers were judged again. */
    rejudgeOf: id<RunId>(),
    /** Model calls answered from the response cache; absent when there are none. */
    cacheHits: count('Model calls answered from the response cache.'),
    /** Live tools took part, so the run may not go the same way twice. Absent otherwise. */
    nondeterministic: mark('Live tools took part, so the run may not go the same way twice.'),
    /** Some checks look at time, cost or tokens, so equal answers may score otherwise. Absent otherwise. */
    timed: mark('Some checks look at time, cost or tokens, so equal answers may score otherwise.'),
    /** How likely the comparison finds a drop, from none to twice the smallest one; absent when it finds none. */
    power: list(
      closed({
        /** A true drop of the mean score. */
        drop: fraction(),
        /** How often the comparison would call it real. */
        chance: fraction(),
      }),
      'How likely the comparison would find a drop, from none on.',
    ),
    /** How many tasks would find half of the smallest detectable drop; absent without one, and for very large suites. */
    halfDrop: closed({
      /** Half of the smallest detectable drop. */
      drop: fraction(),
      /** Tasks that would find it four times in five. */
      tasks: count(),
    }),
    /** Parts of the suite, by the beginning of the task ids; absent when there is only one part. */
    slices: list(reportedSlice, 'Parts of the suite, looked at after the fact: no verdicts.'),
  },
);
/** What the closed summary cannot hold: how sure its numbers are, and what they are made of. Content-free as well. */
export type EvalReport = Wire<typeof evalReport>;
