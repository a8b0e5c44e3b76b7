import { createHash } from 'node:crypto';
import { child, type HostError, type Issue, type JsonObject, validationError } from '@touchstone/protocol';
import type { ContractTask, EvalContract, Task } from '@touchstone/protocol/bodies';
import type { Suite } from '../ports/index.js';
import { readFileText } from '../suites/index.js';

const MAX_ISSUES = 20;

export type ContractReading = {
  /** Names the file in errors. */
  readonly file?: string;
  /** What is wrong with the shape of a contract, whatever its suite is. */
  readonly shapeIssues: (value: unknown) => readonly Issue[];
  readonly schemaIssues: (schema: JsonObject) => readonly Issue[];
};

/**
 * Reads the contract that was written beside a suite. It must have been compiled for this very suite: any other would
 * score its tasks wrongly. Throws `validation_error` with everything that is wrong, each with its line and column.
 */
export function readContract(text: string, suite: Suite, reading: ContractReading): EvalContract {
  const { value, problem, locate } = readFileText(text, { format: 'json' });
  const refusal = (code: string, issues: readonly Issue[] = []): HostError =>
    validationError(locate(issues.slice(0, MAX_ISSUES)), {
      code,
      ...(reading.file !== undefined && { file: reading.file }),
    });
  if (problem) throw refusal('invalid_contract');
  const misshapen = reading.shapeIssues(value);
  if (misshapen.length > 0) throw refusal('invalid_contract', misshapen);
  const contract = shareSchemas(value as EvalContract);
  const mismatch = pairIssues(contract, suite);
  if (mismatch.length > 0) throw refusal('contract_mismatch', mismatch);
  const issues: Issue[] = [];
  const report: Report = (at, message) => issues.push({ pointer: at, message });
  checkCriteria(contract, report);
  checkTasks(contract, suite.tasks, reading.schemaIssues, report);
  if (issues.length > 0) throw refusal('invalid_contract', issues);
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

type Report = (pointer: string, message: string) => void;

function checkCriteria({ criteria }: EvalContract, report: Report): void {
  const ids = new Set<string>();
  for (const [index, { id, rate, evaluator, bound }] of criteria.entries()) {
    const pointer = `/criteria/${index}`;
    if (ids.has(id)) report(`${pointer}/id`, 'Another criterion has this id already.');
    ids.add(id);
    if (rate < 0 || rate > 1) report(`${pointer}/rate`, 'Expected a share from 0 to 1.');
    if (evaluator === 'conciseness' && !bound)
      report(pointer, 'Expected a "bound", which conciseness is decided by.');
  }
}

function checkTasks(
  { criteria, tasks }: EvalContract,
  suiteTasks: readonly Task[],
  schemaIssues: ContractReading['schemaIssues'],
  report: Report,
): void {
  const known = new Set(criteria.map(({ id }) => id));
  const left = new Set(Object.keys(tasks));
  for (const task of suiteTasks) {
    const terms = left.delete(task.taskId) ? tasks[task.taskId] : undefined;
    const pointer = child('/tasks', task.taskId);
    if (terms) checkTerms(terms, task, known, pointer, report);
    else report('/tasks', `The suite has a task ${task.taskId}, and the contract has not.`);
    for (const issue of terms?.schema ? schemaIssues(terms.schema) : [])
      report(`${pointer}/schema${issue.pointer}`, issue.message);
  }
  for (const taskId of left) report(child('/tasks', taskId), 'The suite has no task of this id.');
}

/** The criteria of a task and the sentences of its rubric belong together by their order. */
function checkTerms(
  { criteria }: ContractTask,
  { expected }: Task,
  known: ReadonlySet<string>,
  pointer: string,
  report: Report,
): void {
  for (const [index, id] of criteria.entries())
    if (!known.has(id)) report(`${pointer}/criteria/${index}`, 'No criterion of the contract has this id.');
  const sentences = expected.kind === 'rubric' ? expected.rubric.length : criteria.length;
  const message = `Expected ${sentences} criteria, one for each of the task's rubric; got ${criteria.length}.`;
  if (criteria.length !== sentences) report(`${pointer}/criteria`, message);
}

/**
 * A contract as it is written holds a schema with every task that needs one, mostly the same. In one that was read they
 * become one object, so that each of them is compiled once.
 */
export function shareSchemas(contract: EvalContract): EvalContract {
  const known = new Map<string, JsonObject>();
  const shared = (schema: JsonObject): JsonObject => {
    const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
    const first = known.get(key) ?? schema;
    known.set(key, first);
    return first;
  };
  const tasks = Object.entries(contract.tasks).map(
    ([id, terms]) => [id, terms.schema ? { ...terms, schema: shared(terms.schema) } : terms] as const,
  );
  return { ...contract, tasks: Object.fromEntries(tasks) };
}
