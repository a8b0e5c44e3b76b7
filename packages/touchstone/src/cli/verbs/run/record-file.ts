import { existsSync, mkdirSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { UsageError } from '../../io.js';
import { wordsOf } from '../../system-errors.js';

const EXTENSIONS = ['.json', '.yaml', '.yml'];

/** Whatever keeps `--record` from writing its file is found out before any task is run. */
export async function checkRecordFile(name: string, cwd: string): Promise<void> {
  const file = resolve(cwd, name);
  if (!EXTENSIONS.includes(extname(file).toLowerCase()))
    throw new UsageError(
      `--record ${name} must end in .json, .yaml or .yml.`,
      'For example: --record evals/recorded.suite.yaml',
    );
  if (existsSync(file))
    throw new UsageError(
      `--record writes no file over another, and ${name} is there.`,
      'Name another file, or remove that one.',
    );
  try {
    mkdirSync(dirname(file), { recursive: true });
    await access(dirname(file), constants.W_OK);
  } catch (error) {
    throw new UsageError(`--record ${name} cannot be written: ${wordsOf(error)}.`, 'Name another file.');
  }
}

/** Only a run whose tools and memory are live has something to write down. */
export function checkLive(modes: readonly string[]): void {
  if (modes.includes('live-shadow')) return;
  throw new UsageError(
    '--record writes down what live tools answered, so it works in mode live-shadow only.',
    'Add --modes live-shadow. The suite has to declare that mode.',
  );
}
