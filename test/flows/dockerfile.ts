import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type Instruction = { readonly name: string; readonly text: string };
export type Stage = {
  readonly from: string;
  readonly as?: string;
  readonly instructions: readonly Instruction[];
};

/** The instructions of the Dockerfile, stage by stage. */
export function readStages(): readonly Stage[] {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const stages: { from: string; as?: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    const [from = '', , as] = text.split(/\s+/);
    if (name === 'FROM') stages.push({ from, ...(as && { as }), instructions: [] });
    else stages.at(-1)?.instructions.push({ name, text });
  }
  return stages;
}

export const listIn = (text: string): readonly string[] => JSON.parse(text) as readonly string[];
