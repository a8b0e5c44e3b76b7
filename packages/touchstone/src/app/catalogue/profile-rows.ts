import { createHash } from 'node:crypto';
import {
  canonicalJson,
  type Issue,
  isHostError,
  type Json,
  type Owner,
  validationError,
} from '@touchstone/protocol';
import type { DatasetSource, OpenOptions } from '../../profiles/index.js';
import {
  type CompileInput,
  type CompileOptions,
  type DatasetLock,
  type DefinitionAgent,
  decidePin,
  normaliseRows,
  type ProfileWarning,
  parseDatasetUri,
  profilePointer,
} from '../../profiles/index.js';
import { type OpenRows, openRows } from './dataset-rows.js';

/** An agent with its test contract, and what it is to be compiled with. */
export type ProfileRequest = {
  readonly agent: DefinitionAgent;
  /** Rows that were handed over, instead of the dataset that the profile names. */
  readonly rows?: readonly unknown[];
  /** The same from a file that the caller has found; it may be long. */
  readonly opened?: Omit<OpenRows, 'close'>;
  readonly from: OpenOptions;
  /** Who waits for it on a host, which makes the checks as for any request. */
  readonly owner?: Owner;
  readonly lock?: DatasetLock;
  /** Use a remote dataset of a published agent although nothing pins it. */
  readonly allowUnpinned?: boolean;
  readonly options?: CompileOptions;
};

/** What the dataset was, for the lock file, where nothing else pins it. */
export type Locking = {
  readonly locked?: { readonly uri: string; readonly sha256: string; readonly bytes: number };
};

/** The rows of a request, and what is known of them once they have been read. */
export type Data = Pick<CompileInput, 'rows' | 'dataset'> & {
  warnings(): readonly ProfileWarning[];
  locked(): Locking;
  close(): Promise<void>;
};

const NOTHING = { warnings: () => [], locked: () => ({}), close: async () => undefined };

export async function openData(source: DatasetSource, request: ProfileRequest): Promise<Data> {
  if (request.rows) return givenRows(request.rows);
  const { opened: given } = request;
  if (given) return { ...NOTHING, rows: given.rows, dataset: given.facts, warnings: given.warnings };
  const text = request.agent.evaluation?.golden_dataset_uri;
  if (!text) return NOTHING;
  const uri = parseDatasetUri(text);
  const { status } = request.agent;
  const decision = decidePin({
    uri,
    ...(request.lock && { lock: request.lock }),
    ...(status && { status }),
    ...(request.allowUnpinned && { override: true }),
  });
  if (decision.kind === 'error') throw decision.error;
  const pinned = decision.kind === 'check' ? decision.sha256 : undefined;
  const opened = await openRows(source, uri, request.from, pinned);
  const isData = uri.scheme === 'data';
  return {
    rows: opened.rows,
    dataset: () => {
      const { rows: _, ...facts } = opened.facts();
      return { ...facts, ...(!isData && { uri: uri.uri }) };
    },
    warnings: () => [...(decision.kind === 'warn' ? [decision.warning] : []), ...opened.warnings()],
    locked: () => {
      const { sha256, bytes } = opened.facts();
      return decision.kind === 'warn' ? { locked: { uri: uri.uri, sha256, bytes } } : {};
    },
    close: opened.close,
  };
}

function givenRows(values: readonly unknown[]): Data {
  const { rows, warnings } = normaliseRows(values, '/rows');
  const text = Buffer.from(canonicalJson(values as Json));
  const sha256 = createHash('sha256').update(text).digest('hex');
  return {
    ...NOTHING,
    rows: async function* () {
      yield* rows;
    },
    dataset: () => ({ sha256, bytes: text.length, format: 'rows', list: '/rows' }),
    warnings: () => warnings,
  };
}

/** Trouble with a dataset as a whole is shown where the dataset is named; trouble with a row stays with the row. */
export function atDataset(error: unknown, agent: DefinitionAgent): unknown {
  if (!isHostError(error) || error.code !== 'validation_error') return error;
  const { issues, ...details } = error.details as { readonly issues: readonly Issue[] };
  const pointer = `${profilePointer(agent)}/golden_dataset_uri`;
  const isWhole = (issue: Issue): boolean => issue.pointer === '' && issue.line === undefined;
  return validationError(
    issues.map((issue) => (isWhole(issue) ? { ...issue, pointer } : issue)),
    details,
  );
}
