import { readHeaders, readUrl } from './http-members.js';
import { type ObjectReader, present } from './object-reader.js';

/** Who wrote a spec. The operator owns the machine; a tenant only gets as far as a guarded URL. */
export type SpecSource = 'operator' | 'tenant';

type Timed = { readonly timeoutMs?: number };
export type ModuleRun = Timed & { readonly kind: 'module'; readonly path: string; readonly export?: string };
export type CommandRun = Timed & {
  readonly kind: 'command';
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
};
export type HttpRun = Timed & {
  readonly kind: 'http';
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
};
export type ScriptedRun = Timed & { readonly kind: 'scripted'; readonly path: string };
export type RunSpec = ModuleRun | CommandRun | HttpRun | ScriptedRun;

export const DEFAULT_TIMEOUT_MS = 60_000;
const DAY_MS = 86_400_000;

const KINDS = ['module', 'command', 'http', 'scripted'] as const;
const TENANT_KINDS = ['http'] as const;
const OPERATOR_ONLY = ['path', 'export', 'command', 'args', 'cwd', 'env', 'apiKeyEnv'];

export function readRun(reader: ObjectReader, from: SpecSource): RunSpec | undefined {
  reader.require('kind');
  const kinds: readonly RunSpec['kind'][] = from === 'tenant' ? TENANT_KINDS : KINDS;
  const kind = reader.choice('kind', kinds);
  const timeoutMs = reader.number('timeoutMs', { min: 1, max: DAY_MS, whole: true });
  if (from === 'tenant') refuseOperatorMembers(reader);
  if (kind === undefined) return undefined;
  const run = readKind[kind](reader);
  reader.finish();
  return { ...run, ...(timeoutMs !== undefined && { timeoutMs }) };
}

/** These run code or read files and secrets of the machine, which are not a tenant's to name. */
function refuseOperatorMembers(reader: ObjectReader): void {
  for (const name of OPERATOR_ONLY) {
    if (reader.has(name)) reader.refuse(name, "Only the operator's configuration may set this member.");
  }
}

const readKind: { readonly [K in RunSpec['kind']]: (reader: ObjectReader) => RunSpec } = {
  module(reader) {
    reader.require('path');
    return present<ModuleRun>({
      kind: 'module',
      path: reader.text('path'),
      export: reader.text('export', { max: 256 }),
    });
  },
  command(reader) {
    reader.require('command');
    return present<CommandRun>({
      kind: 'command',
      command: reader.text('command'),
      args: readArguments(reader),
      cwd: reader.text('cwd'),
      env: reader.textMap('env'),
    });
  },
  http(reader) {
    reader.require('url');
    return present<HttpRun>({ kind: 'http', url: readUrl(reader, 'url'), headers: readHeaders(reader) });
  },
  scripted(reader) {
    reader.require('path');
    return present<ScriptedRun>({ kind: 'scripted', path: reader.text('path') });
  },
};

/** An argument may be empty, which other texts may not. */
function readArguments(reader: ObjectReader): readonly string[] | undefined {
  return reader.list('args')?.flatMap((item, index) => {
    if (typeof item === 'string') return [item];
    reader.issues.push({ pointer: `${reader.at('args')}/${index}`, message: 'Expected a string.' });
    return [];
  });
}
