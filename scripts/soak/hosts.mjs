// Processes on one store, each of which may be killed and started at any moment.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const SAMPLE_MS = 500;
/** How long after trouble with the store its effects are still seen. */
const START_MS = 5_000;
/** A host that does not start for so long will not start at all. */
const GIVE_UP_MS = 60_000;

/** `starters` start one process each, of their slot; `endMs` is how long one may take to end when it is asked to. */
export function createHosts({ starters, findings, troubles, endMs = 30_000 }) {
  const slots = starters.map(() => undefined);
  const all = [];
  const log = [];

  /** Starts the host of a slot. While the store cannot be used it may refuse to start; it is then tried again. */
  const start = async (slot) => {
    for (const begun = Date.now(); ; ) {
      try {
        slots[slot] = await startOne(starters[slot]);
        return;
      } catch (error) {
        if (!troubles.were(START_MS)) findings.add('a host did not start', `${error.message} ${log.at(-1)}`);
        if (Date.now() - begun > GIVE_UP_MS) throw new Error(`A host does not start: ${log.at(-1)}`);
        await pause(500);
      }
    }
  };

  const startOne = async (starter) => {
    const started = await starter((line) => log.push(line));
    const host = { ...started, ending: false, firstMb: 0, peakMb: 0, lastMb: 0, fds: 0 };
    all.push(host);
    void watchEnd(host);
    return host;
  };

  const watchEnd = async (host) => {
    const { code, signal } = await host.ended;
    if (!host.ending) findings.add('a host ended by itself', `code ${code}, signal ${signal}: ${log.at(-1)}`);
  };

  /** Ends the host of a slot by a signal; after SIGTERM it has to exit with 0. */
  const end = async (slot, signal) => {
    const host = slots[slot];
    if (!host) return;
    slots[slot] = undefined;
    host.ending = true;
    host.child.kill(signal);
    const late = setTimeout(() => {
      findings.add(`a host did not end within ${endMs / 1_000} s of ${signal}`, log.at(-1));
      host.child.kill('SIGKILL');
    }, endMs);
    const { code } = await host.ended;
    clearTimeout(late);
    if (signal === 'SIGTERM' && code !== 0 && !troubles.were(START_MS))
      findings.add('SIGTERM did not end with 0', `code ${code}: ${log.at(-1)}`);
  };

  const sampling = setInterval(() => {
    for (const host of slots) if (host) sample(host);
  }, SAMPLE_MS);

  return {
    log,
    all,
    start,
    end,
    slotOf: (host) => (slots.includes(host) ? slots.indexOf(host) : undefined),
    running: () => slots.filter((host) => host !== undefined),
    slots: () => slots.map((_, slot) => slot),
    isUp: (slot) => slots[slot] !== undefined,
    sample,
    async close() {
      clearInterval(sampling);
      await Promise.all(slots.map((_, slot) => end(slot, 'SIGKILL')));
    },
  };
}

/** Memory and file descriptors, where the system tells. */
function sample(host) {
  try {
    const status = readFileSync(`/proc/${host.child.pid}/status`, 'utf8');
    host.lastMb = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    host.firstMb ||= host.lastMb;
    host.peakMb = Math.max(host.peakMb, host.lastMb);
    host.fds = readdirSync(`/proc/${host.child.pid}/fd`).length;
  } catch {
    // It has just ended, or this is not Linux.
  }
}
