import { randomUUID } from 'node:crypto';
import {
  asId,
  defined,
  type HostError,
  isHostError,
  type Owner,
  type ScorerName,
  type ScorerPin,
  validationError,
} from '@touchstone/protocol';
import {
  agentDigest,
  type Environment,
  fillIn,
  type ModuleAgent,
  needsVariables,
  type OpenScorer,
  openScorer,
  type ScorerSpec,
} from '../../agents/index.js';
import type { Clock, Scorer } from '../../ports/index.js';

export type ScorerParts = {
  readonly specs: Map<string, ScorerSpec>;
  readonly baseDir: string;
  readonly clock: Clock;
  /** What `${NAME}` in an entry stands for. */
  readonly env: Environment;
  /** Functions of this program by the names they were handed over with. */
  readonly functions: Map<string, ModuleAgent>;
  /** Of modules on a host; without a limit they live in a thread. */
  readonly memoryMb?: number;
  /** Whether all keys of this host belong to this tenant, so that a scorer without `tenants` may be used by it. */
  readonly isOnlyTenant: (tenant: string) => boolean;
};

/** The programs of the operator that decide criteria. */
export type Scorers = {
  /** Pins the scorers that a suite names to the files they are made of now. */
  pin(owner: Owner, names: readonly string[]): Promise<readonly ScorerPin[]>;
  /** The scorers of a run by their names. Each starts when it is first asked. */
  open(pins: readonly ScorerPin[]): ReadonlyMap<string, Scorer>;
  /** Registers a function of this program as a scorer, in place of any other of this name. */
  useFunction(name: string, score: ModuleAgent): void;
  /** Fails with the reason why a scorer of the configuration cannot be used, whomever it is for. */
  check(name: string): Promise<void>;
  /** Whether one of them is a function of this program. */
  hasFunction(names: readonly string[]): boolean;
};

export function createScorers(parts: ScorerParts): Scorers {
  return {
    async pin(owner, names) {
      const granted = names.map((name) => grantedScorer(parts, owner, name));
      return Promise.all(granted.map((spec) => pinOf(spec, parts)));
    },
    useFunction(name, score) {
      const run = { kind: 'function', name: randomUUID() } as const;
      parts.functions.set(run.name, score);
      parts.specs.set(name, { name: asId<ScorerName>(name), run });
    },
    async check(name) {
      const spec = parts.specs.get(name);
      if (spec) await pinOf(spec, parts);
    },
    hasFunction: (names) => names.some((name) => parts.specs.get(name)?.run.kind === 'function'),
    open: (pins) => new Map(pins.map((pin) => [pin.name, lazyScorer(pin, () => start(parts, pin))])),
  };
}

function start(parts: ScorerParts, { name, digest }: ScorerPin): Promise<OpenScorer> {
  const { specs, memoryMb, ...rest } = parts;
  const spec = specs.get(name);
  if (!spec) return Promise.reject(new Error('It is not in the configuration any more.'));
  return openScorer(spec, { ...rest, digest, ...defined({ memoryMb }) });
}

/** A run that judges recorded answers again has the verdicts of its scorers already, and starts none. */
function lazyScorer(pin: ScorerPin, open: () => Promise<OpenScorer>): Scorer {
  let opened: Promise<OpenScorer> | undefined;
  return {
    pin,
    async ask(document, signal) {
      opened ??= open();
      const scorer = await opened.catch(String);
      if (typeof scorer === 'string') return { kind: 'failed', reason: scorer.replace(/^Error: /, '') };
      return scorer.ask(document, signal);
    },
    close: () => void opened?.then((scorer) => scorer.close()).catch(() => undefined),
  };
}

/** A scorer that is not granted looks like one that does not exist. */
function grantedScorer({ specs, isOnlyTenant }: ScorerParts, { tenant }: Owner, name: string): ScorerSpec {
  const spec = specs.get(name);
  if (spec && (spec.tenants?.includes(tenant) ?? isOnlyTenant(tenant))) return spec;
  const message = `The suite has a check that names the scorer "${name}", and there is none of this name for you. The operator registers scorers under "scorers" of the configuration.`;
  throw validationError([{ pointer: '/evalSuiteRef', message }], { code: 'unknown_scorer', scorer: name });
}

/** The digest is that of the entry as it is written: what its variables hold may be a secret. */
async function pinOf(spec: ScorerSpec, { baseDir, env }: ScorerParts): Promise<ScorerPin> {
  const { name, run, files, evidence } = spec;
  const { value: filled, unset } = fillIn(run, env);
  if (unset.length > 0) throw unusable(name, needsVariables('It', unset));
  const digest = await agentDigest({ run: filled, ...defined({ files }) }, baseDir, {
    run,
    ...defined({ files }),
  }).catch((error) => {
    throw isHostError(error) ? unusable(name, error.message.replace(/^\S+: /, '')) : error;
  });
  return { name, digest, ...(evidence && { evidence: true }) };
}

/** Paths in the message are as the operator wrote them, relative to the configuration. */
function unusable(name: string, reason: string): HostError {
  const why = `The scorer "${name}" cannot be used. ${reason}`;
  return validationError([{ pointer: '/evalSuiteRef', message: why }], { code: 'scorer_unavailable' });
}
