import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';

/** What a name leads to: addresses, `absent` for a name that does not exist, `silent` for no answer at all. */
export type DnsAnswer = readonly string[] | 'absent' | 'silent';
export type DnsServer = {
  /** As `egress.dnsServers` has it. */
  readonly address: string;
  /** The names that were asked for their IPv4 addresses, in order. */
  readonly asked: string[];
  close(): Promise<void>;
};

const TYPE_A = 1;
const TYPE_AAAA = 28;

/** A DNS server on loopback. */
export async function startDnsServer(answer: (name: string) => DnsAnswer, ttl = 60): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (message, from) => {
    const { name, type, end } = readQuestion(message);
    if (type === TYPE_A) asked.push(name);
    const found = answer(name);
    if (found === 'silent') return;
    const records = found === 'absent' ? [] : found.filter((one) => isIPv4(one) === (type === TYPE_A));
    const reply = writeReply(message.subarray(0, end), found === 'absent', records, ttl);
    socket.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

const HEADER_BYTES = 12;

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** The question with the head of an answer, and its records behind it. */
function writeReply(question: Buffer, isAbsent: boolean, records: readonly string[], ttl: number): Buffer {
  const reply = Buffer.from(question);
  reply.writeUInt16BE(isAbsent ? 0x8183 : 0x8180, 2);
  reply.writeUInt16BE(records.length, 6);
  reply.writeUInt32BE(0, 8);
  return Buffer.concat([reply, ...records.map((address) => writeRecord(address, ttl))]);
}

function writeRecord(address: string, ttl: number): Buffer {
  const bytes = isIPv4(address) ? address.split('.').map(Number) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(isIPv4(address) ? TYPE_A : TYPE_AAAA, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, Buffer.from(bytes)]);
}

/** Of an address without `::`. */
const ipv6Bytes = (address: string): number[] =>
  address.split(':').flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
