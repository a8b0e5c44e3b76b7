/** What each scope lets its holder do, to be read after “may”. */
const WORDS: { readonly [scope: string]: string } = {
  'runs:create': 'start runs, judge them again and fork them',
  'runs:read': 'read runs, scores, answers, reports and suites',
  'runs:cancel': 'cancel, pause and resume runs',
  'runs:delete': 'remove runs or their content',
  'runs:annotate': 'add remarks and labels to runs',
  'evals:override': 'override a score',
  'webhooks:manage': 'register, list and remove webhooks',
  'baselines:write': 'make a run the baseline of its suite',
  'suites:write': 'install and check suites',
  'agents:write': 'register agents',
  'packs:publish': 'install packs',
  'packs:yank': 'remove and revoke packs',
  'deploy:promote': 'promote versions and change their share',
  'deploy:rollback': 'roll versions back',
  'deploy:pause': 'pause and deprecate versions',
  'approvals:respond': 'answer the questions of waiting runs',
  'artifacts:read': 'read what a waiting run asks about',
  'audit:read': 'read and verify the audit log',
  'keys:read': 'list the keys of the workspace',
  'host:usage': 'read the usage of every tenant',
  'metrics:read': 'read the metrics of the host',
  'manifest:read': 'read workflow definitions',
};
export const ALL_SCOPES: readonly string[] = Object.keys(WORDS);

export const scopeWords = (scope: string): string => WORDS[scope] ?? scope;

/** What `*` does not bring: it reaches beyond the tenant. */
export const isOfHost = (scope: string): boolean => scope.startsWith('host:') || scope === 'metrics:read';
