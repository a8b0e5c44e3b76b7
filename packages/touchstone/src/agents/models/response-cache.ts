import { createHash } from 'node:crypto';
import { asId, canonicalJson, type Digest, type Json, type Owner } from '@touchstone/protocol';
import { fromBody, toBody } from '@touchstone/protocol/bodies';
import type { Clock, Responses } from '../../ports/index.js';
import type { Model, ModelIdentity, Question, Reply } from './model.js';

/**
 * The model, with its replies remembered: the same question is answered again without being asked. Tokens are those of
 * the call that was remembered, the money is none. What holds a secret of this host is not remembered, because it would
 * outlive the secret.
 */
export function withResponses(
  model: Model,
  responses: Responses,
  owner: Owner,
  clock: Clock,
  containsSecret: (text: string) => boolean,
): Model {
  return {
    ...model,
    async ask(question, bound) {
      const key = questionDigest(model.identity, question);
      const known = await responses.get(owner, key);
      if (known !== undefined) return remembered(fromBody(known) as unknown as Reply);
      const reply = await model.ask(question, bound);
      if (reply.kind !== 'reply' || textsIn(reply as unknown as Json).some(containsSecret)) return reply;
      return { ...reply, remember: () => responses.put(owner, key, toBody(storable(reply)), clock.now()) };
    },
  };
}

export function questionDigest(identity: ModelIdentity, question: Question): Digest {
  // Both are JSON; only their optional members make the compiler doubt it.
  const whole = { identity, question } as unknown as Json;
  return asId<Digest>(`sha256:${createHash('sha256').update(canonicalJson(whole)).digest('hex')}`);
}

/** Inputs that are not JSON are undefined, which no store can hold; absent, they read back the same. */
const storable = (reply: Reply): Json => JSON.parse(JSON.stringify(reply)) as Json;

/** Nobody was asked, so there is no time that it took. */
function remembered(reply: Reply): Reply {
  const { time: _, ...usage } = reply.usage;
  return { ...reply, usage: { ...usage, costUsd: 0, cacheHit: true } };
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
