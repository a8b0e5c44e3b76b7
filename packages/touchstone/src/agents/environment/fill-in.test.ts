import { describe, expect, it } from 'vitest';
import { fillIn, keyVariable, referenceIssues, tenantReferenceIssues, variablesIn } from './fill-in.js';

const env = { HOST: 'desk.example', KEY: 'k-123', EMPTY: '' };

describe('variables of the environment', () => {
  it.each([
    ['https://${HOST}/chat', 'https://desk.example/chat'],
    ['${HOST}${KEY}', 'desk.examplek-123'],
    ['${NONE:-other}', 'other'],
    ['${EMPTY:-other}', 'other'],
    ['${NONE:-}', ''],
    ['${HOST:-other}', 'desk.example'],
    ['$${HOST} stays', '${HOST} stays'],
    ['$HOST, $ and {HOST} are text', '$HOST, $ and {HOST} are text'],
  ])('in %j give %j', (written, filled) => {
    expect(fillIn({ a: [written, 1, null] }, env)).toEqual({ value: { a: [filled, 1, null] }, unset: [] });
  });

  it('that are not set are told, and stay as they are written', () => {
    expect(fillIn({ a: '${NONE} ${HOST}', b: '${EMPTY}' }, env)).toEqual({
      value: { a: '${NONE} desk.example', b: '${EMPTY}' },
      unset: ['NONE', 'EMPTY'],
    });
  });

  it('are not looked for in what they hold', () => {
    expect(fillIn('${A}', { A: '${KEY}', KEY: 'secret' }).value).toBe('${KEY}');
  });

  it('have to be written as variables', () => {
    expect(referenceIssues({ a: ['${A-B}', '${', '${A}', '$${}'] }, '/run')).toMatchObject([
      { pointer: '/run/a/0' },
      { pointer: '/run/a/1' },
    ]);
  });

  it('are not for tenants', () => {
    expect(tenantReferenceIssues({ headers: { a: 'Bearer ${KEY}', b: '$5 {x}' } })).toMatchObject([
      { pointer: '/headers/a' },
    ]);
  });

  it('are known with what they hold', () => {
    expect(variablesIn({ a: 'Bearer ${KEY} ${NONE:-x}', b: '$${HOST}' }, env)).toEqual([
      { id: 'KEY', value: 'k-123' },
    ]);
  });
});

it.each([
  ['the only one that headers name', { 'x-key': 'k ${KEY}', accept: '*/*' }, 'KEY'],
  [
    'that of authorization, whatever the others name',
    { 'x-team': '${TEAM}', Authorization: 'Bearer ${KEY}' },
    'KEY',
  ],
  ['none of several', { 'x-team': '${TEAM}', 'x-key': '${KEY}' }, undefined],
  ['none where none is named', { authorization: 'Bearer fixed' }, undefined],
])('the variable of a key is %s', (_, headers, name) => {
  expect(keyVariable(headers)).toBe(name);
});
