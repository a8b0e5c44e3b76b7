import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Issue, validationError } from '@touchstone/protocol';
import { createSchemaCheck, examineSchema } from '../../agents/index.js';
import { type Checker, CheckOverLimit, type Clock, type MaybePromise } from '../../ports/index.js';
import type { CompileInput } from '../../profiles/index.js';

/** Others are let in when they have waited this long. */
const TURN_MS = 20;

/** Refuses a request whose checks take too long, and says what of it does. */
export const refuseSlow =
  <Question extends unknown[], Answer>(
    issue: Issue,
    check: (...question: Question) => MaybePromise<Answer>,
    details?: { readonly code: string },
  ) =>
  async (...question: Question): Promise<Answer> => {
    try {
      return await check(...question);
    } catch (error) {
      throw error instanceof CheckOverLimit ? validationError([issue], details) : error;
    }
  };

/** Adds to a question the schemas that a tenant may use, within the time of its request. */
export function withTenantSchemas(
  { rows, ...input }: CompileInput,
  check: Checker,
  clock: Clock,
): CompileInput {
  const details = { code: 'invalid_schema' };
  return {
    ...input,
    schemas: {
      issues: refuseSlow(SLOW_SCHEMAS, (schema) => examineSchema(check, schema), details),
      check: refuseSlow(SLOW_SCHEMAS, createSchemaCheck(check), details),
    },
    ...(rows && { rows: () => inTurns(rows(), clock) }),
  };
}

/** The same items, with turns for others in between: what lies in memory comes without a pause of its own, and is work. */
export async function* inTurns<T>(items: AsyncIterable<T>, clock: Clock): AsyncGenerator<T> {
  let turnAt = clock.elapsed();
  for await (const item of items) {
    yield item;
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
