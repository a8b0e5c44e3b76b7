// JSON Schemas of the test contract that an agent carries, of what it is compiled to, and of the report about it. They
// take values as they should be written; readers of definition files are more lenient (a number in quotes, say).
import { EVALUATORS } from '../../model/verdicts.js';
import { suiteId, suiteVersion } from '../openwop/parts.js';
import {
  amount,
  anyObject,
  anything,
  choice,
  closed,
  constant,
  count,
  flag,
  list,
  name,
  number,
  plain,
  set,
  text,
  type Wire,
} from '../schema/build.js';
import { contractReport } from './report/contract-report.js';

/** Root members of a schema that this project publishes under a URN. */
const root = (id: string, title: string, description: string) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `urn:touchstone:${id}`,
  title,
  description,
});

/** A string, or `null` for "nothing is said". */
const textOrNull = (description: string) => plain<string | null>({ type: ['string', 'null'], description });

const criterionName = text('What the criterion is called. Some names are known and need no judge.');
const criterionText = 'What is checked, in words for people and for a judge.';
const thresholdText = 'The threshold: a share of the tasks, a degree, or milliseconds.';
const strict = flag('A hard requirement; otherwise a warning.', { default: true });

/** A `SuccessCriterion` of form A: all but the name may be missing or `null`. */
const criterionA = closed(
  {
    /** Known names such as `json_validity` are decided without a judge. */
    name: criterionName,
  },
  {
    /** Words for people and for the judge. */
    description: textOrNull(criterionText),
    /** A share of the tasks, a degree from 0 to 1, or milliseconds, as the criterion's evaluator takes it. */
    threshold: plain<number | null>({ type: ['number', 'null'], description: thresholdText }),
    strict,
  },
);
/** A `SuccessCriterion` of form B: description and threshold are required. */
const criterionB = closed(
  { name: criterionName, description: text(criterionText), threshold: number(thresholdText) },
  { strict },
);

// Whole numbers that a double holds exactly.
/** `expected_latency_ms` of the profile. */
const latency = plain<number | null>({
  type: ['integer', 'null'],
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The longest response time that is expected, in milliseconds.',
});
/** `golden_dataset_uri` of the profile. */
const dataset = textOrNull('Where the reference data is. A trailing #sha256=<64 hex> pins its bytes.');
/** `evaluator_model` of the profile, e.g. `gpt-4-turbo`. */
const evaluator = textOrNull('The model that judges what no other evaluator can decide.');
const RUBRIC = 'The conditions for success.';

/** An `EvaluationProfile` of form A. */
const profileA = closed(
  {},
  {
    /** Becomes the suite's `maxP95LatencyMs`; no bound when absent. */
    expected_latency_ms: latency,
    /** A file or URL; the caller sends the rows when absent. */
    golden_dataset_uri: dataset,
    /** The criteria; none when absent or `null`. */
    grading_rubric: plain<readonly Wire<typeof criterionA>[] | null>({
      type: ['array', 'null'],
      items: criterionA,
      description: RUBRIC,
    }),
    /** The host's configured judge when absent. */
    evaluator_model: evaluator,
  },
  root('evaluation-profile:a', 'EvaluationProfile', 'The test contract of an agent, in form A.'),
);
/** An `EvaluationProfile` of form B. */
const profileB = closed(
  {},
  {
    /** Becomes the suite's `maxP95LatencyMs`; no bound when absent. */
    expected_latency_ms: latency,
    /** A file or URL with the rows; the caller sends them when absent. */
    golden_dataset_uri: dataset,
    /** The judge; the host's configured one when absent. */
    evaluator_model: evaluator,
    /** The criteria; none when absent, and never `null`. */
    grading_rubric: list(criterionB, RUBRIC),
  },
  root('evaluation-profile:b', 'EvaluationProfile', 'The test contract of an agent, in form B.'),
);

/** 64 hexadecimal digits. */
const sha256 = (description: string) => text(description, { pattern: '^[0-9a-f]{64}$' });
/** A criterion by the slug of its name. */
const criterionId = () =>
  text('The slug of a criterion. It says nothing about content.', {
    pattern: '^[a-z0-9][a-z0-9-]*$',
    maxLength: 64,
  });
const milliseconds = amount('In milliseconds.');

/** The longest answer that a criterion of conciseness accepts. */
const bound = closed(
  {
    most: count('The number itself.'),
    unit: choice(['words', 'characters', 'sentences', 'lines'], 'What is counted.'),
    inclusive: flag('Whether the number itself is still allowed.'),
  },
  {},
  { description: 'The length of an answer that the description asks for.' },
);

