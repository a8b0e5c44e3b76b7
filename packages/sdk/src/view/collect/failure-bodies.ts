import type { Json, RunId, TaskView } from '@touchstone/protocol';
import { parseCriterion } from '@touchstone/protocol/bodies';
import type { Client } from '../../client.js';
import type { CriterionBody, Failure, FailureBodies } from '../run-view.js';
import { absentElsewhere } from './read-results.js';

/** Reads the content of the first failures; the others stay as they are. */
export async function addBodies(
  client: Client,
  runId: RunId,
  failures: readonly Failure[],
  count: number,
): Promise<readonly Failure[]> {
  const shown: Failure[] = [];
  const wanted = failures.slice(0, count);
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const some = wanted.slice(from, from + AT_ONCE).map(async (failure) => {
      const view = await client.task(runId, failure.taskId).catch(absentElsewhere);
      return view ? { ...failure, bodies: bodiesOf(view) } : failure;
    });
    for (const failure of await Promise.all(some)) shown.push(failure);
  }
  return [...shown, ...failures.slice(count)];
}

/** Requests at a time: a host must not be asked for thousands of tasks at once. */
const AT_ONCE = 32;

/** What was expected and what came. Of several repeats the last is shown; `touchstone show --task` shows them all. */
export function bodiesOf({ expected, invocations }: TaskView): FailureBodies {
  const shown = invocations.at(-1);
  return {
    expected: expectedOf(expected as unknown as ExpectedBody, shown?.criteria as CriterionVerdicts),
    ...(shown?.output !== undefined && { got: { value: shown.output } }),
    outcome: shown?.outcome ?? 'failed',
    ...(shown?.reason !== undefined && { reason: shown.reason }),
  };
}

/** The `expected` member of a task as the wire has it. */
type ExpectedBody =
  | {
      readonly kind: 'golden';
      readonly match: { readonly strategy: string; readonly value: Json };
    }
  | {
      readonly kind: 'rubric';
      readonly rubric: readonly { readonly criterion: string; readonly weight: number }[];
    };
/** Verdicts in the order of the rubric; undefined when none was recorded. */
type CriterionVerdicts =
  | readonly Pick<CriterionBody, 'met' | 'agreement' | 'reason' | 'differsAt'>[]
  | undefined;

function expectedOf(expected: ExpectedBody, verdicts: CriterionVerdicts): FailureBodies['expected'] {
  if (expected.kind === 'golden')
    return { kind: 'golden', strategy: expected.match.strategy, value: expected.match.value };
  const criteria = expected.rubric.map(({ criterion, weight }, index) => ({
    text: sentenceOf(criterion),
    weight,
    ...checkOf(criterion),
    ...verdicts?.[index],
  }));
  return { kind: 'rubric', criteria };
}

function checkOf(criterion: string): Pick<CriterionBody, 'check'> {
  const parsed = parseCriterion(criterion);
  return parsed.kind === 'check' ? { check: parsed.name } : {};
}

/** The words of a criterion: a check is shown by the sentence that says the same. */
export function sentenceOf(criterion: string): string {
  const parsed = parseCriterion(criterion);
  return parsed.kind === 'malformed' ? criterion : parsed.sentence;
}
