import {
  type Digest,
  type HostError,
  type Issue,
  isHostError,
  type Json,
  type JsonObject,
  type PortableJudge,
  validationError,
} from '@touchstone/protocol';
import { schemaIssues } from '@touchstone/protocol/schema';
import { vendor } from '@touchstone/protocol/wire';
import type { StoredJudge } from '../../ports/index.js';
import { digestOf, readFileText, soundnessIssues, utf8 } from '../../suites/index.js';

/** Orders longer than this are no judge. */
export const MAX_JUDGE_BYTES = 65_536;

/** A portable judge of any value. Throws everything that is wrong with it, by pointers and never by its words. */
export function parseJudge(value: unknown): StoredJudge {
  const unsound = soundnessIssues(value);
  const issues = unsound.length > 0 ? unsound : schemaIssues(vendor.portableJudge, value);
  if (issues.length > 0) throw validationError(issues);
  const judge = value as PortableJudge;
  if (Buffer.byteLength(JSON.stringify(judge)) > MAX_JUDGE_BYTES) throw tooLong();
  const { judgeId, version } = judge;
  const digest: Digest = digestOf(value as Json);
  return { judgeId, version, digest, judge: judge as unknown as JsonObject };
}

/** The same of a file, in JSON or YAML; issues have their line. */
export function readJudgeFile(bytes: Buffer, file: string): StoredJudge {
  if (bytes.length > MAX_JUDGE_BYTES) throw tooLong(file);
  const text = utf8(bytes);
  if (text === undefined) throw validationError([{ pointer: '', message: 'Expected UTF-8.' }], { file });
  const { value, problem, locate } = readFileText(text, { file });
  if (problem !== undefined) throw validationError(locate(), { file });
  try {
    return parseJudge(value);
  } catch (error) {
    if (!isHostError(error) || error.code !== 'validation_error') throw error;
    throw validationError(locate((error.details?.issues ?? []) as readonly Issue[]), { file });
  }
}

/** What `touchstone schema judge` prints. A schema cannot say everything: what it accepts may still be refused. */
export const judgeFileSchema = (): JsonObject =>
  JSON.parse(JSON.stringify(vendor.portableJudge)) as JsonObject;

const tooLong = (file?: string): HostError =>
  validationError(
    [{ pointer: '', message: `Expected at most ${MAX_JUDGE_BYTES / 1024} KiB; a judge is short orders.` }],
    file === undefined ? {} : { file },
  );
