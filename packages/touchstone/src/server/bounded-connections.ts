import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { remoteParty } from './admission.js';

/** The connections from one address, each with how many requests are under way on it; the longest quiet first. */
type Caller = Map<Socket, number>;

/**
 * Keeps the connections of callers from using up the files of this process: a task or the store would get none, and nobody else
 * could connect. Beyond `most`, one on which no request is under way is closed: the one that has been quiet for longest, of the
 * address that has most connections. Where requests are under way on all of them, the newest one is closed.
 */
export function boundConnections(server: Server, most: number, onClosed: () => void): void {
  const callers = new Map<string, Caller>();
  let open = 0;

  const leave = (address: string, socket: Socket): void => {
    open -= 1;
    const caller = callers.get(address);
    caller?.delete(socket);
    if (caller?.size === 0) callers.delete(address);
  };

  server.on('connection', (socket) => {
    const address = remoteParty(socket.remoteAddress ?? '');
    const caller: Caller = callers.get(address) ?? new Map();
    callers.set(address, caller.set(socket, 0));
    open += 1;
    socket.once('close', () => leave(address, socket));
    if (open <= most) return;
    onClosed();
    (longestQuiet(callers) ?? socket).destroy();
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const caller = callers.get(remoteParty(socket.remoteAddress ?? ''));
    const count = (more: number): void => {
      const underWay = caller?.get(socket);
      if (underWay === undefined) return;
      // To the end: it has been quiet for the shortest time.
      caller?.delete(socket);
      caller?.set(socket, underWay + more);
    };
    count(1);
    response.once('close', () => count(-1));
  });
}

function longestQuiet(callers: ReadonlyMap<string, Caller>): Socket | undefined {
  const byCount = [...callers.values()].sort((a, b) => b.size - a.size);
  for (const caller of byCount) for (const [socket, underWay] of caller) if (underWay === 0) return socket;
  return undefined;
}
