// What a `module` agent's own process does besides running the agent: it ends in time. Plain JavaScript, like the worker.
import { Worker } from 'node:worker_threads';

const WATCH_MS = 100;

/** `describe` makes a sentence of an error that nothing has caught. */
export function liveAsProcess(memoryMb, describe) {
  watch(memoryMb);
  process.on('disconnect', () => process.exit());
  // The host decides when its agents end: a task must not fail because everything here is being stopped.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  process.on('uncaughtException', (error) => {
    process.send({ crashed: describe(error) }, () => process.exit(1));
  });
}

/**
 * Ends this process when it uses too much memory, or when its host is gone: in a thread, because the agent's code may never
 * pause. Memory outside of V8's heap counts too, which no option of Node limits.
 */
function watch(memoryMb) {
  const code = `setInterval(() => {
    const isOrphan = process.ppid !== ${process.ppid};
    if (isOrphan || process.memoryUsage.rss() > ${memoryMb * 2 ** 20}) process.kill(${groupOrSelf()}, 'SIGKILL');
  }, ${WATCH_MS})`;
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 };
  new Worker(code, { eval: true, resourceLimits }).unref();
}

/** This process leads its group, so what the agent has started ends with it. */
const groupOrSelf = () => (process.platform === 'win32' ? process.pid : -process.pid);
