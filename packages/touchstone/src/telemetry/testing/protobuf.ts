// Reads the messages of OTLP from protobuf into their JSON form: what a collector of somebody else does, in the small.

type Kind = 'text' | 'hex' | 'whole' | 'fixed' | 'flag' | 'double' | Message;
type Field = { readonly name: string; readonly kind: Kind; readonly many?: true };
type Message = { readonly [number: number]: Field };

const anyValue: { [number: number]: Field } = {
  1: { name: 'stringValue', kind: 'text' },
  2: { name: 'boolValue', kind: 'flag' },
  3: { name: 'intValue', kind: 'whole' },
  4: { name: 'doubleValue', kind: 'double' },
};
anyValue[5] = { name: 'arrayValue', kind: { 1: { name: 'values', kind: anyValue, many: true } } };
const attributes: Field = {
  name: 'attributes',
  kind: { 1: { name: 'key', kind: 'text' }, 2: { name: 'value', kind: anyValue } },
  many: true,
};
const resource: Field = { name: 'resource', kind: { 1: attributes } };
const scope: Field = {
  name: 'scope',
  kind: { 1: { name: 'name', kind: 'text' }, 2: { name: 'version', kind: 'text' } },
};
const span: Message = {
  1: { name: 'traceId', kind: 'hex' },
  2: { name: 'spanId', kind: 'hex' },
  4: { name: 'parentSpanId', kind: 'hex' },
  5: { name: 'name', kind: 'text' },
  6: { name: 'kind', kind: 'whole' },
  7: { name: 'startTimeUnixNano', kind: 'fixed' },
  8: { name: 'endTimeUnixNano', kind: 'fixed' },
  9: attributes,
  13: {
    name: 'links',
    kind: { 1: { name: 'traceId', kind: 'hex' }, 2: { name: 'spanId', kind: 'hex' } },
    many: true,
  },
  15: { name: 'status', kind: { 2: { name: 'message', kind: 'text' }, 3: { name: 'code', kind: 'whole' } } },
};
const logRecord: Message = {
  1: { name: 'timeUnixNano', kind: 'fixed' },
  5: { name: 'body', kind: anyValue },
  6: attributes,
  9: { name: 'traceId', kind: 'hex' },
  10: { name: 'spanId', kind: 'hex' },
  12: { name: 'eventName', kind: 'text' },
};
const exportOf = (of: string, inScope: string, item: string, message: Message): Message => ({
  1: {
    name: of,
    many: true,
    kind: {
      1: resource,
      2: { name: inScope, many: true, kind: { 1: scope, 2: { name: item, many: true, kind: message } } },
    },
  },
});

const TRACES = exportOf('resourceSpans', 'scopeSpans', 'spans', span);
const LOGS = exportOf('resourceLogs', 'scopeLogs', 'logRecords', logRecord);

export const decodeTraces = (bytes: Buffer): ProtoValue => decode(bytes, TRACES);
export const decodeLogs = (bytes: Buffer): ProtoValue => decode(bytes, LOGS);

// biome-ignore lint/suspicious/noExplicitAny: the tests look into what came.
export type ProtoValue = any;

function decode(bytes: Buffer, message: Message): ProtoValue {
  const value: { [name: string]: unknown } = {};
  for (let at = 0; at < bytes.length; ) {
    const tag = varint(bytes, at);
    const { raw, next } = readValue(bytes, tag.next, Number(tag.value & 7n));
    at = next;
    const field = message[Number(tag.value >> 3n)];
    if (!field) continue;
    const read = convert(raw, field.kind);
    const list = value[field.name] as unknown[] | undefined;
    if (!field.many) value[field.name] = read;
    else if (list) list.push(read);
    else value[field.name] = [read];
  }
  return value;
}

function varint(bytes: Buffer, from: number): { readonly value: bigint; readonly next: number } {
  let value = 0n;
  let at = from;
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes[at++] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value, next: at };
  }
}

function readValue(bytes: Buffer, at: number, wire: number): { raw: Buffer | bigint; next: number } {
  if (wire === 0) {
    const { value, next } = varint(bytes, at);
    return { raw: value, next };
  }
  const size = wire === 1 ? 8 : wire === 5 ? 4 : undefined;
  if (size !== undefined) return { raw: bytes.subarray(at, at + size), next: at + size };
  const { value, next } = varint(bytes, at);
  return { raw: bytes.subarray(next, next + Number(value)), next: next + Number(value) };
}

function convert(raw: Buffer | bigint, kind: Kind): unknown {
  if (kind === 'whole') return Number(raw);
  if (kind === 'flag') return raw === 1n;
  const bytes = raw as Buffer;
  if (kind === 'text') return bytes.toString('utf8');
  if (kind === 'hex') return bytes.toString('hex');
  if (kind === 'fixed') return String(bytes.readBigUInt64LE());
  return kind === 'double' ? bytes.readDoubleLE() : decode(bytes, kind);
}
