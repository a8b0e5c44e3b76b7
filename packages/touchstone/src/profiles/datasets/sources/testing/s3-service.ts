import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type S3rver = { run(): Promise<AddressInfo>; close(): Promise<void> };
type S3rverClass = new (options: object) => S3rver;

export type S3Service = {
  readonly endpoint: string;
  readonly requests: readonly string[];
  put(bucket: string, key: string, content: string): Promise<void>;
  close(): Promise<void>;
};

// It has no types, and is no module.
const require = createRequire(import.meta.url);

/** The one account that the server knows. The secret is the gate's. */
export const ACCESS_KEY = 'S3RVER';
export const SECRET_KEY = 'correct horse/battery+staple';
const REGION = 'eu-test-1';

/**
 * An S3 server on loopback, behind a gate that checks signatures: the server takes any, so a wrong secret would go
 * unnoticed. The check is written from the published steps, apart from the library that signs.
 */
export async function startS3(buckets: readonly string[]): Promise<S3Service> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-s3-'));
  const S3rverServer = require('s3rver') as S3rverClass;
  const server = new S3rverServer({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: buckets.map((name) => ({ name })),
  });
  const { port } = await server.run();
  const requests: string[] = [];
  const gate = http.createServer((request, response) => {
    requests.push(request.url ?? '');
    if (isSigned(request)) forward(request, response, port);
    else response.writeHead(403).end();
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    requests,
    async put(bucket, key, content) {
      const path = key.split('/').map(encodeURIComponent).join('/');
      const put = await fetch(`http://127.0.0.1:${port}/${bucket}/${path}`, { method: 'PUT', body: content });
      if (!put.ok) throw new Error(`The object could not be stored (${put.status}).`);
    },
    async close() {
      await closeServer(gate);
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

function forward({ method, url, headers }: IncomingMessage, response: ServerResponse, port: number): void {
  const onward = http.request(
    { host: '127.0.0.1', port, method, path: url, headers, agent: false },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  onward.end();
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

function isSigned({ method = '', url = '', headers }: IncomingMessage): boolean {
  const [, credential = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const [account, date = '', region = '', service = ''] = credential.split('/');
  if (account !== ACCESS_KEY || region !== REGION || service !== 's3') return false;
  const [path = '', query = ''] = url.split('?');
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const body = String(headers['x-amz-content-sha256']);
  const canonical = [method, path, query, lines.join(''), names, body].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${SECRET_KEY}`);
  return hmac(key, text).toString('hex') === signature;
}
