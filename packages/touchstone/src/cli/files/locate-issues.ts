import {
  defined,
  type ErrorCode,
  HostError,
  type Issue,
  isHostError,
  segmentsOf,
} from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import { type DefinitionAgent, type ProfileWarning, profilePointer } from '../../profiles/index.js';

/** An issue that knows which of several files it is about. */
export type PlacedIssue = Issue & { readonly file?: string };
export type PlacedWarning = ProfileWarning & { readonly file?: string; readonly column?: number };

/** The two files that a contract is compiled from. */
export type ContractFiles = {
  readonly definition: { readonly file: string; readonly text: string };
  /** How the dataset is called in front of a line number. */
  readonly dataset: string;
  /** Where a definition speaks of its dataset; absent when the rows came from elsewhere. */
  readonly datasetPointer?: string;
};

/** What stands in front of a line of a dataset that is no file here. */
export const ELSEWHERE = 'dataset';

export const datasetPointer = (agent: DefinitionAgent): string =>
  `${profilePointer(agent)}/golden_dataset_uri`;

/** A refusal to compile is thrown with every issue at its place: a line is one of the dataset, a pointer leads into the definition. */
export async function withPlaces<T>(files: ContractFiles, compile: () => Promise<T>): Promise<T> {
  try {
    return await compile();
  } catch (error) {
    const isRefusal = isHostError(error) || error instanceof HostResponseError;
    if (!isRefusal || !Array.isArray(error.details?.issues)) throw error;
    const { issues, ...details } = error.details as { readonly issues: readonly Issue[] };
    const placed = { ...details, issues: await locateAll(issues, files) };
    throw new HostError(error.code as ErrorCode, error.message, placed, error.cause);
  }
}

type Remark = { readonly pointer?: string; readonly line?: number };

/** Warnings and issues with the file that each is about. */
export async function locateAll<T extends Remark>(
  remarks: readonly T[],
  files: ContractFiles,
): Promise<readonly (T & { readonly file?: string })[]> {
  // The reader that knows places takes a moment to load.
  if (remarks.length === 0) return [];
  const { definition, dataset } = files;
  const pointers = remarks.map((remark) => pointerIn(remark, files));
  const sought = pointers.map((pointer = '') => ({ message: '', pointer }));
  const located = await withLines(sought, definition.text);
  return remarks.map((remark, at) => {
    const pointer = pointers[at];
    if (remark.pointer?.startsWith('/options/')) return remark;
    if (pointer === undefined) return { ...remark, file: dataset };
    const { line, column } = located[at] ?? {};
    return { ...remark, pointer, file: definition.file, ...defined({ line, column }) };
  });
}

/** What leads into the definition; undefined for what is about a row, or about rows that it does not name. */
function pointerIn({ pointer = '', line }: Remark, files: ContractFiles): string | undefined {
  if (line !== undefined) return undefined;
  if (pointer === '') return files.datasetPointer;
  return IN_DEFINITION.test(pointer) ? pointer : undefined;
}

const IN_DEFINITION = /^\/(?:evaluation|metadata|policy|capabilities|config|definitions)(?:\/|$)/;

/**
 * The same issues with the place in the text that each points to; where there is nothing, the place around it. One
 * reader knows the places of both formats, because every JSON document is YAML as well.
 */
export async function withLines(issues: readonly Issue[], text: string): Promise<readonly Issue[]> {
  const { isNode, LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const startOf = (path: readonly string[]): number | undefined => {
    const node = path.length === 0 ? undefined : document.getIn(path, true);
    if (isNode(node)) return node.range?.[0];
    return path.length === 0 ? undefined : startOf(path.slice(0, -1));
  };
  return issues.map((issue) => {
    const start = startOf(segmentsOf(issue.pointer));
    if (start === undefined) return issue;
    const { line, col } = lines.linePos(start);
    return { ...issue, line, column: col };
  });
}
