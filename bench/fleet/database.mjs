// The PostgreSQL server of the bench: a schema for each measurement, what the server costs, and a way to be without it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';

/** An optional package: the other parts of the bench do without it. */
const loadPg = () => createRequire(new URL('../../packages/touchstone/package.json', import.meta.url))('pg');

export async function ask(server, sql) {
  const client = new (loadPg().Client)({ connectionString: server });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A schema of its own, which is gone afterwards. */
export async function withSchema(server, use) {
  const url = new URL(server);
  const schema = `bench_${process.pid}_${Date.now().toString(36)}`;
  url.searchParams.set('schema', schema);
  try {
    return await use(url.href, schema);
  } finally {
    await ask(server, `DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  }
}

const TICK_MS = 10;
const POSTMASTER = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid";

/** Processor time of the server until now, those of its processes that have ended included; it has to run on this machine. */
export async function serverCpuMs(server) {
  const [{ pid }] = await ask(server, POSTMASTER);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').map(Number);
  const ended = (fields[13] + fields[14]) * TICK_MS;
  return [pid, ...children].reduce((sum, one) => sum + ownMs(one), ended);
}

/** In nanoseconds by the scheduler: what an idle connection costs is far below a tick. */
function ownMs(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    // It ended meanwhile; its parent has its time.
    return 0;
  }
}

/** The server behind a door that can be shut: connections through it are lost, and new ones refused. */
export async function openGate(address) {
  const url = new URL(address);
  const target = { host: url.hostname, port: Number(url.port || 5432) };
  const sockets = new Set();
  const gate = createServer((socket) => {
    const behind = connect(target);
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ]) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const { port } = gate.address();
  const shut = () => {
    gate.close();
    for (const socket of sockets) socket.destroy();
  };
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    shut,
    async open() {
      gate.listen(port, '127.0.0.1');
      await once(gate, 'listening');
    },
  };
}
