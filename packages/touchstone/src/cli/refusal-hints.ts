import type { HostError } from '@touchstone/protocol';
import type { HostResponseError } from '@touchstone/sdk';
import { commonWords } from '@touchstone/sdk/view';
import type { PlacedIssue } from './files/locate-issues.js';

/** An error that a host answers with, in this process or over HTTP. */
export type Refusal = HostError | HostResponseError;

/** By the member of the request that was refused, or by the code. */
const HINTS: { readonly [key: string]: string } = {
  agentId: 'See the agents of the configuration with: touchstone doctor',
  judge: 'See the models of the configuration with: touchstone doctor',
  'configurable.model': 'See the models of the configuration with: touchstone doctor',
  'configurable.evalModes': 'Choose among the modes with --modes, e.g. --modes golden',
  'configurable.baselineRunId':
    'See the runs that could serve with: touchstone runs --status completed, and hold any two side by side with: touchstone compare',
  no_active_deployment: 'See what serves with: touchstone deployments <agentId>',
  unauthenticated:
    'Check the variable named by --key-env, or make a key on that host with: touchstone keys create',
  key_expired: 'Make a new key on that host with: touchstone keys create',
  key_revoked: 'Make a new key on that host with: touchstone keys create',
  pack_signature_invalid:
    'Have it signed by a key that is trusted there (touchstone pack sign), or add its key to "trust.keys" of the configuration.',
  pack_integrity_failure:
    'Get the archive again from its author. After a change of your own, sign it again with: touchstone pack sign',
};

/** The codes of packs, about a suite. */
const SUITE_HINTS: { readonly [code: string]: string } = {
  pack_signature_invalid:
    'Have it signed by a key that is trusted there (touchstone suite sign), or add its key to "trust.keys" of the configuration.',
  pack_integrity_failure:
    'Get suite and envelope again from their author. After a change of your own, raise the version and sign it with: touchstone suite sign',
};

/** By the code in the details of a refusal to compile a definition. */
const CONTRACT_HINTS: { readonly [code: string]: string } = {
  no_tasks:
    'Name a dataset in "golden_dataset_uri"; or compile with rows of your own: touchstone compile <definition> --rows <file>',
  threshold_out_of_range: 'A threshold is a share: write 0.95 for 95 %.',
  other_agent: 'For example: touchstone run <definition> --agent <agent> --suite-name <name>',
  dataset_unpinned: 'To use it all the same, add --allow-unpinned.',
  judge_unavailable: 'See the models of the configuration with: touchstone doctor',
};

/** The same for the profile of an agent in a pack, which is compiled without options. */
const PACKED_HINTS: { readonly [code: string]: string } = {
  no_tasks: 'Name a file of the pack in "golden_dataset_uri", by its path from the root of the pack.',
  threshold_out_of_range: CONTRACT_HINTS.threshold_out_of_range ?? '',
  dataset_unpinned:
    'Pin it with #sha256=<64 hex digits> at the end of "golden_dataset_uri", or put the rows into the pack.',
  dataset_not_found: 'The path begins at the root of the pack, e.g. evaluation/rows.jsonl',
  scheme_unsupported: 'Put the rows into the pack, and name their path in "golden_dataset_uri".',
};

const OTHER_CONTENT = 'An installed version never changes. Raise "version" in the file and try again.';
const OTHER_AGENT = 'Name that agent with --agent, or add --allow-target-mismatch.';
const PART_OF_DEFINITION =
  'Name a model with --model, or an agent that takes the part of the one that is defined with --agent.';
const OTHER_JUDGE =
  'Rejudge the baseline with: touchstone rejudge <runId>, or compare all the same with --allow-judge-mismatch.';
const OTHER_MEASURE = 'Compare all the same with --allow-judge-mismatch.';
const NO_MODEL = 'Set it in the configuration to "<provider>/<model>", or name a model with --model.';
const NOT_LISTED =
  'Add it to "trust.packs" of the configuration (under the policy "pinned" with its version and integrity), or choose another "trust.policy".';
const BUILD_AGAIN = 'Make the archive again with: touchstone pack build <folder>';
const OTHER_FILE =
  'Change the file in the folder of the pack, and look again with: touchstone pack verify <folder>';
const ANOTHER_JUDGE =
  'Name one for this time with --judge <provider>/<model>. See the models of the configuration with: touchstone doctor';