/** One criterion of a compiled contract; see `ContractCriterion`. */
const contractCriterion = closed(
  {
    id: criterionId(),
    name: text('The name its author gave it.'),
    strict: flag('A hard requirement; otherwise a warning.'),
    evaluator: choice(EVALUATORS, 'How it is decided.'),
    class: choice(['binary', 'graded'], 'Met or not, or met to a degree.'),
    direction: choice(['max', 'min'], 'Whether a high or a low degree is good.'),
    rate: number('The share of the tasks it applies to that must meet it.'),
  },
  {
    description: text(criterionText),
    threshold: number(thresholdText),
    degree: number('The degree from which on (down from which, in direction min) it is met.'),
    bound,
    latencyMs: milliseconds,
    fenceTolerant: constant(true, { description: 'One surrounding code fence is tolerated.' }),
    approximate: constant(true, { description: 'Words may be compared where meanings cannot be.' }),
    implicit: constant(true, { description: 'Added because an expected value was read by no criterion.' }),
  },
);

/** What the criteria of one task need; see `ContractTask`. */
const contractTask = closed(
  { criteria: set(criterionId(), 'The criteria that apply.') },
  {
    reference: anything('A right answer, or a list of them.'),
    match: choice(['exact', 'contains', 'json-match'], 'How an answer is held against the reference.'),
    schema: anyObject('The JSON Schema of an answer.'),
    forbidden: list(text(), 'What an answer must not contain.'),
    tools: list(text(), 'Tools that must be called.'),
    evaluators: plain<{ [criterionId: string]: (typeof EVALUATORS)[number] }>({
      description: 'Where a criterion is decided otherwise than elsewhere.',
      type: 'object',
      additionalProperties: choice(EVALUATORS),
    }),
  },
);

/** Whether missing the bound fails the contract or is only reported. */
const policy = choice(['gate', 'warn'], 'Whether missing it fails the contract or is only reported.');

/** A compiled contract; see `EvalContract` for what each member is. */
const evalContract = closed(
  {
    contractVersion: plain<1>({ const: 1 }),
    suiteId: suiteId('The suite it belongs to.'),
    suiteVersion: suiteVersion('The version of that suite.'),
    suiteSha256: sha256('Of the canonical JSON of that suite.'),
    agent: closed({
      id: name('The agent that carries the contract.'),
      name: text('What that agent is called.'),
      version: name('Its version, in full.'),
      sha256: sha256('Of the canonical JSON of its whole definition.'),
    }),
    criteria: list(contractCriterion, 'All criteria, in the order of the rubric.'),
    tasks: plain<{ [taskId: string]: Wire<typeof contractTask> }>({
      type: 'object',
      additionalProperties: contractTask,
      description: 'By task id, what its criteria are held against.',
    }),
  },
  {
    dataset: closed(
      {
        sha256: sha256('Of the bytes it came in.'),
        bytes: count('How many those were.'),
        format: choice(['json', 'jsonl', 'csv', 'rows'], 'How they were written.'),
        rows: count('How many rows it has.'),
      },
      {
        uri: text('Where it came from.'),
        sample: closed(
          { seed: text('What decided the choice.'), of: count('How many rows there were to choose from.') },
          {},
          { description: 'When only some of the rows became tasks.' },
        ),
      },
    ),
    sla: closed({ expectedLatencyMs: milliseconds, policy }),
    judge: closed({ model: name('The model the profile names.') }),
  },
  root('eval-contract', 'EvalContract', 'What a suite cannot hold of the profile it was compiled from.'),
);

/** By their addresses: each stands for itself and refers to no other. */
export const profileSchemas = {
  'urn:touchstone:success-criterion:a': {
    ...criterionA,
    ...root('success-criterion:a', 'SuccessCriterion', 'One condition for success, in form A.'),
  },
  'urn:touchstone:success-criterion:b': {
    ...criterionB,
    ...root('success-criterion:b', 'SuccessCriterion', 'One condition for success, in form B.'),
  },
  'urn:touchstone:evaluation-profile:a': profileA,
  'urn:touchstone:evaluation-profile:b': profileB,
  'urn:touchstone:eval-contract': evalContract,
  'urn:touchstone:contract-report': {
    ...contractReport,
    ...root(
      'contract-report',
      'ContractReport',
      'Whether an agent keeps the contract it carries. Holds no content.',
    ),
  },
};

/** An evaluation profile as its author writes it, in form A or B. */
export type ProfileWire<Form extends 'a' | 'b'> = Wire<
  (typeof profileSchemas)[`urn:touchstone:evaluation-profile:${Form}`]
>;
/** A compiled contract as it is stored and sent. */
export type EvalContractWire = Wire<typeof evalContract>;
