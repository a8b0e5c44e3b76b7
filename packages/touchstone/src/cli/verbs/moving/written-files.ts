import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defined } from '@touchstone/protocol';
import { stringify } from 'yaml';
import { type ImportOutput, reportDocument, reportText } from '../../../importers/index.js';
import { displayPath, placeFile } from '../../files/local-files.js';
import { UsageError } from '../../io.js';

type Target = { readonly folder: string; readonly cwd: string; readonly force: boolean };
type WrittenFiles = {
  readonly suite: string;
  readonly config?: string;
  readonly recorded?: string;
  readonly files: readonly string[];
};

/** Writes everything or nothing: a file that is there stays as it is unless it may be overwritten. */
export function placeImported(imported: ImportOutput, { folder, cwd, force }: Target): WrittenFiles {
  const texts = textsOf(imported);
  const shown = (name: string): string => displayPath(resolve(cwd, folder, name), cwd);
  const there = Object.keys(texts).filter((name) => existsSync(resolve(cwd, folder, name)));
  if (there.length > 0 && !force)
    throw new UsageError(
      `Nothing was written, because this is already there: ${there.map(shown).join(', ')}.`,
      'Name another folder with --out, or add --force to overwrite.',
      'conflict',
    );
  for (const [name, text] of Object.entries(texts)) placeFile(resolve(cwd, folder, name), text, force);
  const placed = (name: string): string | undefined => (name in texts ? shown(name) : undefined);
  const name = nameOf(imported);
  return {
    suite: shown(`${name}.suite.yaml`),
    ...defined({ config: placed(`${name}.config.json`), recorded: placed(RECORDED) }),
    files: Object.keys(texts).map(shown),
  };
}

const RECORDED = 'recorded.jsonl';

/** The last part of the suite id. */
const nameOf = ({ suite }: ImportOutput): string => String(suite.suiteId).split('.').at(-1) ?? 'imported';

function textsOf(imported: ImportOutput): { readonly [name: string]: string } {
  const { suite, config, files, recorded } = imported;
  const name = nameOf(imported);
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  return defined({
    [`${name}.suite.yaml`]: stringify(suite, { lineWidth: 120, aliasDuplicateObjects: false }),
    [`${name}.config.json`]: config && json(config),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [join(path), text])),
    [RECORDED]: recorded.length > 0 ? recorded.map((row) => `${JSON.stringify(row)}\n`).join('') : undefined,
    'import-report.md': reportText(imported),
    'import-report.json': json(reportDocument(imported)),
  }) as { readonly [name: string]: string };
}