const UNSET_VARIABLE =
  'Set it in the environment. A run in this process also reads the file .env beside the configuration.';

/** What to do about a refusal, when there is something. */
export function hintFor(error: Refusal): string | undefined {
  const { code, details = {} } = error;
  if (typeof details.commonTasks === 'number') return commonWords(details.commonTasks);
  if (JSON.stringify(details).includes('allowTargetMismatch')) return OTHER_AGENT;
  if (JSON.stringify(details).includes('allowJudgeMismatch'))
    return error.message.includes('the judges’') ? OTHER_JUDGE : OTHER_MEASURE;
  if (details.field === 'agentId' && error.message.includes('modelClasses.')) return NO_MODEL;
  const unmapped = UNMAPPED.exec(aboutAgent(error));
  if (unmapped) return mapHint(unmapped[1] ?? '');
  if (aboutAgent(error).includes('no modelClass')) return PART_OF_DEFINITION;
  if (/environment variable.* not set/.test(aboutAgent(error))) return UNSET_VARIABLE;
  // The same code may be about the caller's key.
  if (code === 'forbidden' && error.message.includes('the trust policy')) return NOT_LISTED;
  // Most conflicts have nothing to do with the content of a version.
  if (code === 'conflict' && error.message.includes('Versions do not change')) return OTHER_CONTENT;
  // The agent is well known, and the message says what to do.
  if (code === 'pack_revoked') return undefined;
  if (code === 'pack_integrity_failure' && typeof details.integrity === 'string')
    return pinHint(details.integrity, details.suite === undefined ? 'archive' : 'suite');
  if (details.suite !== undefined && SUITE_HINTS[code]) return SUITE_HINTS[code];
  const { field } = details;
  if (details.ref !== undefined) return packHint(error);
  if (details.code === 'judge_unavailable' && field === 'judge') return ANOTHER_JUDGE;
  const [contractHint] = codesOf(error).flatMap((one) => CONTRACT_HINTS[one] ?? []);
  if (contractHint !== undefined) return contractHint;
  // Nothing is wrong with the agent that is named; nothing of it serves.
  const place = code === 'no_active_deployment' ? undefined : field;
  const hint = (typeof place === 'string' ? HINTS[place] : undefined) ?? HINTS[code];
  return hint ?? (code.startsWith('tarball_') ? BUILD_AGAIN : undefined);
}

/** About a file that the manifest of a pack names, or that holds the profile of one of its agents. */
function packHint(error: Refusal): string | undefined {
  const { code, details: { ref, path } = {} } = error;
  if (error.status >= 500) return undefined;
  if (ref === 'evaluation') return codesOf(error).flatMap((one) => PACKED_HINTS[one] ?? [])[0] ?? OTHER_FILE;
  if (code === 'tarball_entry_missing')
    return `Name a file by its path from the root of the pack in "${ref}" of pack.json, or add the file.`;
  if (ref === 'evalSuiteRef' && issuesOf(error).length > 0)
    return `See each mistake at its line with: touchstone validate <folder of the pack>/${path}`;
  return OTHER_FILE;
}

type RefusalIssue = PlacedIssue & { readonly code?: string };
export const issuesOf = ({ details }: Refusal): readonly RefusalIssue[] =>
  Array.isArray(details?.issues) ? details.issues : [];

/** Of the whole, and of everything that is wrong. */
const codesOf = (error: Refusal): readonly string[] =>
  [error.details?.code, ...issuesOf(error).map(({ code }) => code)].filter(
    (code) => typeof code === 'string',
  );

const UNMAPPED = /"([^"]+)" is neither a model/;

/** What is said about the agent of a run, if anything is. */
const aboutAgent = (error: Refusal): string =>
  issuesOf(error).find(({ pointer }) => pointer === '/agentId')?.message ?? '';

/** A definition calls its model by a name of its own; which model that is here, only the configuration can say. */
const mapHint = (name: string): string =>
  `Add it to the configuration, "models": {"${name}": "<provider>/<model>"}, or name an agent that takes its part with --agent.`;

/** A new version of a pinned pack looks like a forged one: only its reader can tell which it is. */
const pinHint = (integrity: string, what: 'archive' | 'suite'): string =>
  `If this is the ${what} you mean, put its version and "integrity": "${integrity}" into "trust.packs" of the configuration; if not, get it again from its author.`;
