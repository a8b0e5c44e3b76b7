import { createHash } from 'node:crypto';
import type { JsonObject } from '@touchstone/protocol';
import type { EvalContract } from '@touchstone/protocol/bodies';

/**
 * A contract as it is written holds a schema with every task that needs one, mostly the same. In one that was read they
 * become one object, so that whoever uses schemas looks into each of them once.
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
