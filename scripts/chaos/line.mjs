// The line between one process and the database: it can be cut, or hold back everything for a while.
import { connect, createServer } from 'node:net';

export async function openLine(targetPort) {
  const pairs = new Set();
  let state = 'up';
  const hold = ({ near, far }) => {
    near.pause();
    far.pause();
  };
  const server = createServer((near) => {
    if (state === 'cut') return near.destroy();
    const far = connect(targetPort, '127.0.0.1');
    const pair = { near, far };
    pairs.add(pair);
    join(near, far, () => pairs.delete(pair));
    if (state === 'held') hold(pair);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const drop = () => {
    for (const { near } of pairs) near.destroy();
  };
  return {
    port: server.address().port,
    /** Every connection ends, and no other is taken. */
    cut() {
      state = 'cut';
      drop();
    },
    /** Connections stay open, and nothing passes. */
    hold() {
      state = 'held';
      for (const pair of pairs) hold(pair);
    },
    mend() {
      state = 'up';
      for (const { near, far } of pairs) for (const socket of [near, far]) socket.resume();
    },
    async close() {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function join(near, far, onEnd) {
  for (const [one, other] of [
    [near, far],
    [far, near],
  ]) {
    one.on('data', (bytes) => other.write(bytes));
    one.on('error', () => undefined);
    one.on('close', () => {
      onEnd();
      other.destroy();
    });
  }
}
