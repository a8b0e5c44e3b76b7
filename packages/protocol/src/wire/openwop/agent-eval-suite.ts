import {
  amount,
  anyObject,
  anything,
  choice,
  closed,
  count,
  fraction,
  list,
  name,
  published,
  set,
  type Wire,
} from '../schema/build.js';
import { evalModes, modelClass, suiteId, suiteVersion, taskId } from './parts.js';

/** The right answer of a golden task, and how an answer is compared with it. */
const match = closed(
  {
    /**
     * How the output is held against the value. `exact`: the same text. `contains`: the text occurs in the answer.
     * `json-match`: equal as JSON, in any member order.
     */
    strategy: choice(['exact', 'contains', 'json-match'], 'How the output is held against the value.'),
    /** The right answer: a text for `exact` and `contains`, any JSON for `json-match`. */
    value: anything('What a right answer equals or contains.'),
  },
  {},
  { description: 'The right answer of a golden task.' },
);

/** One weighted demand of a rubric task. */
const criterion = closed({
  /** A sentence for the judge, or `[check:<name> …]` and a sentence, which the host decides without a model. */
  criterion: name('What a good answer does, in words a judge can check.'),
  /** From 0 to 1. The task score is the share of the weights whose criteria are met. */
  weight: fraction('Its share of the task score; the weights of a task should add up to 1.'),
});

/** How a task is scored. `kind` alone decides; a block of the other kind is ignored. */
const expected = closed(
  {
    /** `golden` compares with `match`. `rubric` has a judge or checks decide each criterion. */
    kind: choice(['golden', 'rubric'], 'Whether the answer is compared or judged.'),
  },
  {
    /** Required when `kind` is `golden`; the suites module checks that. */
    match,
    /** The criteria of a rubric task. Required when `kind` is `rubric`; at least one criterion. */
    rubric: list(criterion, 'The criteria of a rubric task.', { minItems: 1 }),
  },
  { description: 'How the answer to this task is scored.' },
);

/** Recorded answers and memory that replace live tools in every mode but `live-shadow`. */
const fixtures = closed(
  {},
  {
    /** By tool, in the order of the calls. A tool without an entry answers with an error, never live. */
    toolResponses: list(
      closed(
        {
          /** The id of the tool, as `<scope>:<tool>`. */
          tool: name('The tool this response stands in for.'),
        },
        {
          /** The recorded answer; the tool answers nothing when absent. */
          response: anything('What the agent gets instead of a live answer.'),
        },
      ),
      'Canned answers, used up in order; the last one of a tool repeats.',
    ),
    /** Entries of the agent's memory before the invocation. The engine fills in what an entry lacks. */
    memorySeed: list(anyObject('One memory entry.'), 'What the agent remembers before it starts.'),
  },
  { description: 'Stand-ins for tools and memory, so that the task runs the same every time.' },
);

/** One item of a suite: an input, and what a good answer to it is. */
const task = closed(
  {
    /** Unique in the suite; small letters, digits and hyphens. Events and results name the task by it. */
    taskId: taskId('The name of the task, unique in its suite.'),
    /** What the agent is given. Any JSON. Content: no event of the `eval.*` family and no summary repeats it. */
    input: anything('What the agent is given.'),
    /** What the answer is scored by. */
    expected,
  },
  {
    /** Recorded tools and memory. Absent and empty differ: an empty block still forbids live calls. */
    fixtures,
  },
);

/** What a run must reach to pass. An absent member demands nothing beyond the host's defaults. */
const thresholds = closed(
  {},
  {
    /** The lowest mean score of a run, and of each task, from 0 to 1. When absent, the host's defaults apply. */
    passScore: fraction('The lowest score that passes.'),
    /**
     * The most the whole run may cost, in US dollars. Compared with the known cost of all tasks. A model call of
     * unknown price fails this threshold.
     */
    maxCostUsd: amount('The most the whole run may cost, in US dollars.'),
    /**
     * The slowest allowed 95th percentile, in milliseconds. Compared with the 95th percentile (nearest rank) of the
     * tasks' response times.
     */
    maxP95LatencyMs: count('The slowest allowed 95th percentile, in milliseconds.'),
  },
  { description: 'What a run of this suite must reach.' },
);

/** The protocol's schema of a suite (RFC 0081 §A). */
export const agentEvalSuite = closed(
  {
    /** The suite without its version, as `<scope>.<org>.evals.<name>`, e.g. `core.acme.evals.refunds`. */
    suiteId: suiteId('The name of the suite: <scope>.<org>.evals.<name>.'),
    /** Three numbers, as in `1.0.0`. An installed version never changes. */
    version: suiteVersion('Three numbers, as in 1.0.0.'),
    /** A run may choose among these and no others; at least one. */
    modes: evalModes('The modes this suite is made for.', { minItems: 1 }),
    /** The tasks, in the order they are reported. At least one. Results keep this order. */
    tasks: list(task, 'The tasks, in the order they are reported.', { minItems: 1 }),
  },
  {
    /** A run against another agent is refused unless it sets `allowTargetMismatch`. Any agent when absent. */
    targetAgentId: name('The agent this suite was written for.'),
    /** Classes of model that the suite is valid for; every class when absent. */
    allowedModels: set(modelClass(), 'Model classes the suite is valid for; every class when absent.'),
    /** What a run must reach; the host's defaults decide when absent. */
    thresholds,
  },
  published('agent-eval-suite', 'AgentEvalSuite', 'A portable set of tasks that shows how good an agent is.'),
);
/** A suite as its author writes it, in JSON or YAML. What a schema cannot say about it is checked by the suites module. */
export type AgentEvalSuiteWire = Wire<typeof agentEvalSuite>;
