import { createHash } from 'node:crypto';
import { relative, resolve, sep } from 'node:path';
import { asId, canonicalJson, type Digest, type Json, validationError } from '@touchstone/protocol';
import type { RunSpec } from './run-spec.js';
import { collectSources, isFile } from './source-files.js';
import type { AgentSpec } from './spec.js';

/**
 * What makes two agents the same: their spec and, when they are code of this machine, the bytes of their files. Whose
 * agent it is does not matter, and neither does the folder it lies in.
 */
export async function agentDigest(spec: AgentSpec, baseDir: string): Promise<Digest> {
  const { tenant: _, ...described } = spec;
  const sources = await collectSources(await entryFiles(spec.run, baseDir));
  const files = sources
    .map(({ path, bytes }) => ({ path: relative(baseDir, path).split(sep).join('/'), sha256: sha256(bytes) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const whole: Json = { spec: described, files };
  return asId<Digest>(`sha256:${sha256(canonicalJson(whole))}`);
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

async function entryFiles(run: RunSpec, baseDir: string): Promise<readonly string[]> {
  if (!('path' in run) && run.kind !== 'command') return [];
  if (run.kind === 'command') {
    const cwd = resolve(baseDir, run.cwd ?? '.');
    const candidates = [run.command, ...(run.args ?? [])].map((part) => resolve(cwd, part));
    const present = await Promise.all(candidates.map(isFile));
    return candidates.filter((_, index) => present[index]);
  }
  const path = resolve(baseDir, run.path);
  if (await isFile(path)) return [path];
  const message = `Expected a file, but there is none at "${run.path}". Relative paths start at the config file's folder.`;
  throw validationError([{ pointer: '/run/path', message }]);
}
