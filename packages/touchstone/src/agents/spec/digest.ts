import { createHash } from 'node:crypto';
import { relative, sep } from 'node:path';
import { asId, canonicalJson, type Digest, defined, type Json } from '@touchstone/protocol';
import { type ProgramSpec, readSourceFiles, type SourceFiles, stampOf } from './source-files.js';
import type { AgentSpec } from './spec.js';

/**
 * What makes two agents the same: their spec and, when they are code of this machine, the bytes of their files. Whose
 * agent it is does not matter, and neither does the folder it lies in. Of variables the names count (`written`): a key
 * that is changed makes no other agent, and no digest tells of a secret.
 */
export const agentDigest = async (spec: ProgramSpec, baseDir: string, written = spec): Promise<Digest> =>
  digestOf(written, baseDir, await readSourceFiles(spec, baseDir));

export function digestOf(
  spec: ProgramSpec & Pick<AgentSpec, 'tenant'>,
  baseDir: string,
  sources: SourceFiles,
): Digest {
  const { tenant: _, ...described } = spec;
  const { interpreter } = sources;
  const files = sources.files
    .map(({ path, bytes }) => ({ path: relative(baseDir, path).split(sep).join('/'), sha256: sha256(bytes) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const whole = defined({ spec: described, files, interpreter }) as Json;
  return asId<Digest>(`sha256:${sha256(canonicalJson(whole))}`);
}

/** An agent that talks to another one is another agent when that one changes. */
export const wrappedDigest = (own: Digest, inner: Digest): Digest =>
  asId<Digest>(`sha256:${sha256(canonicalJson({ own, inner }))}`);

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/** The files of an agent that is in use. */
export type AgentFiles = {
  readonly digest: Digest;
  /** Whether nobody has written to them since: a file that was changed and changed back has been written to. */
  isUntouched(): Promise<boolean>;
  /** Whether, besides, the agent still consists of the same files. */
  isSame(): Promise<boolean>;
};

export async function readAgentFiles(
  spec: ProgramSpec,
  baseDir: string,
  written = spec,
): Promise<AgentFiles> {
  const sources = await readSourceFiles(spec, baseDir);
  const digest = digestOf(written, baseDir, sources);
  const { stamps } = sources;
  const isUntouched = async (): Promise<boolean> => {
    const now = await Promise.all([...stamps.keys()].map((path) => stampOf(path).catch(() => undefined)));
    return [...stamps.values()].every((stamp, index) => stamp === now[index]);
  };
  return {
    digest,
    isUntouched,
    isSame: async () =>
      (await isUntouched()) && (await agentDigest(spec, baseDir, written).catch(() => undefined)) === digest,
  };
}
