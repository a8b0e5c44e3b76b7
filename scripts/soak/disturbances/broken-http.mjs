import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const HEADS = [
  'GET / HTTP/9.9\r\n\r\n',
  'POST /v1/runs HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{',
  'POST /v1/runs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  `GET /v1/agents HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`,
  'GET /v1/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n',
  '\u0000\u0001\u0002',
];

/** Bytes that are no request, or only half of one, on connections that are reset, closed, or left open for a while. */
export async function brokenHttp({ hosts, random }) {
  const host = random.pick(hosts.running());
  if (!host) return;
  const { hostname, port } = new URL(host.url);
  const sockets = Array.from({ length: 30 }, () => {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(random.pick(HEADS));
    if (random.chance(0.4))
      socket.once('connect', () => setTimeout(() => socket.resetAndDestroy(), random.below(20)));
    return socket.resume();
  });
  await pause(random.between(100, 2_000));
  for (const socket of sockets) socket.destroy();
}
