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

const match = closed(
  {
    strategy: choice(['exact', 'contains', 'json-match'], 'How the output is held against the value.'),
    value: anything('What a right answer equals or contains.'),
  },
  {},
  { description: 'The right answer of a golden task.' },
);

const criterion = closed({
  criterion: name('What a good answer does, in words a judge can check.'),
  weight: fraction('Its share of the task score; the weights of a task should add up to 1.'),
});

const expected = closed(
  { kind: choice(['golden', 'rubric'], 'Whether the answer is compared or judged.') },
  { match, rubric: list(criterion, 'The criteria of a rubric task.', { minItems: 1 }) },
  { description: 'How the answer to this task is scored.' },
);

const fixtures = closed(
  {},
  {
    toolResponses: list(
      closed(
        { tool: name('The tool this response stands in for.') },
        { response: anything('What the agent gets instead of a live answer.') },
      ),
      'Canned answers, used up in order; the last one of a tool repeats.',
    ),
    memorySeed: list(anyObject('One memory entry.'), 'What the agent remembers before it starts.'),
  },
  { description: 'Stand-ins for tools and memory, so that the task runs the same every time.' },
);

const task = closed(
  {
    taskId: taskId('The name of the task, unique in its suite.'),
    input: anything('What the agent is given.'),
    expected,
  },
  { fixtures },
);

const thresholds = closed(
  {},
  {
    passScore: fraction('The lowest score that passes.'),
    maxCostUsd: amount('The most the whole run may cost, in US dollars.'),
    maxP95LatencyMs: count('The slowest allowed 95th percentile, in milliseconds.'),
  },
  { description: 'The bar that a run of this suite must clear.' },
);

export const agentEvalSuite = closed(
  {
    suiteId: suiteId('The name of the suite: <scope>.<org>.evals.<name>.'),
    version: suiteVersion('Three numbers, as in 1.0.0.'),
    modes: evalModes('The modes this suite is made for.', { minItems: 1 }),
    tasks: list(task, 'The tasks, in the order they are reported.', { minItems: 1 }),
  },
  {
    targetAgentId: name('The agent this suite was written for.'),
    allowedModels: set(modelClass(), 'Model classes the suite is valid for; every class when absent.'),
    thresholds,
  },
  published('agent-eval-suite', 'AgentEvalSuite', 'A portable set of tasks that shows how good an agent is.'),
);
/** A suite as its author writes it, in JSON or YAML. What a schema cannot say about it is checked by the suites module. */
export type AgentEvalSuiteWire = Wire<typeof agentEvalSuite>;
