import { historyOf, type Marked, markCurrent } from '../../comparing/blessings.js';
import type { ExitCode } from '../../exit.js';
import { type Context, isColoured, writeJson, writeLine } from '../../io.js';
import { LOCAL_OWNER, type Local, readStore } from '../../local.js';
import {
  type Baseline,
  baselineDocument,
  baselinesTable,
  markedDocument,
  renderBaseline,
} from '../../render/compare/baseline.js';
import { createInk } from '../../render/ink.js';
import { didYouMean } from '../../suggest.js';
import { UsageError } from '../../usage-error.js';
import { refOf } from '../run/result.js';

const HOW = 'Make one with: touchstone baseline bless <runId>';

export async function listBaselinesCommand(context: Context): Promise<ExitCode> {
  const { io, settings } = context;
  const items = await readStore<readonly Marked[]>(context, readAll, () => []);
  if (settings.json) writeJson(io, { items: items.map(markedDocument) });
  else if (items.length === 0) writeLine(io.stdout, `No baseline yet. ${HOW}`);
  else
    writeLine(
      io.stdout,
      baselinesTable(items, io.now(), createInk(isColoured(context, io.stdout)), io.stdout.columns),
    );
  return 0;
}

async function readAll({ touchstone }: Local): Promise<readonly Marked[]> {
  const { baselines, runs } = touchstone.store;
  const marked = markCurrent(await baselines.list(LOCAL_OWNER));
  return Promise.all(
    marked.map(async (one) => {
      const { contractVerdict } = (await runs.get(LOCAL_OWNER, one.runId))?.headline ?? {};
      return contractVerdict ? { ...one, contractVerdict } : one;
    }),
  );
}

export async function showBaselineCommand(context: Context, wanted: string | undefined): Promise<ExitCode> {
  const { io, settings } = context;
  const baselines = await readStore(
    context,
    (local) => readBaselines(local, wanted),
    () => {
      throw noBaseline();
    },
  );
  if (settings.json) writeJson(io, { items: baselines.map(baselineDocument) });
  else {
    const look = { ink: createInk(isColoured(context, io.stdout)), width: io.stdout.columns };
    io.stdout.write(baselines.map((one) => renderBaseline(one, io.now(), look)).join(''));
  }
  return 0;
}

const noBaseline = (): UsageError => new UsageError('There is no baseline here yet.', HOW);

async function readBaselines(local: Local, wanted: string | undefined): Promise<readonly Baseline[]> {
  const all = await readAll(local);
  const baselines: Baseline[] = [];
  for (const blessing of choose(all, wanted)) {
    const report = await local.touchstone.report(LOCAL_OWNER, blessing.runId);
    baselines.push({ blessing, report, history: historyOf(blessing, all) });
  }
  return baselines;
}

/** A run was perhaps blessed more than once; its latest blessing says what became of it. */
function choose(all: readonly Marked[], wanted: string | undefined): readonly Marked[] {
  if (all.length === 0) throw noBaseline();
  const current = all.filter((one) => one.current);
  if (wanted === undefined) return current;
  const ofSuite = current.filter(({ suite }) => suite.suiteId === wanted || refOf(suite) === wanted);
  if (ofSuite.length > 0) return ofSuite;
  const ofRun = all.find(({ runId }) => runId === wanted);
  if (ofRun) return [ofRun];
  const suites = [...new Set(current.map(({ suite }) => suite.suiteId))];
  throw new UsageError(
    `There is no baseline of a suite ${wanted}, nor a blessed run of that id.`,
    didYouMean(wanted, suites, 'Suites with a baseline'),
  );
}
