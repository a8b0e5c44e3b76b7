import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { decodeLogs, decodeTraces, type ProtoValue } from './protobuf.js';

/** One request as it came, with its message in the JSON form of OTLP. */
export type CollectorRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly message: ProtoValue;
};

type Plain = { readonly [name: string]: string | number | boolean };
type PlainSpan = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly ms: number;
  readonly from: number;
  readonly attributes: Plain;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: number;
};
type PlainResult = {
  readonly eventName: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Plain;
};

const plain = (attributes: ProtoValue): Plain =>
  Object.fromEntries((attributes ?? []).map(({ key, value }: ProtoValue) => [key, Object.values(value)[0]]));

/** A collector on loopback. By default it takes everything; `answer` may do anything else. */
export async function startCollector(
  answer: (response: ServerResponse) => void = (response) => response.end(),
) {
  const received: CollectorRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const body = Buffer.concat(chunks);
      const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      const message = path.endsWith('/v1/logs') ? decodeLogs(bytes) : decodeTraces(bytes);
      received.push({ path, headers, bytes, message });
      answer(response);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const within = (group: string, scope: string, item: string): readonly ProtoValue[] =>
    received.flatMap(({ message }) =>
      (message[group] ?? []).flatMap((one: ProtoValue) =>
        (one[scope] ?? []).flatMap((inner: ProtoValue) => inner[item] ?? []),
      ),
    );
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    get connections() {
      return connections;
    },
    spans: (): readonly PlainSpan[] => within('resourceSpans', 'scopeSpans', 'spans').map(toPlainSpan),
    results: (): readonly PlainResult[] =>
      within('resourceLogs', 'scopeLogs', 'logRecords').map((record: ProtoValue) => ({
        ...record,
        attributes: plain(record.attributes),
      })),
    resource: (): Plain => plain(received[0]?.message.resourceSpans?.[0]?.resource.attributes),
    /** The traces as the lines of a file, as the file exporter of a collector writes them. */
    lines: (): string =>
      received
        .filter(({ message }) => message.resourceSpans)
        .map(({ message }) => `${JSON.stringify(message)}\n`)
        .join(''),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const toPlainSpan = (span: ProtoValue): PlainSpan => ({
  ...span,
  attributes: plain(span.attributes),
  links: span.links ?? [],
  status: span.status?.code ?? 0,
  from: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
  ms: Number((BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1_000n) / 1_000,
});
