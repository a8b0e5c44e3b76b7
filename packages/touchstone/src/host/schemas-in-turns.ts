import { validationError } from '@touchstone/contract';
import type { Clock } from '@touchstone/contract/ports';
import type { CompileInput, NormalRow } from '../suites/index.js';
import { type CheckingTime, createCheckingTime } from './checking-time.js';

type Asked = Required<Pick<CompileInput, 'schemas'>> & CompileInput;

/** Schemas of strangers may be slow ones: what they take is bounded, and others are let in meanwhile. */
export function schemasInTurns({ schemas, rows, ...input }: Asked, clock: Clock): CompileInput {
  const time = createCheckingTime(clock, input.options?.maxTasks);
  const spending =
    <Question extends unknown[], Answer>(ask: (...question: Question) => Answer) =>
    (...question: Question): Answer => {
      if (time.isOver()) throw slowSchemas();
      return time.spend(() => ask(...question));
    };
  return {
    ...input,
    schemas: { issues: spending(schemas.issues), check: spending(schemas.check) },
    ...(rows && { rows: () => pausing(rows(), time) }),
  };
}

async function* pausing(rows: AsyncIterable<NormalRow>, time: CheckingTime): AsyncGenerator<NormalRow> {
  const pages = async function* () {
    for await (const row of rows) yield [row];
  };
  for await (const page of time.inTurns(pages())) yield* page;
}

const slowSchemas = (): Error =>
  validationError(
    [
      {
        pointer: '',
        message:
          'The schemas of the agent and of the rows take too long to look into. Simplify them, or share one schema among the rows.',
      },
    ],
    { code: 'invalid_schema' },
  );
