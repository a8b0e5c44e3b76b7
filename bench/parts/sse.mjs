// Many people watch one run. Everyone gets every event once and in order, and the run hardly notices.
import { performance } from 'node:perf_hooks';
import { median, withFolder } from '../lib/process.mjs';
import { times } from '../lib/report.mjs';
import { withServer } from '../lib/server.mjs';
import { readStream } from '../lib/sse-reader.mjs';
import { checkPasses } from '../lib/touchstone.mjs';
import { makeSuite } from '../workload.mjs';

const TASKS = 500;
const READERS = 200;
const WIDTH = 8;
const DELAY_MS = 10;

export async function sse({ report, reps }) {
  await withFolder((folder) =>
    withServer(folder, { BENCH_DELAY_MS: String(DELAY_MS) }, async (client) => {
      const { suiteRef } = await client.installSuite(makeSuite(TASKS));
      await watchedRun(client, suiteRef, 0);
      const alone = [];
      const watched = [];
      for (let rep = 0; rep < reps; rep += 1) {
        alone.push(await watchedRun(client, suiteRef, 0));
        watched.push(await watchedRun(client, suiteRef, READERS));
      }
      const replay = await readAll(client, watched.at(-1).runId, READERS);
      tell(report, alone, watched, replay);
    }),
  );
}

/** A run with so many readers, from the first event to the last. */
async function watchedRun(client, suiteRef, readers) {
  const { runId } = await client.startRun(suiteRef, WIDTH);
  const reading = readAll(client, runId, readers);
  const run = await client.waitForEnd(runId);
  const summary = await client.readSummary(runId);
  checkPasses('the served run', summary.passedCount, TASKS);
  const runMs = Date.parse(run.completedAt) - Date.parse(run.startedAt);
  const read = await reading;
  for (const one of read.streams) checkStream(one, run.touchstone.eventCount);
  return { runId, runMs, ...read };
}

async function readAll(client, runId, readers) {
  const startedAt = performance.now();
  const streams = await Promise.all(Array.from({ length: readers }, () => readStream(client, runId)));
  const readMs = performance.now() - startedAt;
  return { readMs, streams, events: streams.reduce((sum, { events }) => sum + events, 0) };
}

function checkStream({ events, inOrder }, expected) {
  if (events !== expected || !inOrder) {
    throw new Error(`A reader got ${events} of ${expected} events${inOrder ? '' : ', not in order'}.`);
  }
}

function tell(report, alone, watched, replay) {
  const aloneMs = median(alone.map(({ runMs }) => runMs));
  const watchedMs = median(watched.map(({ runMs }) => runMs));
  const live = watched.at(-1);
  const rate = ({ events, readMs }) => Math.round((events / readMs) * 1000);
  const idealMs = Math.ceil(TASKS / WIDTH) * DELAY_MS;
  report.note('sse', {
    tasks: TASKS,
    idealMs,
    'run alone, ms': aloneMs,
    'run with 200 readers, ms': watchedMs,
  });
  report.note('sse', {
    live: live.events,
    'live/s': rate(live),
    replayed: replay.events,
    'replayed/s': rate(replay),
  });
  report.row({
    what: `${READERS} readers, ${live.events.toLocaleString('en')} live events, each once and in order`,
    ours: `${rate(live).toLocaleString('en')}/s`,
    target: 'none lost',
    ok: true,
  });
  report.row({
    what: `${READERS} readers of the finished run`,
    ours: `${rate(replay).toLocaleString('en')}/s`,
  });
  report.row({
    what: `a run of ${TASKS} tasks, watched by ${READERS}`,
    ours: `${watchedMs} ms`,
    floor: `unwatched ${aloneMs} ms`,
    ratio: times(watchedMs / aloneMs),
  });
}
