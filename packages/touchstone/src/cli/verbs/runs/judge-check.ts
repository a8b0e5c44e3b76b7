import { resolve } from 'node:path';
import { asId, type Issue, type TaskId, validationError } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import type { ExitCode } from '../../exit.js';
import { readText } from '../../files/suite-source.js';
import { type Context, isColoured, writeJson, writeLine } from '../../io.js';
import { type Calibration, calibrate } from '../../judging/calibration.js';
import { type Checked, checkLabels } from '../../judging/check-labels.js';
import { groupLabels, type Label, type LabelGroup, readLabels } from '../../judging/labels.js';
import { type Local, withJudges } from '../../local.js';
import {
  calibrationDocument,
  checkProgressText,
  renderCalibration,
} from '../../render/compare/calibration.js';
import { createInk } from '../../render/ink.js';
import { createStatusLine } from '../../render/progress.js';
import { UsageError } from '../../usage-error.js';
import { progressScreen } from '../run/drive-run.js';

export type JudgeOptions = {
  /** `provider/model`, or a name of `models` in the configuration. */
  readonly judge?: string;
  readonly votes?: number;
  readonly bodies?: boolean;
};
export type JudgeCheckOptions = JudgeOptions & { readonly minKappa?: number };

export const wishOf = ({ judge, votes }: JudgeOptions): { model?: string; votes?: number } => ({
  ...(judge !== undefined && { model: judge }),
  ...(votes !== undefined && { votes }),
});

/** Holds the judge against what people said. */
export async function judgeCheckCommand(
  context: Context,
  file: string,
  options: JudgeCheckOptions,
): Promise<ExitCode> {
  const { io, settings } = context;
  const labels = readLabels(readText(resolve(io.cwd, file), file), file);
  await checkChecks(labels, file);
  const groups = groupLabels(labels);
  if (options.minKappa !== undefined) checkProse(groups);
  const calibration = await withJudges(context, (local) => calibrateJudge(context, local, groups, options));
  if (calibration === undefined) return 130;
  const bodies = options.bodies === true || (io.stdout.isTTY && !settings.json);
  if (settings.json) writeJson(io, calibrationDocument(calibration, bodies));
  else {
    const look = { ink: createInk(isColoured(context, io.stdout)), width: io.stdout.columns };
    io.stdout.write(renderCalibration(calibration, bodies, look));
  }
  return calibration.exitCode;
}

/** Patterns and schemas that cannot be used are found before anything is asked. */
async function checkChecks(labels: readonly Label[], file: string): Promise<void> {
  const { checkTrouble } = await import('../../../app/index.js');
  const issues = labels.flatMap(({ line, criterion }): Issue[] => {
    const rubric = [{ criterion: toBody(criterion), weight: 1 }];
    const task = { taskId: asId<TaskId>('label'), input: toBody(null), expected: { kind: 'rubric', rubric } };
    return checkTrouble(task as Parameters<typeof checkTrouble>[0]).map(({ message }) => ({
      pointer: '/criterion',
      message,
      line,
    }));
  });
  if (issues.length > 0) throw validationError(issues, { file });
}

function checkProse(groups: readonly LabelGroup[]): void {
  if (groups.some(({ by }) => by === 'judge')) return;
  throw new UsageError(
    '--min-kappa is about a judge, and every criterion of these labels is a check.',
    'Leave --min-kappa out, or add labels of criteria in plain words.',
  );
}

/** Undefined when it was interrupted: half of the labels would tell another kappa. */
async function calibrateJudge(
  { io }: Context,
  { touchstone }: Local,
  groups: readonly LabelGroup[],
  options: JudgeCheckOptions,
): Promise<Calibration | undefined> {
  const wish = groups.some(({ by }) => by === 'judge') ? wishOf(options) : undefined;
  const judging = await touchstone.openJudging(wish);
  const line = createStatusLine(progressScreen(io), checkProgressText);
  const stop = new AbortController();
  const stopListening = io.onSignal(() => {
    if (stop.signal.aborted) io.exit(130);
    stop.abort();
  });
  try {
    const checked: Checked = await checkLabels(judging, groups, stop.signal, line.update);
    return calibrate(checked, judging.judge, options.minKappa);
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
