import { generateKeyPairSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { isHostError } from '@touchstone/protocol';
import type { PackOptions } from '../open-pack.js';

/** A host that offers nothing in particular and takes every schema. */
export const options: PackOptions = { hasCapability: () => false, openSchemaCheck: () => () => [] };

export const PACK_NAME = 'vendor.acme.support';

export const suiteText = (question = 'Where is it?'): string =>
  JSON.stringify({
    suiteId: 'vendor.acme.evals.support',
    version: '1.0.0',
    targetAgentId: `${PACK_NAME}.default`,
    modes: ['golden'],
    tasks: [
      {
        taskId: 'parcel',
        input: { question },
        expected: { kind: 'golden', match: { strategy: 'contains', value: 'on its way' } },
      },
    ],
  });

export const agentEntry = (members: object = {}): object => ({
  agentId: `${PACK_NAME}.default`,
  persona: 'Support',
  modelClass: 'general',
  systemPromptRef: 'prompts/support.md',
  evalSuiteRef: 'evals/support.json',
  handoff: { taskSchemaRef: 'schemas/task.json', returnSchemaRef: 'schemas/return.json' },
  ...members,
});

export const manifest = (members: object = {}): object => ({
  name: PACK_NAME,
  version: '1.2.0',
  engines: { openwop: '>=1.0.0 <2.0.0' },
  runtime: { language: 'remote', entry: 'pack.json' },
  agents: [agentEntry()],
  ...members,
});

type Replaced = { readonly [path: string]: string | Buffer | undefined };

/** The files of a sound pack, some of them replaced, added or (when undefined) left out. */
export function packFiles(pack: object = manifest(), replaced: Replaced = {}): Map<string, Buffer> {
  const files: Replaced = {
    'pack.json': JSON.stringify(pack),
    'prompts/support.md': 'Answer kindly.\n',
    'schemas/task.json': '{"type":"object"}',
    'schemas/return.json': '{"type":"object"}',
    'evals/support.json': suiteText(),
    'README.md': '# Support\n',
    ...replaced,
  };
  return new Map(
    Object.entries(files).flatMap(([path, content]) =>
      content === undefined ? [] : [[path, Buffer.from(content)] as const],
    ),
  );
}

export type TarEntry = {
  readonly path: string | Buffer;
  readonly content?: string | Buffer;
  /** The letter by which tar tells kinds apart; a file when absent. */
  readonly kind?: string;
  readonly linkTo?: string;
  /** The size in the header when it is not that of the content. */
  readonly size?: number;
};

/** A tar archive written by hand, because the library writes none of the wicked ones. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(entryBytes), Buffer.alloc(1024)]);
}

export const archiveOf = (entries: readonly TarEntry[]): Buffer => gzipSync(tarOf(entries));

export const archiveOfFiles = (files: ReadonlyMap<string, Buffer>): Buffer =>
  archiveOf([...files].map(([path, content]) => ({ path, content })));

function entryBytes({ path, content = '', kind = '0', linkTo = '', size }: TarEntry): readonly Buffer[] {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  Buffer.from(path).copy(header, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${(size ?? body.length).toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write(' '.repeat(8), 148);
  header.write(kind, 156);
  header.write(linkTo, 157);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
}

/** The record by which tar gives the next entry a long name. */
export function longName(path: string): TarEntry {
  const record = ` path=${path}\n`;
  let length = Buffer.byteLength(record) + 1;
  while (Buffer.byteLength(`${length}${record}`) !== length) length += 1;
  return { path: 'PaxHeader', kind: 'x', content: `${length}${record}` };
}

export function keyPair(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** The code of the error that comes of this; anything else that comes is told as it is. */
export async function codeOf(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return 'no error';
  } catch (error) {
    if (isHostError(error)) return error.code;
    throw error;
  }
}

/** The error itself, for those who read what it says. */
export async function errorOf(attempt: () => unknown): Promise<{ message: string; details: object }> {
  try {
    await attempt();
  } catch (error) {
    if (isHostError(error)) return { message: error.message, details: error.details ?? {} };
    throw error;
  }
  throw new Error('Expected an error, but there was none.');
}
