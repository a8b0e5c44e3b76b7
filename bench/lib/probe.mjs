// Another user of the host: asks at fixed moments over connections of its own, in a thread of its own, whether or not the last
// answer has come. What else the bench sends does not stand in its way.
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Asks every `everyMs` until it is stopped; the answer is how many milliseconds each request took. */
export async function startProbe({ url, key, everyMs }) {
  const thread = new Worker(new URL(import.meta.url), { workerData: { url, key, everyMs } });
  const answers = new Promise((resolve, reject) => {
    thread.on('message', (message) => message !== 'ready' && resolve(message));
    thread.on('error', reject);
  });
  await new Promise((resolve) => thread.once('message', resolve));
  return {
    async stop() {
      thread.postMessage('stop');
      const { tookMs, failed } = await answers;
      await thread.terminate();
      if (failed.length > 0) throw new Error(`${failed.length} requests failed; the first one: ${failed[0]}`);
      return tookMs;
    },
  };
}

if (!isMainThread) {
  const { url, key, everyMs } = workerData;
  const sockets = new Agent({ keepAlive: true });
  const asked = [];
  const failed = [];
  const timer = setInterval(
    () => asked.push(timed().catch((error) => void failed.push(String(error)))),
    everyMs,
  );
  parentPort.postMessage('ready');
  parentPort.once('message', async () => {
    clearInterval(timer);
    const tookMs = await Promise.all(asked);
    parentPort.postMessage({ tookMs: tookMs.filter((ms) => ms !== undefined), failed });
    sockets.destroy();
  });

  function timed() {
    const askedAt = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request(
        url,
        { headers: { authorization: `Bearer ${key}` }, agent: sockets },
        (response) => {
          response.resume().on('error', reject);
          response.on('end', () =>
            response.statusCode === 200 ? resolve(performance.now() - askedAt) : reject(response.statusCode),
          );
        },
      );
      sent.on('error', reject).end();
    });
  }
}
