import { type Issue, validationError } from '@touchstone/protocol';
import type { Suite } from '../ports/index.js';
import { suiteIssues, toSuite } from './parse-suite.js';
import { type SuiteFormat, suiteFileFormat } from './suite-files.js';
import type { Fault } from './text/json-scan.js';
import { readJson } from './text/json-source.js';
import { withPositions } from './text/positions.js';
import { keysIfSound, soundnessIssues } from './text/soundness.js';
import type { Source } from './text/source.js';
import { readYaml } from './text/yaml-source.js';

export type ReadSuiteOptions = {
  readonly format?: SuiteFormat;
  /** Names the file in errors, and the format by its extension when `format` is absent. */
  readonly file?: string;
};

/**
 * Reads a suite as an author wrote it. Throws `validation_error` with everything that is wrong, each with its line and
 * column, in the order of the file. Positions are only worked out once something is wrong.
 */
export function readSuite(text: string, options: ReadSuiteOptions = {}): Suite {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const source = formatOf(body, options) === 'json' ? readJson(body) : readYaml(body);
  const { faults, issues } =
    source.faults.length > 0 ? { faults: source.faults, issues: [] } : inspect(source);
  if (faults.length === 0 && issues.length === 0) return toSuite(source.value);
  const details = options.file === undefined ? {} : { file: options.file };
  throw validationError(withPositions(body, source, faults, issues), details);
}

type Troubles = { readonly faults: readonly Fault[]; readonly issues: readonly Issue[] };

function inspect({ value, repeatedKeys }: Source): Troubles {
  const keys = keysIfSound(value);
  if (keys === undefined) return { faults: [], issues: soundnessIssues(value) };
  return { faults: repeatedKeys(keys), issues: suiteIssues(value) };
}

/** Without a word about it, text that begins like a JSON object is JSON and any other is YAML. */
function formatOf(text: string, { format, file }: ReadSuiteOptions): SuiteFormat {
  const named = format ?? (file === undefined ? undefined : suiteFileFormat(file));
  return named ?? (/^\s*\{/.test(text) ? 'json' : 'yaml');
}
