import type { Static } from 'typebox';
import {
  type AnyObject,
  anyObject,
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
import { evalModes, verbosity } from './parts.js';
import { type configurable as optionKeys, tag } from './run-options.js';

const SPEC = 'https://openwop.dev/spec/v1';

/** Keys that mean the same in every run. */
const configurable = object(
  {},
  {
    runTimeoutMs: integer('The longest the run may take, in milliseconds; pauses do not count.', {
      minimum: 1,
    }),
    maxLoopIterations: integer('The most turns of an orchestrator.', { minimum: 1 }),
    budget: ref<typeof budgetPolicy>(`${SPEC}/budget-policy.schema.json`, 'What the run may spend.'),
    escalationThreshold: fraction('Answers less sure than this are escalated.'),
    reasoningVerbosity: verbosity('How much reasoning is recorded.'),
  },
  {
    description: 'Settings of this run. Keys nobody knows are kept and passed on.',
    allOf: [{ $ref: `${SPEC}/run-options.schema.json#/$defs/Configurable` }],
  },
);
type Configurable = Static<typeof optionKeys> & Static<typeof configurable> & AnyObject;

/** Keys that an eval run adds. In any other run they are strangers' keys and pass through unread. */
const evalConfigurable = object(
  {},
  {
    evalModes: evalModes('Run in these modes instead of those of the suite.', { minItems: 1 }),
    baselineRunId: name('The run to measure a regression against.'),
    allowTargetMismatch: flag('Evaluate an agent the suite was not written for.'),
    concurrency: integer('How many tasks run at the same time.', { minimum: 1 }),
    repeats: integer('How often each task runs.', { minimum: 1, maximum: 100 }),
  },
);
/** The members of `configurable` that only an eval run reads. */
export type EvalConfigurableWire = Wire<typeof evalConfigurable>;

const evalForm = {
  required: ['evalSuiteRef', 'agentId'],
  not: { required: ['workflowId'] },
  properties: { configurable: evalConfigurable },
};
const otherForms = { oneOf: [{ required: ['workflowId'] }, { required: ['agentId'] }] };

export const runCreate = closed(
  {},
  {
    workflowId: name('The workflow to execute.'),
    inputs: anyObject('What the workflow or the agent is given.'),
    mode: constant('eval', { type: 'string', description: 'Evaluate an agent. Left out for any other run.' }),
    evalSuiteRef: name('The suite to run: its id, or <id>@<version>.'),
    agentId: name('The agent to run: its id, <id>@<version> or <id>@<channel>.'),
    tenantId: text('Grants nothing; the key decides whose run it is.'),
    scopeId: text('Names the thing that only one run at a time may work on.'),
    callbackUrl: text('Called when the run has ended.', { format: 'uri' }),
    residency: anyObject('Where the data of the run may live.'),
    configurable: plain<Configurable>(configurable),
    tags: list(tag(), 'Words to find the run by.', { maxItems: 100 }),
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
