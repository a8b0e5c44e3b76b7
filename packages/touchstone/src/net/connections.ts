import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { shareOpenFiles } from './open-files.js';

/** Connections of a client, kept open between its requests. */
export type Connections = { to(url: URL): http.Agent; close(): void };

export function createConnections(idle: IdleConnections = ofProcess()): Connections {
  const plain = bounded(new http.Agent({ keepAlive: true }), idle);
  const secure = bounded(new https.Agent({ keepAlive: true }), idle);
  return {
    to: (url) => (url.protocol === 'https:' ? secure : plain),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

/** Open connections without a request, of all clients together: they are open files of one process. */
export type IdleConnections = { add(socket: Duplex): void; remove(socket: Duplex): void };

/** Beyond `limit`, the connection that has waited longest for a request is closed. */
export function createIdleConnections(limit: number): IdleConnections {
  const sockets = new Set<Duplex>();
  return {
    add(socket) {
      sockets.add(socket);
      const [oldest] = sockets;
      if (sockets.size <= limit || !oldest) return;
      sockets.delete(oldest);
      oldest.destroy();
    },
    remove: (socket) => void sockets.delete(socket),
  };
}

let idleOfProcess: IdleConnections | undefined;

const ofProcess = (): IdleConnections => {
  idleOfProcess ??= createIdleConnections(shareOpenFiles().idleConnections);
  return idleOfProcess;
};

/** Node calls these two methods when a connection becomes idle, and when it is used again. */
function bounded<A extends http.Agent>(agent: A, idle: IdleConnections): A {
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  const watched = new WeakSet<Duplex>();
  agent.keepSocketAlive = (socket) => {
    if (!keep(socket)) return false;
    if (!watched.has(socket)) socket.once('close', () => idle.remove(socket));
    watched.add(socket);
    idle.add(socket);
    return true;
  };
  agent.reuseSocket = (socket, request) => {
    idle.remove(socket);
    reuse(socket, request);
  };
  return agent;
}
