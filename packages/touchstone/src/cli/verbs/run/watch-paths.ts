import { existsSync, readdirSync, statSync, watch } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import type { Config } from '../../../app/index.js';
import { lockFile } from '../../../profiles/index.js';
import { contractBeside } from '../../../suites/index.js';
import { definitionForm, definitionPlaces } from '../../files/definition-file.js';
import { readPackArgument } from '../../files/pack-source.js';
import { suiteFiles } from '../../files/suite-source.js';
import type { Context } from '../../io.js';
import { readConfig } from '../../local.js';
import { readAgentArgument } from './agent-choice.js';
import type { RunOptions } from './run-options.js';

/** What is watched: these files, and everything plain that lies beside an agent's code. */
type Watched = {
  readonly files: readonly string[];
  /** Folders of agents, whose code may be spread over several files. */
  readonly folders: readonly string[];
  /** Written by the run itself, so a change of theirs means nothing. */
  readonly outputs: readonly string[];
};

export function isRelevant(watched: Watched, folder: string, name: string): boolean {
  const path = resolve(folder, name);
  if (watched.outputs.includes(path)) return false;
  if (watched.files.includes(path)) return true;
  return (
    watched.folders.includes(folder) &&
    !name.startsWith('.') &&
    name !== 'node_modules' &&
    !name.endsWith('~')
  );
}

export type FileWatcher = {
  /** Resolves when something has changed since the last call returned, and the changes have settled. */
  changed(signal: AbortSignal): Promise<void>;
  close(): void;
};

const SETTLE_MS = 100;

/** Folders rather than files are watched, because editors save by putting a new file in the place of the old one. */
export function watchFiles(watched: Watched): FileWatcher {
  let dirty = false;
  let wake = (): void => undefined;
  const folders = new Set([...watched.files.map((file) => dirname(file)), ...watched.folders]);
  const watchers = [...folders].map((folder) =>
    watch(folder, (_event, name) => {
      if (name === null || !isRelevant(watched, folder, name)) return;
      dirty = true;
      wake();
    }),
  );
  return {
    async changed(signal) {
      const stop = (): void => wake();
      signal.addEventListener('abort', stop);
      while (!dirty && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      // A save is often several changes; the run starts after the last of them.
      while (dirty && !signal.aborted) {
        dirty = false;
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      }
      signal.removeEventListener('abort', stop);
      signal.throwIfAborted();
    },
    close() {
      for (const one of watchers) one.close();
    },
  };
}

/** Every place whose change may change what a run comes to. */
export async function watchedBy(context: Context, suite: string, options: RunOptions): Promise<Watched> {
  const { cwd } = context.io;
  const config = await readConfig(context).catch(() => undefined);
  const argument = options.agent === undefined ? undefined : readAgentArgument(options.agent, cwd);
  const modules = [
    ...(argument && 'path' in argument ? [argument.path] : []),
    ...(config?.agents ?? []).flatMap(({ run }) =>
      typeof run.path === 'string' ? [resolve(config?.baseDir ?? cwd, run.path)] : [],
    ),
  ];
  const pack = await readPackArgument(suite, cwd).catch(() => undefined);
  const place = pack?.kind === 'place' ? pack.path : undefined;
  const isDefinition = place === undefined && (await definitionForm(suite, cwd)) !== undefined;
  const folders = place === undefined ? [] : foldersBelow(place);
  const suites = (place === undefined && (await suiteFiles(suite, cwd))) || [];
  const named = config?.file ?? (context.settings.config && resolve(cwd, context.settings.config));
  const files = [
    // Seen from the folder it lies in, also while it is away: what is moved or written anew comes back there.
    resolve(cwd, suite),
    ...(isDefinition ? await definitionPlaces(suite, cwd) : []),
    ...suites.flatMap((file) => [file, contractBeside(file)]),
    ...[options.contract, options.prompt].flatMap((file) => (file === undefined ? [] : [resolve(cwd, file)])),
    ...modules,
    ...(named ? [named] : []),
    ...(config ? filesNamedIn(config) : []),
  ];
  return {
    files: files.filter((file) => existsSync(dirname(file))),
    folders: [...new Set([...modules.map(dirname), ...folders])],
    outputs: [options.junit, options.markdown, isDefinition && lockFile(suite)].flatMap((file) =>
      file ? [resolve(cwd, file)] : [],
    ),
  };
}

/** Every folder of a pack, as an archive of it would hold them: its prompts, schemas and suites are all in files. */
function foldersBelow(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [];
  const below = readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .flatMap(({ name }) => foldersBelow(join(path, name)));
  return [path, ...below];
}

/**
 * What in a configuration looks like the name of a file: scripts of models, prompts, schemas, the safety policy. To take
 * something else for one costs nothing, because no such file ever changes.
 */
function filesNamedIn({ agents, providers, safety, tools, mcpServers, baseDir }: NamingFiles): string[] {
  const texts = textsIn([agents, providers, safety, tools, mcpServers]);
  const names = texts.filter(
    (text) => extname(text) !== '' && !/^\w+:\/\//.test(text) && !text.includes('\n'),
  );
  return [...new Set(names.map((name) => resolve(baseDir, name)))];
}

type NamingFiles = Pick<Config, 'agents' | 'providers' | 'safety' | 'tools' | 'mcpServers' | 'baseDir'>;

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
