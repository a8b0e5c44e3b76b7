import { resolve } from 'node:path';
import { defined } from '@touchstone/protocol';
import { type Calibration, calibrate, groupLabels, type LabelGroup, readLabels } from '../../../app/index.js';
import { readText } from '../../files/local-files.js';
import {
  type Context,
  EXIT_ORDER,
  type ExitCode,
  mayShowContent,
  UsageError,
  worstExit,
  writeLine,
  writeResult,
} from '../../io.js';
import { type Local, withTouchstone } from '../../local.js';
import {
  calibrationDocument,
  checkProgressText,
  renderCalibration,
} from '../../render/compare/calibration.js';
import { createStatusLine } from '../../render/progress.js';
import { progressScreen } from '../run/run-driver.js';

export type JudgeOptions = {
  /** `provider/model`, or a name of `models` in the configuration. */
  readonly judge?: string;
  readonly votes?: number;
  readonly bodies?: boolean;
};
type JudgeCheckOptions = JudgeOptions & { readonly minKappa?: number };

/** Holds the judge against what people said. */
export async function judgeCheckCommand(
  context: Context,
  file: string,
  options: JudgeCheckOptions,
): Promise<ExitCode> {
  const { io } = context;
  const labels = await readLabels(readText(resolve(io.cwd, file), file), file);
  if (labels.length === 0)
    throw new UsageError(
      `There is no label in ${file}.`,
      'A line looks like {"input":"…","output":"…","criterion":"It is polite.","met":true}',
    );
  const groups = groupLabels(labels);
  const { minKappa } = options;
  if (minKappa !== undefined) checkProse(groups);
  const calibration = await withTouchstone(context, 'judges', (local) =>
    calibrateJudge(context, local, groups, options),
  );
  if (calibration === undefined) return 130;
  const bodies = mayShowContent(context, options);
  const exitCode = exitOf(calibration, minKappa);
  const result = { exitCode, ...calibration, ...defined({ minKappa }) };
  writeResult(context, calibrationDocument(result, bodies), (look) =>
    renderCalibration(result, bodies, look),
  );
  return exitCode;
}

/** A kappa that is undefined has not been shown to be enough. */
function exitOf({ undecided, judged: { kappa } }: Calibration, minKappa: number | undefined): ExitCode {
  const missed = minKappa !== undefined && (kappa === undefined || kappa < minKappa);
  return worstExit(
    EXIT_ORDER.filter((code) => (code === 3 && undecided.length > 0) || (code === 1 && missed)),
  );
}

function checkProse(groups: readonly LabelGroup[]): void {
  if (groups.some(({ by }) => by === 'judge')) return;
  throw new UsageError(
    '--min-kappa is about a judge, and every criterion of these labels is a check.',
    'Leave --min-kappa out, or add labels of criteria in plain words.',
  );
}

/** Undefined when it was interrupted: half of the labels would show another kappa. */
async function calibrateJudge(
  { io }: Context,
  { touchstone }: Local,
  groups: readonly LabelGroup[],
  { judge, votes }: JudgeCheckOptions,
): Promise<Calibration | undefined> {
  const request = groups.some(({ by }) => by === 'judge') ? defined({ model: judge, votes }) : undefined;
  const judging = await touchstone.openJudging(request);
  const line = createStatusLine(progressScreen(io), checkProgressText);
  const stop = new AbortController();
  const stopListening = io.onSignal(() => {
    if (stop.signal.aborted) io.exit(130);
    stop.abort();
  });
  try {
    return await calibrate(judging, groups, stop.signal, line.update);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    line.clear();
    writeLine(io.stderr, 'Interrupted: nothing is kept of a check that is not finished.');
    return undefined;
  } finally {
    line.clear();
    stopListening();
    judging.close();
  }
}
