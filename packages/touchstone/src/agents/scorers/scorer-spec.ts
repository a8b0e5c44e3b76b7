import { asId, type Issue, type ScorerName } from '@touchstone/protocol';
import {
  type AnyObject,
  anyObject,
  closed,
  flag,
  list,
  mapOf,
  ruled,
  schemaIssues,
  text,
  type Wire,
} from '@touchstone/protocol/schema';
import { referenceIssues } from '../environment/fill-in.js';
import { filled, readAs, tenants } from '../spec/members.js';
import {
  type CommandRun,
  type FunctionRun,
  type ModuleRun,
  type PythonRun,
  runIssues,
} from '../spec/run-spec.js';

const settings = closed(
  {},
  {
    /** Patterns of files that belong to the scorer although its program does not import them. */
    files: list(filled()),
    /** Its scores count as evidence for a gate. */
    evidence: flag(),
    /** Whose runs may use it. By default all tenants if the host has only one, and none otherwise. */
    tenants,
  },
);

/** A program of the operator that decides criteria. */
export type ScorerSpec = Wire<typeof settings> & {
  readonly name: ScorerName;
  readonly run: ModuleRun | PythonRun | CommandRun | FunctionRun;
};

const SETTINGS: ReadonlySet<string> = new Set(['files', 'evidence', 'tenants']);

/** The members that say what is run, apart from those that say for whom. */
function split(entry: AnyObject): { readonly run: AnyObject; readonly rest: AnyObject } {
  const members = Object.entries(entry);
  return {
    run: Object.fromEntries(members.filter(([name]) => !SETTINGS.has(name))),
    rest: Object.fromEntries(members.filter(([name]) => SETTINGS.has(name))),
  };
}

function scorerIssues(entry: AnyObject): readonly Issue[] {
  const { run, rest } = split(entry);
  return [...runIssues(run, 'scorer'), ...referenceIssues(run), ...schemaIssues(settings, rest)];
}

const scorerName = text(undefined, {
  pattern: '^[A-Za-z0-9._-]{1,64}$',
  title: '1 to 64 letters, digits, ".", "_" and "-"',
});
const scorersShape = mapOf(ruled(anyObject(), scorerIssues), scorerName);

/** Reads the `scorers` of a configuration; every problem is listed under its pointer. */
export function parseScorers(value: unknown, pointer = '/scorers'): ReadonlyMap<string, ScorerSpec> {
  const entries = Object.entries(readAs(scorersShape, value, { pointer }) as Record<string, AnyObject>);
  return new Map(
    entries.map(([name, entry]) => {
      const { run, rest } = split(entry);
      return [name, { ...rest, name: asId<ScorerName>(name), run } as ScorerSpec];
    }),
  );
}
