import type { CriterionId, Digest, RunId } from '../../../model/ids.js';
import { CONTRACT_VERDICTS, EVALUATORS, GATE_STATUSES } from '../../../model/verdicts.js';
import {
  amount,
  choice,
  closed,
  count,
  flag,
  fraction,
  id,
  list,
  number,
  type Wire,
} from '../../schema/build.js';
import { agentVersion, embedderPin, judgeIdentity } from '../parts.js';
import { suiteInReport } from './report-parts.js';

const gateStatus = choice(
  GATE_STATUSES,
  'warn: an advisory one that was missed. error: the judge that was to decide it was not available.',
);

const reportedGate = closed(
  {
    /** The slug of the criterion; it says nothing about content. */
    id: id<CriterionId>(undefined, { pattern: '^[a-z0-9][a-z0-9-]*$', maxLength: 64 }),
    /** A hard requirement; otherwise missing it is a warning. */
    strict: flag(),
    /** How it was decided. */
    evaluator: choice(EVALUATORS),
    /** Tasks of the run that the criterion applies to. */
    applicable: count('Tasks it applies to.'),
    /** Tasks that met it in every repeat; at most `applicable`. */
    met: count('Tasks that met it in every repeat.'),
    /** The share of the tasks it applies to that must meet it. */
    required: fraction(),
    /** `pass` when `rate` reaches `required`. Otherwise `fail` if it is strict, and `warn` if not. */
    status: gateStatus,
  },
  {
    /** `met` of `applicable`; absent when it was decided nowhere. */
    rate: fraction(),
    /** From 0 to 1, the mean degree over the tasks; of what is met or not, the share of repeats. Absent when it was decided nowhere. */
    mean: fraction('The mean degree over its tasks; where there are no degrees, met is 1 and missed is 0.'),
    /** Tasks without a verdict because the judge was not available; absent when there is none. */
    unjudged: count('Tasks without a verdict, because the judge was not available.'),
  },
);
/** One criterion of a contract, over all tasks it applies to. */
export type ReportedGate = Wire<typeof reportedGate>;

/** Answer of `GET …/runs/{runId}/contract-report`. */
export const contractReport = closed(
  {
    /** The run that the report is about. */
    runId: id<RunId>(),
    /** The suite that the contract was compiled to. */
    suite: suiteInReport,
    /** The agent that was evaluated. */
    agent: agentVersion,
    /** Digest of the contract, `sha256:<hex>`. */
    contract: id<Digest>('Digest of the contract.'),
    /** Whether the agent keeps its contract. */
    verdict: choice(CONTRACT_VERDICTS),
    /** How many tasks there are, and how they went. */
    tasks: closed({
      /** Tasks of the suite. */
      total: count(),
      /** Tasks that ran. */
      selected: count(),
      /** Those of them that passed. */
      passed: count(),
    }),
    /** What was decided about each criterion, in the order of the contract. */
    criteria: list(reportedGate),
    /** What the suite's thresholds alone say. With a contract they do not decide. */
    summary: closed(
      {
        /** The mean score of the run. */
        score: fraction(),
        /** Whether the thresholds of the suite are met. */
        passed: flag(),
      },
      {
        /** Whether the thresholds on cost and latency are met; present only when a part of the suite ran. */
        otherBarsMet: flag('Of a part of the suite: whether the thresholds besides the pass score are met.'),
      },
      { description: 'What the thresholds alone say.' },
    ),
  },
  {
    /** Present when the contract bounds the response time. */
    sla: closed({
      /** The bound, in milliseconds. */
      expectedLatencyMs: number(),
      /** The 95th percentile of this run, in milliseconds. */
      p95Ms: amount(),
      /** Whether missing it fails the contract, or warns. */
      policy: choice(['gate', 'warn']),
      /** Whether the bound was kept; `error` when no latency is known. */
      status: gateStatus,
    }),
    /** The rows that the tasks were made of; absent when the profile names no dataset. */
    dataset: closed({
      /** Digest of the bytes that the rows came in. */
      digest: id<Digest>(),
      /** How many it has. */
      rows: count(),
    }),
    /** Who decided criteria that are prose; absent when no judge was asked. */
    judge: judgeIdentity,
    /** Who compared meanings; absent when no criterion asks for it. */
    embedder: embedderPin,
  },
);
/** Whether an agent keeps the contract it carries. Content-free, like the summary of the same run. */
export type ContractReport = Wire<typeof contractReport>;
