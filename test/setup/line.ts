import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

type Pair = { readonly near: Socket; readonly far: Socket; listens: boolean };

/** The line between one process and the database, which can be disturbed until it is mended. */
export type Line = {
  readonly port: number;
  /** Every connection ends, and no other is taken. */
  cut(): void;
  /** Connections stay open, and nothing passes. */
  hold(): void;
  /** Connections on which notifications are heard end, and no other one lasts. All others go on. */
  deafen(): void;
  mend(): void;
  close(): Promise<void>;
};

const LISTEN = Buffer.from('LISTEN "');

export async function openLine(targetPort: number): Promise<Line> {
  const pairs = new Set<Pair>();
  let state: 'up' | 'cut' | 'held' | 'deaf' = 'up';
  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy();
    const pair: Pair = { near, far: connect(targetPort, '127.0.0.1'), listens: false };
    pairs.add(pair);
    join(pair, () => pairs.delete(pair));
    near.on('data', (bytes) => {
      pair.listens ||= bytes.includes(LISTEN);
      if (pair.listens && state === 'deaf') near.destroy();
    });
    if (state === 'held') pauseBoth(pair);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = (isMeant: (pair: Pair) => boolean): void => {
    for (const pair of pairs) if (isMeant(pair)) pair.near.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      drop(() => true);
    },
    hold() {
      state = 'held';
      for (const pair of pairs) pauseBoth(pair);
    },
    deafen() {
      state = 'deaf';
      drop(({ listens }) => listens);
    },
    mend() {
      state = 'up';
      for (const { near, far } of pairs) for (const socket of [near, far]) socket.resume();
    },
    async close() {
      drop(() => true);
      server.close();
      await once(server, 'close');
    },
  };
}

function pauseBoth({ near, far }: Pair): void {
  near.pause();
  far.pause();
}

function join({ near, far }: Pair, onEnd: () => void): void {
  for (const [one, other] of [[near, far] as const, [far, near] as const]) {
    one.on('data', (bytes) => other.write(bytes));
    one.on('error', () => undefined);
    one.on('close', () => {
      onEnd();
      other.destroy();
    });
  }
}
