import {
  type AccessDenial,
  asId,
  defined,
  describeDenial,
  type ErrorName,
  isObject,
  parseJson,
} from '@touchstone/protocol';
import type { AccessRefusal } from '../ports/index.js';

/** Who is asked, and with which credential: what a person needs to know when access is denied. */
export type Access = Pick<AccessDenial, 'provider' | 'keyEnv'> & {
  /** What a 404 says: that the model does not exist; or, of an agent, that its address is wrong while nothing was answered. */
  readonly notFound: 'denied' | 'denied-at-first' | 'failed';
};

const NO_QUOTA = asId<ErrorName>('insufficient_quota');
const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Statuses whose body is looked into for the name of the refusal: of access, or of something in the request. */
export const namesRefusal = (status: number): boolean =>
  [400, 401, 402, 403, 404, 407, 422, 429].includes(status);

/** A quota that is used up is a refusal until somebody pays; any other 429 passes by waiting. */
export function errorCodeIn(text: string): ErrorName | undefined {
  const body = parseJson(text);
  const error = isObject(body) ? body.error : undefined;
  const names = isObject(error) ? [error.code, error.type].filter(isPlainName) : [];
  return names.includes(NO_QUOTA) ? NO_QUOTA : names[0];
}

const isPlainName = (value: unknown): value is ErrorName =>
  typeof value === 'string' && PLAIN_NAME.test(value);

/** The refusal that a status means, if it means that this host was not let in. */
export function accessRefusal(
  access: Access,
  status: number,
  code: ErrorName | undefined,
): AccessRefusal | undefined {
  const isMissing = status === 404 && access.notFound !== 'failed';
  const isDenied = [401, 402, 403, 407].includes(status) || (status === 429 && code === NO_QUOTA);
  if (!isDenied && !isMissing) return undefined;
  const denial = defined({ provider: access.provider, status, code, keyEnv: access.keyEnv });
  const onlyAtFirst = isMissing && access.notFound === 'denied-at-first';
  return {
    kind: 'denied',
    reason: `${describeDenial(denial)}.`,
    denial,
    ...(onlyAtFirst && { onlyAtFirst }),
  };
}
