import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined, type Owner } from '@touchstone/protocol';
import {
  type Calibration,
  calibrate,
  type EarlierCheck,
  groupLabels,
  type LabelGroup,
  labelsDigest,
  measureDrift,
  parseJudge,
  readLabels,
  readVerdicts,
} from '../../../app/index.js';
import { judgeReference } from '../../files/judge-choice.js';
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
import { LOCAL_OWNER, type Local, withTouchstone } from '../../local.js';
import {
  calibrationDocument,
  checkProgressText,
  type JudgeCheck,
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
type JudgeCheckOptions = JudgeOptions & {
  readonly minKappa?: number;
  /** Whose gates count the result. */
  readonly suite?: string;
  readonly tenant?: string;
  readonly workspace?: string;
  /** A record, or the `--json` output of an earlier check. */
  readonly against?: string;
};

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
  for (const option of ['minKappa', 'suite', 'against'] as const)
    if (options[option] !== undefined) checkProse(groups, option);
  const checked = await withTouchstone(context, 'judges', (local) => check(context, local, groups, options));
  if (checked === undefined) return 130;
  const bodies = mayShowContent(context, options);
  const least = minKappa ?? checked.namedSet?.minKappa;
  const exitCode = exitOf(checked, least);
  const result = { exitCode, ...checked, ...defined({ minKappa: least }) };
  writeResult(context, calibrationDocument(result, bodies), (look) =>
    renderCalibration(result, bodies, look),
  );
  return exitCode;
}

/** A kappa that is undefined has not been shown to be enough. */
function exitOf({ undecided, judged: { kappa }, drift }: JudgeCheck, minKappa: number | undefined): ExitCode {
  const missed = minKappa !== undefined && (kappa === undefined || kappa < minKappa);
  return worstExit(
    EXIT_ORDER.filter(
      (code) => (code === 3 && undecided.length > 0) || (code === 1 && (missed || drift?.worse === true)),
    ),
  );
}

/** The earlier check is read first: one that is not there is told before the judge is asked. */
async function check(
  context: Context,
  local: Local,
  groups: readonly LabelGroup[],
  options: JudgeCheckOptions,
): Promise<JudgeCheck | undefined> {
  const { suite, against, tenant = LOCAL_OWNER.tenant, workspace = LOCAL_OWNER.workspace } = options;
  const owner = { tenant, workspace };
  const before = against === undefined ? undefined : await earlierCheck(context, local, owner, against);
  const found = await calibrateJudge(context, local, groups, options);
  if (!found) return undefined;
  const namedSet = await namedSetOf(local, found);
  const { calibrationRecords } = local.touchstone;
  const by = local.principal.id;
  const keeps = suite !== undefined && found.judge && found.undecided.length === 0;
  const record = keeps && found.judge && { judge: found.judge, suite, verdicts: found.verdicts, by };
  const notKept = suite !== undefined && !keeps;
  return {
    ...found,
    ...defined({ namedSet }),
    ...(notKept && { notKept }),
    ...(before && { drift: driftSince(before, found) }),
    ...(record && { record: await calibrationRecords.keep(owner, record) }),
  };
}

/** Whether these are the labels that a portable judge names, and what it should reach on them. */
async function namedSetOf(
  { touchstone }: Local,
  { judge, verdicts }: Calibration,
): Promise<JudgeCheck['namedSet']> {
  if (judge?.portable === undefined) return undefined;
  const wanted = (await touchstone.judges.pinned(LOCAL_OWNER, judge.promptDigest))?.calibration;
  if (!wanted) return undefined;
  const isSame = wanted.labels === labelsDigest(verdicts);
  return { isSame, ...(isSame && defined({ minKappa: wanted.minKappa })) };
}

/** A check of another judge is compared all the same, which is told: it shows no change of either. */
const driftSince = ({ labels, judge: before }: EarlierCheck, { judge, verdicts }: Calibration) => ({
  ...measureDrift(labels, verdicts),
  ...(before !== undefined && before !== judge?.digest && { otherJudge: true as const }),
});

/** A file when there is one of this name. */
async function earlierCheck(
  { io }: Context,
  { touchstone }: Local,
  owner: Owner,
  named: string,
): Promise<EarlierCheck> {
  const path = resolve(io.cwd, named);
  const record = existsSync(path) ? undefined : await touchstone.calibrationRecords.get(owner, named);
  if (record) return { labels: record.labels, judge: record.judge };
  if (!existsSync(path))
    throw new UsageError(
      `There is neither a file nor a record ${named}.`,
      'Keep a check with: touchstone judge check labels.jsonl --json > before.json',
    );
  const verdicts = readVerdicts(readText(path, named));
  if (verdicts) return verdicts;
  throw new UsageError(
    `${named} is not the output of an earlier check.`,
    'Expected what this prints: touchstone judge check labels.jsonl --json',
  );
}

const OPTIONS = { minKappa: '--min-kappa', suite: '--suite', against: '--against' } as const;

function checkProse(groups: readonly LabelGroup[], option: keyof typeof OPTIONS): void {
  if (groups.some(({ by }) => by === 'judge')) return;
  throw new UsageError(
    `${OPTIONS[option]} is about a judge, and every criterion of these labels is a check.`,
    `Leave ${OPTIONS[option]} out, or add labels of criteria in plain words.`,
  );
}

/** Undefined when it was interrupted: half of the labels would show another kappa. */
async function calibrateJudge(
  { io }: Context,
  { touchstone }: Local,
  groups: readonly LabelGroup[],
  { judge, votes }: JudgeCheckOptions,
): Promise<Calibration | undefined> {
  const model = await judgeReference(io, judge, async (file) => {
    const found = parseJudge(file);
    await touchstone.judges.install(LOCAL_OWNER, found);
    return { judgeRef: `${found.judgeId}@${found.version}` };
  });
  const request = groups.some(({ by }) => by === 'judge') ? defined({ model, votes }) : undefined;
  const judging = await touchstone.openJudging(request, LOCAL_OWNER);
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
