import { expect, it } from 'vitest';
import { postgresPassword, readPostgresAddress } from './postgres-address.js';

it('the schema is ours, the rest is the driver’s, and what is shown holds neither user nor password', () => {
  expect(
    readPostgresAddress('postgres://ann:s%2Fcret@db.example:5433/evals?sslmode=verify-full&schema=team_a'),
  ).toEqual({
    url: 'postgres://ann:s%2Fcret@db.example:5433/evals?sslmode=verify-full',
    schema: 'team_a',
    shown: 'postgres://db.example:5433/evals?schema=team_a',
    keepsSession: true,
  });
  expect(readPostgresAddress('postgresql://db.example/evals')).toMatchObject({
    schema: 'touchstone',
    shown: 'postgres://db.example/evals',
  });
});

it('behind a pooler sessions are not relied on, and the driver is not told', () => {
  expect(readPostgresAddress('postgres://ann@db.example/evals?prepare=false&sslmode=require')).toMatchObject({
    url: 'postgres://ann@db.example/evals?sslmode=require',
    keepsSession: false,
  });
});

it.each([
  ['postgres://ann:s%2Fcret@db/evals?prepare=cret'],
  ['postgres://ann:s/cret@db.example:x/evals'],
  ['postgres://ann:s/cret@db/evals?schema=a"; DROP SCHEMA b; --'],
])('an address that cannot be used is refused without being quoted: %s', (address) => {
  const refused = () => readPostgresAddress(address);
  expect(refused).toThrow('The address of the PostgreSQL store cannot be used: ');
  expect(refused).not.toThrow(/cret|DROP/);
});

it('the password is known, wherever in the address it stands', () => {
  expect(postgresPassword('postgres://ann:s%2Fcret@db/evals')).toBe('s/cret');
  expect(postgresPassword('postgres://db/evals?user=ann&password=s3cret')).toBe('s3cret');
  expect(postgresPassword('postgres://ann@db/evals')).toBeUndefined();
  expect(postgresPassword('sqlite:x.db')).toBeUndefined();
});
