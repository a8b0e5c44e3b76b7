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

it.each([['schemas=x'], ['sslmode=require&Prepare=false'], ['pool_timeout=5'], ['prepared=false']])(
  'a parameter that nobody knows is refused by its name: ?%s',
  (query) => {
    const name = /(\w+)=\w+$/.exec(query)?.[1];
    expect(() => readPostgresAddress(`postgres://ann@db/evals?${query}`)).toThrow(
      `The address of the PostgreSQL store cannot be used: "${name}" is not known. The parameters of Touchstone are schema and prepare; passed on to the driver are application_name, `,
    );
  },
);

it.each([
  ['postgres://ann:12?cret@db/evals'],
  ['postgres://ann:12?cret=x@db/evals'],
  ['postgres://db/evals?user=ann&password=se&cret=x'],
  ['postgres://db/evals?a%22b;cret=x'],
])('an unknown parameter that may be part of a password is not quoted: %s', (address) => {
  const refused = () => readPostgresAddress(address);
  expect(refused).toThrow('cannot be used: one of its parameters is not known.');
  expect(refused).not.toThrow(/cret/);
});

it.each([
  ['host=/var/run/postgresql&port=5433&user=ann&password=x&options=-c%20work_mem%3D8MB'],
  ['sslmode=verify-ca&sslrootcert=/ca.pem&sslcert=/c.pem&sslkey=/k.pem&uselibpqcompat=true'],
  ['ssl=true&sslnegotiation=direct&application_name=evals&statement_timeout=1000'],
  ['dbname=evals&target_session_attrs=read-write&channel_binding=require&connect_timeout=5'],
  ['keepalives=1&keepalives_idle=30&keepalives_interval=10&keepalives_count=3&tcp_user_timeout=9'],
])('parameters of the driver and of libpq are passed on: ?%s', (query) => {
  const { url } = readPostgresAddress(`postgres://ann@db/evals?schema=team_a&${query}`);
  expect([...new URL(url).searchParams]).toEqual([...new URLSearchParams(query)]);
});

it('the password is known, wherever in the address it stands', () => {
  expect(postgresPassword('postgres://ann:s%2Fcret@db/evals')).toBe('s/cret');
  expect(postgresPassword('postgres://db/evals?user=ann&password=s3cret')).toBe('s3cret');
  expect(postgresPassword('postgres://ann@db/evals')).toBeUndefined();
  expect(postgresPassword('sqlite:x.db')).toBeUndefined();
});
