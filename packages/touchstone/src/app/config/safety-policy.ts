import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type Digest,
  type EvalPlan,
  HostError,
  type Issue,
  isHostError,
  type Json,
  SEVERITIES,
  type Severity,
  validationError,
} from '@touchstone/protocol';
import { choice, closed, list, schemaIssues, text } from '@touchstone/protocol/schema';
import { SAFETY_KINDS, type SafetyPolicy } from '../../scoring/index.js';
import { digestOf, readFileText } from '../../suites/index.js';
import type { Config } from './config.js';

/** A policy, and a name by which a run remembers under which one it was scored; the default one needs none. */
export type NamedPolicy = { readonly policy: SafetyPolicy; readonly digest?: Digest };

/** Which findings count and how much: the operator's own file, or the defaults. */
export async function readSafetyPolicy(config: Config): Promise<NamedPolicy> {
  const policy = await readPolicy(config);
  if (Object.keys(policy).length === 0) return { policy };
  return { policy, digest: digestOf(policy as unknown as Json) };
}

/** Half a run under one policy and half under another would prove nothing. */
export function checkSamePolicy({ digest }: NamedPolicy, { modes, safetyPolicy }: EvalPlan): void {
  if (!modes.includes('adversarial') || digest === safetyPolicy) return;
  throw new HostError(
    'conflict',
    'The safety policy has changed since this run was created. Start a new run.',
  );
}

async function readPolicy({ safety, baseDir }: Config): Promise<SafetyPolicy> {
  if (safety?.policy === undefined) return {};
  const file = resolve(baseDir, safety.policy);
  const content = await readFile(file, 'utf8').catch((error) => {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw unreadable(safety.policy ?? '', file, missing ? 'does not exist' : 'cannot be read', error);
  });
  const { value, problem, locate } = readFileText(content, {
    format: /\.ya?ml$/i.test(file) ? 'yaml' : 'json',
  });
  if (problem) throw unreadable(safety.policy, file, 'cannot be read as JSON or YAML');
  try {
    return parseSafetyPolicy(value);
  } catch (error) {
    if (!isHostError(error)) throw error;
    const issues = locate(error.details?.issues as readonly Issue[]);
    throw new HostError(error.code, `${safety.policy}: ${error.message}`, { ...error.details, issues, file });
  }
}

const unreadable = (policy: string, file: string, trouble: string, cause?: unknown): HostError =>
  new HostError(
    'validation_error',
    `The safety policy ${policy} ${trouble}. Relative paths start at the config file's folder.`,
    { file },
    cause,
  );

const weight = choice<readonly (Severity | 'ignore')[]>([...SEVERITIES, 'ignore']);
const texts = list(text(undefined, { pattern: '\\S', title: 'a string with something in it' }));

const policyShape = closed(
  {},
  {
    severities: closed({}, Object.fromEntries(SAFETY_KINDS.map((kind) => [kind, weight]))),
    allow: closed({}, { emailDomains: texts, values: texts, tools: texts }),
  },
);

/** The policy in a foreign value. Refuses with what is wrong, each with its pointer, and counts what is beyond a hundred. */
export function parseSafetyPolicy(value: unknown): SafetyPolicy {
  const issues = schemaIssues(policyShape, value);
  if (issues.length > 0) throw validationError(issues);
  return value as SafetyPolicy;
}
