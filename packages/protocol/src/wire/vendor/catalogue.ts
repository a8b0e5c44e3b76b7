// Suites, agents, packs and profiles: what a caller installs, and what lists show of it.
import type { AgentId, Digest, SuiteId, Version } from '../../model/ids.js';
import type { EVAL_MODES, MODEL_CLASSES } from '../../model/modes.js';
import type { Thresholds } from '../../model/score.js';
import {
  choice,
  closed,
  flag,
  id,
  integer,
  json,
  jsonObject,
  list,
  object,
  plain,
  text,
  type Wire,
} from '../schema/build.js';
import { agentVersion } from './parts.js';

export const installedSuite = closed({
  /** `<suiteId>@<version>`: what to name in `evalSuiteRef`. */
  suiteRef: text(),
  /** The id that its author gave it. */
  suiteId: id<SuiteId>(),
  /** The version that its author gave it. */
  version: id<Version>(),
  /** Of its canonical form: an installed version never changes. */
  digest: id<Digest>(),
});
export type InstalledSuite = Wire<typeof installedSuite>;

/** The wire says less about these than the type: a list may hold suites of a newer host. */
const words = <Word extends string>() => plain<readonly Word[]>({ type: 'array', items: text() });

export const suiteHead = object(
  {
    /** The id that its author gave it. */
    suiteId: id<SuiteId>(),
    /** The version that its author gave it. */
    version: id<Version>(),
    /** Of its canonical form. */
    digest: id<Digest>(),
    /** Those that its author declared. */
    modes: words<(typeof EVAL_MODES)[number]>(),
    /** How many tasks it has. */
    taskCount: integer(),
  },
  {
    /** The agent it was written for; absent when it is for any. */
    targetAgentId: id<AgentId>(),
    /** The classes of model it was written for; absent when it is for any. */
    allowedModels: words<(typeof MODEL_CLASSES)[number]>(),
    /** What a run must reach; absent when the host's defaults decide. */
    thresholds: plain<Thresholds>({ type: 'object' }),
  },
);
/** A suite without its tasks. */
export type SuiteListing = Wire<typeof suiteHead>;

export const boundAgent = agentVersion;

/** An entry of "agents" in the config; the host checks the rest of it by its kind. */
export const agentSpec = jsonObject('An entry of "agents" in the config, of a kind a tenant may bind.');

const packRequired = {
  /** The name in its manifest. */
  name: text(),
  /** The version in its manifest. */
  version: id<Version>(),
  /** SHA-256 of the archive, as `sha256-<base64>`. */
  integrity: text(),
  /** Of the files in it, however they were packed. */
  digest: id<Digest>(),
  /** Whether the signature covers every file. */
  filesSigned: flag(),
};
const packOptional = {
  /** The trusted key that signed it; absent when none did. */
  signedBy: text(),
};
/** `<suiteId>@<version>` of the suite that comes with an agent; absent when it brings none. */
const suiteRef = text();

export const packHead = closed(
  {
    ...packRequired,
    /** Its agents, each with the suite it brings. */
    agents: list(closed({ agentId: id<AgentId>() }, { suiteRef })),
  },
  packOptional,
);
/** A pack without what is in it. */
export type PackListing = Wire<typeof packHead>;

export const installedPack = closed(
  {
    ...packRequired,
    /** Its agents, as they can be run now. */
    agents: list(
      closed({ agentId: id<AgentId>(), version: id<Version>(), digest: id<Digest>() }, { suiteRef }),
    ),
    /** Its suites, as they can be run now. */
    suites: list(installedSuite),
    /** What the host accepted and its publisher should look at. */
    warnings: list(text()),
  },
  packOptional,
);
export type InstalledPack = Wire<typeof installedPack>;

const suitePart = (description: string) => text(description, { minLength: 1, maxLength: 64 });
const agentName = (description: string) => text(description, { minLength: 1, maxLength: 256 });

export const compileBody = closed(
  { definition: jsonObject('An agent definition, of form A or B.') },
  {
    rows: list(json(), 'Rows, instead of the dataset that the profile names.'),
    agent: agentName('Which agent of a manifest; needed when several have a profile.'),
    targetAgentId: agentName(
      'The id of the agent on this host, without a version, when it is another than in the definition.',
    ),
    scope: suitePart('First part of the suite id; local by default.'),
    org: suitePart('Second part of the suite id; the author by default.'),
    suiteName: suitePart(
      "Last part of the suite id; the agent's name by default. Two agents held to one contract need two.",
    ),
    install: flag('Also install the suite with its contract.'),
  },
);
/** Body of `POST …/profiles:compile`. */
export type CompileProfile = Wire<typeof compileBody>;

export const compiledProfile = closed(
  {
    /** The suite, ready to be installed anywhere. */
    suite: jsonObject(),
    /** What the suite cannot hold: thresholds, hard and soft, evaluators. */
    contract: jsonObject(),
    digest: id<Digest>('Of the contract.'),
    /** What was accepted and the author should look at. */
    warnings: list(
      closed(
        {
          /** What sort of warning it is, for programs. */
          code: text(),
          /** The same for people. */
          message: text(),
        },
        {
          /** Where in the definition or in the rows. */
          pointer: text(),
          /** Its line, when the caller sent text. */
          line: integer(),
        },
      ),
    ),
  },
  { suiteRef: text('When it was installed: what to name in evalSuiteRef.') },
);
export type CompiledProfile = Wire<typeof compiledProfile>;

export const keyEntry = closed(
  {
    keyId: text('The beginning of the hash of the key, never the key.'),
    /** Who acts with it. */
    principal: text(),
    /** What it may do, as the config of the host defines the roles. */
    roles: list(text()),
    from: choice(['config', 'store'], 'Where the host knows the key from.'),
  },
  {
    /** Absent when it does not expire. */
    expiresAt: text(),
    /** Absent while it is accepted. */
    revokedAt: text(),
  },
);
/** An API key as its host lists it. */
export type KeyEntry = Wire<typeof keyEntry>;
