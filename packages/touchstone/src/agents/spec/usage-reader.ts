import { asId, type ModelName } from '@touchstone/protocol';
import type { Usage } from '../../ports/index.js';
import { ObjectReader, present } from './object-reader.js';

/** Names, not prose: these leave the agent's room in content-free events. */
const NAME = {
  max: 128,
  pattern: /^[A-Za-z0-9][A-Za-z0-9 ._:/@+-]*$/,
  expected: 'a name of letters, digits and ._:/@+-',
};
/** No call costs more; a larger number is a mistake, and sums of such numbers lose precision. */
const MOST_USD = 1_000_000;
const TOKENS = { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true };

/** Reads one entry of what an agent says it used. Members it adds of its own are left alone. */
export function readUsage(value: unknown, pointer: string, issues: ObjectReader['issues']): Usage {
  const reader = ObjectReader.of(value, pointer, issues);
  reader.require('provider', 'model', 'inputTokens', 'outputTokens');
  const name = (member: string): ModelName | undefined => {
    const text = reader.text(member, NAME);
    return text === undefined ? undefined : asId<ModelName>(text);
  };
  return present<Usage>({
    provider: name('provider'),
    model: name('model'),
    inputTokens: reader.number('inputTokens', TOKENS),
    outputTokens: reader.number('outputTokens', TOKENS),
    costUsd: reader.number('costUsd', { min: 0, max: MOST_USD }),
    cacheHit: reader.flag('cacheHit'),
  });
}
