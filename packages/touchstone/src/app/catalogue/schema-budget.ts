import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Issue, validationError } from '@touchstone/protocol';
import type { Clock } from '../../ports/index.js';
import type { CompileInput, NormalRow } from '../../profiles/index.js';

/** How long one request may have foreign schemas worked on: each question is bounded, and so are all together. */
const BUDGET_MS = 2_000;
/** A large suite is not a slow schema. */
const BUDGET_MS_PER_TASK = 1;
/** Others are let in when they have waited this long. */
const TURN_MS = 20;

/** The time one request may spend on checking. */
type CheckingTime = {
  /** Whether it is used up. What is being done then is still brought to its end. */
  isOver(): boolean;
  spend<T>(work: () => T): T;
  /** Hands out one item after the other, and lets others in when the last ones took long. */
  inTurns<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<readonly T[]>;
};

export function createCheckingTime(clock: Clock, tasks = 0): CheckingTime {
  const budget = Math.max(BUDGET_MS, tasks * BUDGET_MS_PER_TASK);
  let spent = 0;
  let spentAtTurn = 0;
  return {
    isOver: () => spent >= budget,
    spend(work) {
      const startedAt = clock.elapsed();
      try {
        return work();
      } finally {
        spent += clock.elapsed() - startedAt;
      }
    },
    async *inTurns(pages) {
      for await (const page of pages)
        for (const item of page) {
          yield [item];
          if (spent - spentAtTurn < TURN_MS) continue;
          spentAtTurn = spent;
          await yieldToEventLoop();
        }
    },
  };
}

/** Checks as long as there is time, and refuses the whole request after that. */
export const whileTimeLasts =
  <Question extends unknown[], Answer>(
    time: CheckingTime,
    issue: Issue,
    check: (...question: Question) => Answer,
    details?: { readonly code: string },
  ) =>
  (...question: Question): Answer => {
    if (time.isOver()) throw validationError([issue], details);
    return time.spend(() => check(...question));
  };

type SchemaQuestion = Required<Pick<CompileInput, 'schemas'>> & CompileInput;

/** Schemas of tenants may be slow: their time is bounded, and the event loop runs in between. */
export function schemasInTurns({ schemas, rows, ...input }: SchemaQuestion, clock: Clock): CompileInput {
  const time = createCheckingTime(clock, input.options?.maxTasks);
  const details = { code: 'invalid_schema' };
  return {
    ...input,
    schemas: {
      issues: whileTimeLasts(time, SLOW_SCHEMAS, schemas.issues, details),
      check: whileTimeLasts(time, SLOW_SCHEMAS, schemas.check, details),
    },
    ...(rows && { rows: () => pausing(rows(), clock) }),
  };
}

/** Rows that lie in memory come without a pause of their own, and each of them is work. */
async function* pausing(rows: AsyncIterable<NormalRow>, clock: Clock): AsyncGenerator<NormalRow> {
  let turnAt = clock.elapsed();
  for await (const row of rows) {
    yield row;
    if (clock.elapsed() - turnAt < TURN_MS) continue;
    await yieldToEventLoop();
    turnAt = clock.elapsed();
  }
}

const SLOW_SCHEMAS: Issue = {
  pointer: '',
  message:
    'The schemas of the agent and of the rows take too long to look into. Simplify them, or share one schema among the rows.',
};
