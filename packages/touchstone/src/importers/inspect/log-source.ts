import type { Json, JsonObject } from '@touchstone/protocol';
import { extensionOf, readDocument } from '../documents.js';
import type { SourceDocument, SourceFile } from '../imported.js';
import { itemsOf, member, type Node, number, rootOf } from '../nodes.js';
import { type Archive, openArchive } from './archive.js';

/** A log: what stands above all samples, and the samples. */
export type InspectLog = { readonly header: Node; readonly samples: readonly Sample[] };

/** A sample with the messages and attachments that its log keeps elsewhere. */
export type Sample = {
  readonly node: Node;
  readonly messages: readonly Node[];
  readonly attachments: { readonly [name: string]: Json };
};

export async function readLog(source: SourceFile): Promise<InspectLog> {
  if (extensionOf(source) !== '.eval') return logOf(rootOf(readDocument(source)));
  const archive = await openArchive(source);
  const header = rootOf(readDocument(archive.open('header.json')));
  const samples = archive.names
    .filter(isSample)
    .sort(byNumber)
    .map((name) => sampleIn(archive, name));
  return { header, samples };
}

const logOf = (root: Node): InspectLog => ({
  header: root,
  samples: itemsOf(member(root, 'samples')).map(wholeSample),
});

function wholeSample(node: Node): Sample {
  const attachments = member(node, 'attachments').value as JsonObject | undefined;
  return { node, messages: itemsOf(member(node, 'messages')), attachments: attachments ?? {} };
}

const isSample = (name: string): boolean => /^samples\/[^/]+(?:\.json|\/sample\.json)$/.test(name);
const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

function sampleIn(archive: Archive, name: string): Sample {
  const node = rootOf(readDocument(archive.open(name)));
  if (!name.endsWith('/sample.json')) return wholeSample(node);
  const folder = name.slice(0, -'sample.json'.length);
  const pool = chunksIn(archive, `${folder}messages/`);
  return {
    node,
    messages: itemsOf(member(node, 'message_refs')).flatMap((reference) => referredTo(reference.value, pool)),
    attachments: Object.fromEntries(
      chunksIn(archive, `${folder}attachments/`).map(({ value }, at) => [at, value ?? null]),
    ),
  };
}

/** Chunks are named by the number of their first item. */
const chunksIn = ({ names, open }: Archive, folder: string): readonly Node[] =>
  names
    .filter((name) => name.startsWith(folder) && /^\d+\.json$/.test(name.slice(folder.length)))
    .sort(byNumber)
    .flatMap((name) => itemsOf(rootOf(readDocument(open(name)) as SourceDocument)));

/** A range `[from, to)` of the pool, or one number. */
function referredTo(reference: Json | undefined, pool: readonly Node[]): readonly Node[] {
  const [from, to] = (Array.isArray(reference) ? reference : [reference, Number(reference) + 1]) as number[];
  return pool.slice(from, to);
}

/** A sample of each id, of its first epoch. */
export function firstEpochs(samples: readonly Sample[]): readonly Sample[] {
  const first = new Map<string, Sample>();
  const epochOf = ({ node }: Sample): number => number(member(node, 'epoch')) ?? 1;
  for (const sample of samples) {
    const id = JSON.stringify(member(sample.node, 'id').value ?? null);
    const other = first.get(id);
    if (!other || epochOf(sample) < epochOf(other)) first.set(id, sample);
  }
  return [...first.values()];
}
