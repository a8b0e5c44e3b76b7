import { isObject, type Json, jsonEqual, parseJson, type Scorecard } from '@touchstone/protocol';
import {
  type BundleFiles,
  openCheckpoint,
  openSuiteEnvelope,
  readSegment,
  type SegmentLine,
  sha256Hex,
  type TrustedKey,
} from '../../evidence/index.js';

/** Every part that an evidence bundle may have, and how each is checked. A new part is a line in `PARTS`: the compiler then asks for what collects it. */

/** What is wrong with a part, or worth knowing about it. Neither holds content. */
export type PartCheck = {
  readonly doubts: readonly { readonly code: BundleDoubt; readonly message: string }[];
  readonly notes: readonly string[];
};
export type BundleDoubt = 'tampered' | 'malformed' | 'contradictory' | 'untrusted' | 'unsigned';

export type PartContext = {
  readonly files: BundleFiles;
  /** What the bundle is about; the signature on it has been checked. */
  readonly scorecard: Scorecard;
  readonly keys: readonly TrustedKey[];
};

type Part = {
  readonly files: readonly string[];
  readonly check: (context: PartContext) => PartCheck;
};

export const FILES = {
  scorecard: 'scorecard.dsse.json',
  suite: 'suite.json',
  suiteEnvelope: 'suite.json.dsse',
  judge: 'judge.json',
  judgeContract: 'judge-contract.json',
  calibration: 'calibration.json',
  log: 'log.json',
  logLines: 'log.jsonl',
  promotions: 'promotions.json',
  audit: 'audit.jsonl',
  checkpoint: 'checkpoint.dsse.json',
} as const;

const FINE: PartCheck = { doubts: [], notes: [] };
const doubt = (code: BundleDoubt, message: string): PartCheck => ({ doubts: [{ code, message }], notes: [] });
const note = (text: string): PartCheck => ({ doubts: [], notes: [text] });

export const PARTS = {
  /** The one that the others are held against; checked before them. */
  scorecard: { files: [FILES.scorecard], check: () => FINE },
  suite: { files: [FILES.suite, FILES.suiteEnvelope], check: checkSuite },
  judge: { files: [FILES.judge, FILES.judgeContract, FILES.calibration], check: checkJudge },
  log: { files: [FILES.log, FILES.logLines], check: checkLog },
  promotion: { files: [FILES.promotions, FILES.audit, FILES.checkpoint], check: checkPromotion },
} satisfies { readonly [name: string]: Part };

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as readonly PartName[];

function checkSuite({ files, scorecard: { suite }, keys }: PartContext): PartCheck {
  const bytes = files.get(FILES.suite);
  const envelope = files.get(FILES.suiteEnvelope);
  const ref = `${suite.suiteId}@${suite.version}`;
  if (bytes && `sha256:${sha256Hex(bytes)}` !== suite.digest)
    return doubt(
      'contradictory',
      `${FILES.suite} is not the suite ${ref} that the scorecard names by its digest.`,
    );
  if (!envelope)
    return note(bytes ? 'The suite is not signed by itself.' : 'The suite is named by its digest alone.');
  try {
    const { fits, signers, keyIds } = openSuiteEnvelope(envelope.toString('utf8'), suite, keys);
    if (fits !== 'yes')
      return doubt('contradictory', `${FILES.suiteEnvelope} signs another suite than ${ref}.`);
    if (keyIds.length === 0) return doubt('unsigned', `${FILES.suiteEnvelope} bears no signature.`);
    if (signers[0]) return note(`The suite is signed by ${signers[0].keyId}.`);
    return note(
      `The suite is signed by ${keyIds.join(', ')}, which is not trusted here: that was not checked.`,
    );
  } catch {
    return doubt('tampered', `${FILES.suiteEnvelope} bears no signature of the key that it names.`);
  }
}

/** Who measured, as the plan of the run records it: the same facts as in the scorecard, in a file of their own. */
export const judgeFacts = (card: Scorecard): { readonly [name: string]: Json } => {
  const { judge, safetyJudge, safetyPolicy, contract, embedder, scorers } = card;
  const facts = { judge, safetyJudge, safetyPolicy, contract, embedder, scorers };
  return JSON.parse(JSON.stringify(facts)) as { readonly [name: string]: Json };
};

function checkJudge({ files, scorecard }: PartContext): PartCheck {
  const facts = jsonIn(files, FILES.judge);
  if (facts === undefined) return doubt('malformed', `${FILES.judge} is missing, or is no JSON.`);
  if (!jsonEqual(facts as Json, judgeFacts(scorecard) as Json))
    return doubt('contradictory', `${FILES.judge} names other judges than the scorecard.`);
  return checkContract(files, scorecard) ?? checkCalibration(files, scorecard);
}

/** What the judge asked is a document of its own when the judge is a portable one: its SHA-256 is in the scorecard. */
function checkContract(files: BundleFiles, { judge }: Scorecard): PartCheck | undefined {
  const contract = files.get(FILES.judgeContract);
  if (!contract || `sha256:${sha256Hex(contract)}` === judge?.promptDigest) return undefined;
  return doubt('contradictory', `${FILES.judgeContract} is not the judge that the scorecard names.`);
}

