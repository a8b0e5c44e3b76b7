import { child, type HostError, type Issue, validationError } from '@touchstone/protocol';
import type { EvalContract, Task } from '@touchstone/protocol/bodies';
import type { Suite } from '../../ports/index.js';
import { readJson, withPositions } from '../../suites/index.js';
import type { Schemas } from '../compile/options.js';
import { inspect } from '../datasets/formats/jsonl.js';
import { shareSchemas } from './share-schemas.js';

const MAX_ISSUES = 20;

export type ContractReading = {
  /** Names the file in errors. */
  readonly file?: string;
  /** What is wrong with the shape of a contract, whatever its suite is. */
  readonly shapeIssues: (value: unknown) => readonly Issue[];
  readonly schemaIssues: Schemas['issues'];
};

/**
 * Reads the contract that was written beside a suite. It must have been compiled for this very suite: any other would
 * score its tasks wrongly. Throws `validation_error` with everything that is wrong, each with its line and column.
 */
export function readContract(text: string, suite: Suite, reading: ContractReading): EvalContract {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const source = readJson(body);
  const refusal = (code: string, found: Partial<ReturnType<typeof inspect>>): HostError => {
    const { faults = [], issues = [] } = found;
    const placed = withPositions(body, source, faults, issues.slice(0, MAX_ISSUES));
    return validationError(placed, { code, ...(reading.file !== undefined && { file: reading.file }) });
  };
  const flaws = inspect(source);
  if (flaws.faults.length + flaws.issues.length > 0) throw refusal('invalid_contract', flaws);
  const misshapen = reading.shapeIssues(source.value);
  if (misshapen.length > 0) throw refusal('invalid_contract', { issues: misshapen });
  const contract = shareSchemas(source.value as EvalContract);
  const strange = pairIssues(contract, suite);
  if (strange.length > 0) throw refusal('contract_mismatch', { issues: strange });
  const issues = [...criterionIssues(contract), ...taskIssues(contract, suite.tasks, reading.schemaIssues)];
  if (issues.length > 0) throw refusal('invalid_contract', { issues });
  return contract;
}

function pairIssues({ suiteId, suiteVersion, suiteSha256 }: EvalContract, { head }: Suite): readonly Issue[] {
  const own = `${suiteId}@${suiteVersion}`;
  const other = `${head.suiteId}@${head.version}`;
  const todo = 'Compile the definition again, or take the contract away to run the suite without it.';
  if (own !== other)
    return [
      { pointer: '/suiteId', message: `This is the contract of ${own}, and the suite is ${other}. ${todo}` },
    ];
  if (head.digest === `sha256:${suiteSha256}`) return [];
  const message = `The contract was compiled for another content of ${own} than the suite has. ${todo}`;
  return [{ pointer: '/suiteSha256', message }];
}

function criterionIssues({ criteria }: EvalContract): readonly Issue[] {
  const ids = new Set<string>();
  return criteria.flatMap(({ id, rate, evaluator, bound }, index) => {
    const pointer = `/criteria/${index}`;
    const isTwice = ids.has(id);
    ids.add(id);
    return [
      ...(isTwice ? [{ pointer: `${pointer}/id`, message: 'Another criterion has this id already.' }] : []),
      ...(rate < 0 || rate > 1
        ? [{ pointer: `${pointer}/rate`, message: 'Expected a share from 0 to 1.' }]
        : []),
      ...(evaluator === 'conciseness' && !bound
        ? [{ pointer, message: 'Expected a "bound", which conciseness is decided by.' }]
        : []),
    ];
  });
}

function taskIssues(
  { criteria, tasks }: EvalContract,
  suiteTasks: readonly Task[],
  schemaIssues: Schemas['issues'],
): readonly Issue[] {
  const known = new Set(criteria.map(({ id }) => id));
  const left = new Set(Object.keys(tasks));
  const issues = suiteTasks.flatMap((task) => {
    const terms = left.delete(task.taskId) ? tasks[task.taskId] : undefined;
    const pointer = child('/tasks', task.taskId);
    return terms
      ? [
          ...termIssues(terms, task, known, pointer),
          ...(terms.schema
            ? schemaIssues(terms.schema).map((issue) => below(`${pointer}/schema`, issue))
            : []),
        ]
      : [{ pointer: '/tasks', message: `The suite has a task ${task.taskId}, and the contract has not.` }];
  });
  const more = [...left].map((taskId) => ({
    pointer: child('/tasks', taskId),
    message: 'The suite has no task of this id.',
  }));
  return [...issues, ...more];
}

const below = (pointer: string, issue: Issue): Issue => ({ ...issue, pointer: `${pointer}${issue.pointer}` });

/** Criteria and the sentences of the suite belong together by their places. */
function termIssues(
  { criteria }: EvalContract['tasks'][string],
  { expected }: Task,
  known: ReadonlySet<string>,
  pointer: string,
): readonly Issue[] {
  const sentences = expected.kind === 'rubric' ? expected.rubric.length : criteria.length;
  const unknown = criteria.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ pointer: `${pointer}/criteria/${index}`, message: 'No criterion of the contract has this id.' }],
  );
  if (criteria.length === sentences) return unknown;
  const message = `Expected ${sentences} criteria, one for each of the task's rubric; got ${criteria.length}.`;
  return [...unknown, { pointer: `${pointer}/criteria`, message }];
}
