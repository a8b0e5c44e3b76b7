import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createManualClock } from '../../../app/testing/manual-clock.js';
import { readRows } from '../read-rows.js';
import { parseDatasetUri } from '../uri.js';
import { signGet } from './s3.js';
import { createFetching, refusalOf } from './testing/fetching.js';
import { ACCESS_KEY, type S3Service, SECRET_KEY, startS3 } from './testing/s3-service.js';

const ENV = { KEY: ACCESS_KEY, SECRET: SECRET_KEY };
const ROWS = 'id,prompt,expected_text\n1,"Hi, you",Hello\n';
const AWKWARD = "folder one/a+b & c=(d)!*'~#1?x=%20é.csv";

describe('objects of an S3 service', () => {
  let service: S3Service;
  beforeAll(async () => {
    service = await startS3(['hr-evals']);
    await service.put('hr-evals', 'leave-v2.csv', ROWS);
    await service.put('hr-evals', AWKWARD, 'input\nfound\n');
  });
  afterAll(() => service.close());

  const fetching = (env: { [name: string]: string } = ENV, more: object = {}) =>
    createFetching({
      env,
      config: {
        s3: { endpoint: service.endpoint, region: 'eu-test-1', accessKeyEnv: 'KEY', secretKeyEnv: 'SECRET' },
        ...more,
      },
    });

  it('are read with a signature that the service accepts, and end as rows', async () => {
    const sha256 = createHash('sha256').update(ROWS).digest('hex');
    const uri = `s3://hr-evals/leave-v2.csv#sha256=${sha256}`;
    const { bytes, name } = await fetching().open(uri);
    const { pin } = parseDatasetUri(uri);
    const rows = readRows(bytes, { name, ...(pin && { pin }) });
    const all = [];
    for await (const row of rows) all.push(row);
    expect(all).toEqual([{ id: '1', input: 'Hi, you', reference: 'Hello', at: 2 }]);
    expect(rows.facts()).toMatchObject({ sha256, rows: 1 });
    // The signature travels in the headers: a URL that is a key to the object could end in a log.
    expect(service.requests.at(-1)).toBe('/hr-evals/leave-v2.csv');
  });

  it('names with every awkward character are found', async () => {
    expect(await fetching().read(`s3://hr-evals/${AWKWARD}`)).toBe('input\nfound\n');
  });

  it('a wrong secret is denied, and never told', async () => {
    const refusal = await refusalOf(
      fetching({ KEY: ACCESS_KEY, SECRET: 'hunter2' }).open('s3://hr-evals/leave-v2.csv'),
    );
    expect(refusal).toMatchObject({ kind: 'validation_error', code: 'dataset_denied' });
    expect(refusal.message).not.toMatch(/hunter2|S3RVER|hr-evals|127\.0\.0\.1|Signature/);
  });

  it('a missing secret is named by its variable, and nothing is sent', async () => {
    const before = service.requests.length;
    const refusal = await refusalOf(fetching({ KEY: ACCESS_KEY }).open('s3://hr-evals/leave-v2.csv'));
    expect(refusal).toMatchObject({ code: 'dataset_denied', message: expect.stringContaining('SECRET') });
    expect(service.requests).toHaveLength(before);
  });

  it.each(['s3://hr-evals/none.csv', 's3://no-such-bucket/rows.csv'])('%s is not found', async (uri) => {
    expect(await refusalOf(fetching().open(uri))).toMatchObject({ code: 'dataset_not_found' });
  });

  it('a tenant reads with the credentials of the operator only when named', async () => {
    const tenant = { trust: 'tenant', tenant: 'acme' } as const;
    expect(await refusalOf(fetching().open('s3://hr-evals/leave-v2.csv', tenant))).toMatchObject({
      code: 'scheme_unsupported',
    });
    expect(await fetching(ENV, { tenants: ['acme'] }).read('s3://hr-evals/leave-v2.csv', tenant)).toBe(ROWS);
  });

  it('a signature goes to the service and nowhere else', async () => {
    const seen: string[] = [];
    const elsewhere = createServer((request, response) => {
      seen.push(request.url ?? '');
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const s3 = { endpoint: `http://127.0.0.1:${port}`, accessKeyEnv: 'KEY', secretKeyEnv: 'SECRET' };
    const refusal = await refusalOf(fetching(ENV, { s3 }).open('s3://hr-evals/leave-v2.csv'));
    await new Promise((resolve) => elsewhere.close(resolve));
    expect(refusal).toMatchObject({ code: 'dataset_refused' });
    expect(seen).toEqual(['/hr-evals/leave-v2.csv']);
  });

  it('a size is a limit here too', async () => {
    expect(await refusalOf(fetching(ENV, { maxBytes: 10 }).open('s3://hr-evals/leave-v2.csv'))).toMatchObject(
      {
        code: 'dataset_too_large',
      },
    );
  });
});

describe('the address of an object', () => {
  const keys = { accessKeyEnv: 'KEY', secretKeyEnv: 'SECRET' };
  it.each([
    [{ region: 'eu-west-1' }, 'data', 'https://data.s3.eu-west-1.amazonaws.com/a/b.csv'],
    [{}, 'dotted.name', 'https://s3.us-east-1.amazonaws.com/dotted.name/a/b.csv'],
    [{ forcePathStyle: true }, 'data', 'https://s3.us-east-1.amazonaws.com/data/a/b.csv'],
    [{ endpoint: 'http://minio:9000/s3/' }, 'data', 'http://minio:9000/s3/data/a/b.csv'],
    [{ endpoint: 'https://r2.example', forcePathStyle: false }, 'data', 'https://data.r2.example/a/b.csv'],
  ])('%j %s', async (config, bucket, href) => {
    const object = { bucket, key: 'a/b.csv' };
    const { url } = await signGet(object, { ...keys, ...config }, ENV, createManualClock());
    expect(url.href).toBe(href);
  });

  it('is signed at the time that the clock says, with the token of a session when there is one', async () => {
    const config = { ...keys, sessionTokenEnv: 'TOKEN' };
    const clock = createManualClock(Date.parse('2026-03-04T05:06:07.890Z'));
    const object = { bucket: 'data', key: 'b.csv' };
    const { headers } = await signGet(object, config, { ...ENV, TOKEN: 'session' }, clock);
    expect(headers).toMatchObject({ 'x-amz-date': '20260304T050607Z', 'x-amz-security-token': 'session' });
    expect(headers.authorization).toContain('x-amz-security-token');
  });
});

it('without a service and without a prefix, the scheme is not supported', async () => {
  for (const uri of ['s3://data/rows.csv', 'gs://data/rows.csv']) {
    expect(await refusalOf(createFetching().open(uri))).toMatchObject({ code: 'scheme_unsupported' });
  }
});