/** What labels of people showed of the judge when the bundle was made. That they were counted rightly is the exporter's word. */
function checkCalibration(files: BundleFiles, { judge, suite }: Scorecard): PartCheck {
  if (!files.has(FILES.calibration)) return FINE;
  const known = jsonIn(files, FILES.calibration);
  if (!isObject(known) || typeof known.n !== 'number')
    return doubt('malformed', `${FILES.calibration} is no record of labels.`);
  if (known.judge !== judge?.digest || known.suite !== suite.digest)
    return doubt('contradictory', `${FILES.calibration} is about another judge or another suite.`);
  const kappa = typeof known.kappa === 'number' ? `, kappa ${known.kappa.toFixed(2)}` : '';
  return note(`${known.n} labels of people were held against the judge${kappa}.`);
}

function checkLog({ files, scorecard: { log } }: PartContext): PartCheck {
  const facts = jsonIn(files, FILES.log);
  if (facts === undefined) return doubt('malformed', `${FILES.log} is missing, or is no JSON.`);
  if (!jsonEqual(facts as Json, log as unknown as Json))
    return doubt('contradictory', `${FILES.log} names another log than the scorecard.`);
  const lines = files.get(FILES.logLines);
  if (!lines) return note('The log is named by its digest alone.');
  const isWhole = `sha256:${sha256Hex(lines)}` === log?.digest && lineCount(lines) === log.events;
  return isWhole
    ? FINE
    : doubt('contradictory', `${FILES.logLines} is not the log that the scorecard names.`);
}

const lineCount = (bytes: Buffer): number => {
  let lines = 1;
  for (const byte of bytes) if (byte === 0x0a) lines += 1;
  return lines;
};

/** A move that rests on the run, as the bundle tells it. */
export type Promotion = {
  readonly runId: string;
  readonly agent: string;
  readonly toState: string;
  /** Places of its records in the audit log. */
  readonly records: readonly number[];
};

function checkPromotion({ files, scorecard, keys }: PartContext): PartCheck {
  const present = PARTS.promotion.files.filter((file) => files.has(file));
  if (present.length === 0) return note('No move rests on this run.');
  const promotions = readPromotions(jsonIn(files, FILES.promotions));
  const lines = readSegment(files.get(FILES.audit)?.toString('utf8') ?? '');
  if (!promotions) return doubt('malformed', `${FILES.promotions} is missing, or tells of no moves.`);
  if (!lines) return doubt('tampered', `The records of ${FILES.audit} do not follow from each other.`);
  const agent = `${scorecard.agent.agentId}@${scorecard.agent.version}`;
  const stray = promotions.find((one) => one.agent !== agent || !isRecorded(one, lines));
  if (stray)
    return doubt('contradictory', `${FILES.promotions} tells of a move that ${FILES.audit} does not record.`);
  return checkHead(lines, files, keys);
}

const isRecorded = ({ runId, agent, records }: Promotion, lines: readonly SegmentLine[]): boolean => {
  const own = lines.filter((line) => line.runId === runId);
  const isMoved = own.some((line) => line.allowed && line.resource === `agents/${agent}`);
  return isMoved && jsonEqual(own.map(({ seq }) => seq) as Json, records as Json);
};

/** The last record has to be the one that the host has signed. */
function checkHead(
  lines: readonly SegmentLine[],
  files: BundleFiles,
  keys: readonly TrustedKey[],
): PartCheck {
  const last = lines.at(-1) as SegmentLine;
  try {
    const text = files.get(FILES.checkpoint)?.toString('utf8') ?? '';
    const { predicate, signers, keyIds } = openCheckpoint(text, keys);
    const { owner, records, head } = predicate;
    const isSame = owner.tenant === last.owner.tenant && owner.workspace === last.owner.workspace;
    if (!isSame || records !== last.seq || head !== last.digest)
      return doubt('contradictory', `${FILES.checkpoint} is not about the last record of ${FILES.audit}.`);
    if (!signers[0])
      return doubt(
        'untrusted',
        `The checkpoint is signed by key ${keyIds.join(', ') || 'without a name'}, which is not trusted here. Give the public key of the host with --key.`,
      );
    return note(`The audit log up to record ${records} is signed by ${signers[0].keyId}.`);
  } catch {
    return doubt(
      'tampered',
      `${FILES.checkpoint} is no checkpoint, or bears no signature of the key that it names.`,
    );
  }
}

function readPromotions(value: unknown): readonly Promotion[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const isOne = (one: unknown): one is Promotion =>
    isObject(one) &&
    Object.keys(one).sort().join() === 'agent,records,runId,toState' &&
    [one.runId, one.agent, one.toState].every((text) => typeof text === 'string') &&
    Array.isArray(one.records) &&
    one.records.length > 0;
  return value.every(isOne) ? value : undefined;
}

const jsonIn = (files: BundleFiles, name: string): unknown =>
  parseJson(files.get(name)?.toString('utf8') ?? '');
