import { setImmediate as letOthersIn } from 'node:timers/promises';
import { validationError } from '@touchstone/protocol';
import type { Clock } from '../../ports/index.js';
import type { CompileInput, NormalRow } from '../../profiles/index.js';
import { createCheckingTime } from './schema-budget.js';

/** Others are let in when they have waited this long. */
const TURN_MS = 20;

type SchemaQuestion = Required<Pick<CompileInput, 'schemas'>> & CompileInput;

/** Schemas of tenants may be slow: their time is bounded, and the event loop runs in between. */
export function schemasInTurns({ schemas, rows, ...input }: SchemaQuestion, clock: Clock): CompileInput {
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
    ...(rows && { rows: () => pausing(rows(), clock) }),
  };
}

/** Rows that lie in memory come without a pause of their own, and each of them is work. */
async function* pausing(rows: AsyncIterable<NormalRow>, clock: Clock): AsyncGenerator<NormalRow> {
  let turnAt = clock.elapsed();
  for await (const row of rows) {
    yield row;
    if (clock.elapsed() - turnAt < TURN_MS) continue;
    await letOthersIn();
    turnAt = clock.elapsed();
  }
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
