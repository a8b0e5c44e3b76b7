import { isTerminal, plannedSteps } from '@touchstone/protocol';
import {
  type Engine,
  type FinishedTask,
  finishedTask,
  type Progress,
  type Run,
  type Store,
} from '../../ports/index.js';
import type { EventPages } from './event-pages.js';
import type { SseConnection } from './sse.js';
import { listening, type Wakeup, type Wakeups } from './wakeups.js';

type Parts = {
  readonly store: Pick<Store, 'log' | 'runs'>;
  readonly engine: Pick<Engine, 'watch' | 'drives'>;
  readonly wakeups: Wakeups;
  readonly pages: Pick<EventPages, 'head'>;
};

/** A reader that lags behind this far is told how many lines it missed instead of being waited for. */
const MAX_LINES = 5_000;
const PAGE_RESULTS = 1_000;

const message = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * The live picture of a run: where it stands when the reader arrives, then every change, and a line per finished task.
 * Nothing of it is stored and nothing is numbered; who needs the facts reads the events. Of a run that another process
 * drives, the log tells: without what is being executed, and when a step is in the log.
 */
export async function streamProgress(parts: Parts, connection: SseConnection, run: Run): Promise<void> {
  const news = createNews();
  const unwatch = parts.engine.watch(run.runId, news.add);
  try {
    await connection.writeNext(async () => {
      const progress = await standing(parts.store, run);
      news.begin(progress);
      return message('progress', progress);
    });
    await listening(parts.wakeups, run.runId, connection.signal, (wakeup) =>
      tellNews(parts, connection, run, news, wakeup),
    );
  } finally {
    unwatch();
  }
}

async function tellNews(
  parts: Parts,
  connection: SseConnection,
  run: Run,
  news: News,
  wakeup: Wakeup,
): Promise<void> {
  let ended = isTerminal(run.status);
  while (!ended && !connection.signal.aborted) {
    await wakeup.next();
    // Asked before the news is taken: what the run's last step reported is then in it.
    const head = await parts.pages.head(run.owner, run.runId);
    ended = !head || isTerminal(head.status);
    if (!ended && !parts.engine.drives(run.runId)) await readNews(parts.store, run, news);
    await connection.writeNext(async () => news.take());
    if (ended) await connection.writeNext(() => lastWord(parts.store, run));
    await connection.keepAlive();
  }
}

/** Steps that have come into the log since the last look. */
async function readNews({ log }: Parts['store'], { owner, runId }: Run, news: News): Promise<void> {
  const { last } = news;
  const results = last ? await log.results(owner, runId, last.done, PAGE_RESULTS) : [];
  if (!last || results.length === 0) return;
  const tasks = results.map(({ result }) => result);
  const passed = last.passed + tasks.filter((task) => task.passed).length;
  const unscored = (last.unscored ?? 0) + tasks.filter((task) => task.unscored).length;
  const done = last.done + tasks.length;
  const { total } = last;
  const counts = { total, done, running: 0, passed, failed: done - passed - unscored };
  news.add({ ...counts, ...(unscored > 0 && { unscored }) }, tasks.map(finishedTask));
}

/** What has been reported since the reader was last written to: every finished task, and only the latest totals. */
type News = ReturnType<typeof createNews>;
function createNews() {
  let totals: Progress | undefined;
  let lines: FinishedTask[] = [];
  let missed = 0;
  let last: Progress | undefined;
  const add = (progress: Progress, finished: readonly FinishedTask[]): void => {
    totals = progress;
    last = progress;
    const room = Math.max(0, MAX_LINES - lines.length);
    lines.push(...finished.slice(0, room));
    missed += Math.max(0, finished.length - room);
  };
  return {
    /** Where the run stood when the reader came. */
    begin(progress: Progress): void {
      last ??= progress;
    },
    add,
    get last() {
      return last;
    },
    take(): string | undefined {
      if (!totals && lines.length === 0 && missed === 0) return undefined;
      const texts = lines.map((task) => message('task', task));
      if (missed > 0) texts.push(message('missed', { tasks: missed }));
      if (totals) texts.push(message('progress', totals));
      [totals, lines, missed] = [undefined, [], 0];
      return texts.join('');
    },
  };
}

/** Where the run stands when it is over; nothing when it has been removed. */
async function lastWord(store: Parts['store'], { owner, runId }: Run): Promise<string | undefined> {
  const run = await store.runs.get(owner, runId);
  return run && message('progress', await standing(store, run));
}

/** Where a run stands by its log alone. */
async function standing(store: Pick<Store, 'log'>, run: Run): Promise<Progress> {
  const total = run.plan.kind === 'eval' ? plannedSteps(run.plan) : 1;
  if (run.plan.kind !== 'eval') {
    const [done, passed] = [isTerminal(run.status) ? 1 : 0, run.status === 'completed' ? 1 : 0];
    return { total, done, running: 0, passed, failed: done - passed };
  }
  const { done, passed, unscored } = await countResults(store, run);
  const costUsd = run.headline?.totalCostUsd;
  return {
    total,
    done,
    running: 0,
    passed,
    failed: done - passed - unscored,
    ...(unscored > 0 && { unscored }),
    ...(costUsd !== undefined && { costUsd }),
  };
}

async function countResults(
  { log }: Pick<Store, 'log'>,
  { owner, runId }: Run,
): Promise<{ done: number; passed: number; unscored: number }> {
  let [done, passed, unscored] = [0, 0, 0];
  for (;;) {
    const results = await log.results(owner, runId, done, PAGE_RESULTS);
    done += results.length;
    passed += results.filter(({ result }) => result.passed).length;
    unscored += results.filter(({ result }) => result.unscored).length;
    if (results.length < PAGE_RESULTS) return { done, passed, unscored };
  }
}
