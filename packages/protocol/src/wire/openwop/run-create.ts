import type { Static } from 'typebox';
import {
  type AnyObject,
  anyObject,
  choice,
  closed,
  constant,
  flag,
  fraction,
  integer,
  list,
  name,
  object,
  ours,
  plain,
  ref,
  text,
  type Wire,
  when,
} from '../schema/build.js';
import type { budgetPolicy } from './budget-policy.js';
import { evalModes } from './parts.js';
import { type configurable as optionKeys, tag } from './run-options.js';

const SPEC = 'https://openwop.dev/spec/v1';

/** Keys that mean the same in every run. */
const configurable = object(
  {},
  {
    /**
     * The longest the run may take, in milliseconds; pauses do not count. At least 1. The run fails with
     * `run_timeout`; results of finished tasks stay in its log.
     */
    runTimeoutMs: integer('The longest the run may take, in milliseconds; pauses do not count.', {
      minimum: 1,
    }),
    /** The most turns of an orchestrator. At least 1. Evaluations and runs of one agent have none, so they keep to it. */
    maxLoopIterations: integer('The most turns of an orchestrator.', { minimum: 1 }),
    /**
     * What the run may spend. Enforced here: `maxCostUsd`. A budget with other limits is refused rather than ignored.
     */
    budget: ref<typeof budgetPolicy>(`${SPEC}/budget-policy.schema.json`, 'What the run may spend.'),
    /** Take a `budget` although a model of the run has no known price, so that its calls cannot be counted. */
    allowUnpriced: flag('Take a budget although the price of a model is unknown.'),
    /**
     * Answers less sure than this are escalated. From 0 to 1, in place of the agent's own
     * `confidence.defaultThreshold`; 0.7 when neither is present.
     */
    escalationThreshold: fraction('Answers less sure than this are escalated.'),
    /**
     * How much reasoning is recorded. `full`, which is the default, records what the agent sends; `off` records that
     * there was none. The protocol's third value, `summary`, is refused: no part of this host writes summaries.
     */
    reasoningVerbosity: choice(['full', 'off'], 'How much reasoning is recorded.'),
  },
  {
    description: 'Settings of this run. Unknown keys are kept and passed on.',
    allOf: [{ $ref: `${SPEC}/run-options.schema.json#/$defs/Configurable` }],
  },
);
/** Keys of every run, keys of this kind of run, and unknown keys, which are kept. */
type Configurable = Static<typeof optionKeys> & Static<typeof configurable> & AnyObject;

/** Keys that an eval run adds. In any other run they are unknown keys, which pass through unread. */
const evalConfigurable = object(
  {},
  {
    /** A subset of the suite's `modes`; all of them when absent. */
    evalModes: evalModes('Run in these modes instead of those of the suite.', { minItems: 1 }),
    /** A completed run of the same suite, or one whose scorecard was imported; no comparison when absent. */
    baselineRunId: name('The run to measure a regression against.'),
    /**
     * With `baselineRunId`: compare the tasks of equal id and equal digest, whatever else changed in the suite since.
     * `false` when absent: the baseline must have run the very same suite.
     */
    commonTasks: flag('Compare the tasks that are the same in both suites.'),
    /**
     * Evaluate an agent the suite was not written for. `true` runs a suite that names another `targetAgentId` or
     * class of model. Such a run is no evidence for a gate.
     */
    allowTargetMismatch: flag('Evaluate an agent the suite was not written for.'),
    /** How many tasks run at the same time. From 1 to 256; 8 when absent. */
    concurrency: integer('How many tasks run at the same time.', { minimum: 1 }),
    /** How often each task runs. From 1 to 100; 1 when absent. A task's score is the mean over its repeats. */
    repeats: integer('How often each task runs.', { minimum: 1, maximum: 100 }),
  },
);
/** The members of `configurable` that only an eval run reads. */
export type EvalConfigurableWire = Wire<typeof evalConfigurable>;

/** With `mode: "eval"`: a suite and an agent, and no workflow. */
const evalForm = {
  required: ['evalSuiteRef', 'agentId'],
  not: { required: ['workflowId'] },
  properties: { configurable: evalConfigurable },
};
/** Without a mode: one agent and no workflow, or a workflow. */
const otherForms = when(
  { required: ['agentId'] },
  { not: { required: ['workflowId'] } },
  { required: ['workflowId'] },
);

/** The schema of the body of `POST /v1/runs`. */
export const runCreate = closed(
  {},
  {
    /** One of the host's own workflows. Excludes `mode`. */
    workflowId: name('The workflow to execute.'),
    /** What the workflow or the agent is given. Any members. Content. */
    inputs: anyObject('What the workflow or the agent is given.'),
    /** `eval` runs a suite against an agent (RFC 0081 §B). */
    mode: constant('eval', { type: 'string', description: 'Evaluate an agent. Left out for any other run.' }),
    /** `<suiteId>` means the highest installed version. Required with `mode: "eval"`, refused without it. */
    evalSuiteRef: name('The suite to run: its id, or <id>@<version>.'),
    /** A bare id means the highest installed version; a channel means the version that serves there. */
    agentId: name('The agent to run: its id, <id>@<version> or <id>@<channel>.'),
    /** Ignored: the API key decides whose run it is. */
    tenantId: text('Grants nothing; the key decides whose run it is.'),
    /**
     * Names the thing that only one run at a time may work on. With the header `X-Dedup: enforce`, a second active
     * run of the same scope is refused with `run_already_active`.
     */
    scopeId: text('Names the thing that only one run at a time may work on.'),
    /** Settings of the run. Values that the host reads are checked; unknown keys are stored with the run. */
    configurable: plain<Configurable>(configurable),
    /** Words to find the run by. At most 100, each 1 to 256 characters. Webhooks can select runs by them. */
    tags: list(tag(), 'Words to find the run by.', { maxItems: 100 }),
    /** Kept and given back; never read. Any JSON object, stored and returned with every snapshot. */
    metadata: anyObject('Kept and given back; never read.'),
  },
  {
    ...ours(
      'run-create',
      'RunCreate',
      'Starts a run: of a workflow, of one agent, or of a suite against an agent.',
    ),
    dependentRequired: { evalSuiteRef: ['mode'] },
    ...when({ required: ['mode'] }, evalForm, otherForms),
  },
);
/** Body of `POST /v1/runs`. The schema is ours: the protocol publishes its parts. */
export type RunCreateWire = Wire<typeof runCreate>;
