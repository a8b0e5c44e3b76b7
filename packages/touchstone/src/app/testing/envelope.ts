import { check } from '@touchstone/protocol/wire';
import { expect } from 'vitest';
import type { Answered } from './test-host.js';

type Envelope = {
  readonly error: string;
  readonly message: string;
  readonly details: { readonly [key: string]: unknown };
};

/** Expects a refusal: this status, this code, and nothing in the body that the envelope does not have. */
export function expectRefusal(answer: Answered, status: number, code: string): Envelope {
  const body = answer.json<Envelope>();
  expect({ status: answer.status, error: body.error }).toEqual({ status, error: code });
  expect(check('error-envelope', body)).toEqual([]);
  expect(answer.text).not.toMatch(/\bat .*\.(ts|js):\d/);
  return body;
}
