import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { validationError } from '@touchstone/protocol';

/** A document of the operator's, in JSON or YAML by its name. Issues never quote its content. */
export function readDocument(path: string, what: string, pointer: string): unknown {
  try {
    const text = readFileSync(path, 'utf8');
    return /\.ya?ml$/i.test(path) ? parseYaml(text) : JSON.parse(text);
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const problem = missing
      ? 'does not exist. Relative paths start at the folder of the configuration.'
      : 'cannot be read as JSON or YAML.';
    throw validationError([{ pointer, message: `${what} ${problem}` }], { file: path });
  }
}

// Loaded on first use: most runs read no YAML.
function parseYaml(text: string): unknown {
  const require = createRequire(import.meta.url);
  return (require('yaml') as typeof import('yaml')).parse(text);
}
