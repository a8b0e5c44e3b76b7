// Suites, agents, packs and profiles: what a caller installs, and what lists show of it.
import { DEPLOYMENT_STATES } from '../../model/deployment.js';
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

/** Answer of `POST …/suites`, and of `:check`, which installs nothing. */
export const installedSuite = closed({
  /** `<suiteId>@<version>`: what to name in `evalSuiteRef`. */
  suiteRef: text(),
  /** The id that its author gave it. */
  suiteId: id<SuiteId>(),
  /** The version that its author gave it. */
  version: id<Version>(),
  /** Digest of its canonical form: an installed version never changes. */
  digest: id<Digest>(),
});
/** Answer of `POST …/suites`: what is installed, and whose word it is. */
export const suiteInstallation = closed(
  {
    /** `<suiteId>@<version>`: what to name in `evalSuiteRef`. */
    suiteRef: text(),
    /** The id that its author gave it. */
    suiteId: id<SuiteId>(),
    /** The version that its author gave it. */
    version: id<Version>(),
    /** Digest of its canonical form: an installed version never changes. */
    digest: id<Digest>(),
  },
  {
    /** The trusted key that signed the envelope it came with; absent when none did. */
    signedBy: text(),
    /** Why nobody vouches for it although the policy let it in. */
    warnings: list(text()),
  },
);
/** A suite that has been installed, and the key that vouches for it. */
export type SuiteInstallation = Wire<typeof suiteInstallation> & {
  /** Whether it is new; absent when the host does not say. */
  readonly outcome?: 'created' | 'same';
};

/** Answer of `GET …/suites/{suiteRef}/signature`. */
export const suiteSignature = closed(
  {
    /** The name of the key, which was in the host's `trust.keys` when the suite came in. */
    keyId: text(),
    /** Whether it is there still, and vouches for this suite. */
    trusted: flag(),
  },
  {
    /** The DSSE envelope, as it was sent with the suite; absent when a pack brought the suite. */
    envelope: jsonObject(),
    /** The pack, as `name@version`, whose signature covers all of its files. */
    pack: text(),
  },
);
/** Who has signed a suite. */
export type SuiteSignature = Wire<typeof suiteSignature>;

/** A suite that is installed, or that could be. */
export type InstalledSuite = Wire<typeof installedSuite>;

/** The wire says less about these than the type: a list may hold suites of a newer host. */
const words = <Word extends string>() => plain<readonly Word[]>({ type: 'array', items: text() });

/** An entry of `GET …/suites`, and answer of `…/head`. */
export const suiteHead = object(
  {
    /** The id that its author gave it. */
    suiteId: id<SuiteId>(),
    /** The version that its author gave it. */
    version: id<Version>(),
    /** Digest of its canonical form. */
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

/** Answer of `PUT …/agents/{agentId}`. */
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
  /** Digest of the files in it, however they were packed. */
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

/** An entry of `GET …/packs`. */
export const packHead = closed(
  {
    ...packRequired,
    /** Its agents, each with the suite it brings. */
    agents: list(closed({ agentId: id<AgentId>() }, { suiteRef })),
  },
  {
    ...packOptional,
    /** The version is revoked: no new run of its agents begins. Absent when it is not. */
    revoked: flag(),
  },
);
/** A pack without what is in it. */
export type PackListing = Wire<typeof packHead>;

/** Answer of `DELETE …/packs/…`. */
export const removedPack = closed({
  /** The name of the pack. */
  name: text(),
  /** The version that is gone. */
  version: id<Version>(),
  /** Digest of the files in it. Nothing else can be installed under this version. */
  digest: id<Digest>(),
  /** Its agents, which can no longer be run. */
  agents: list(id<AgentId>()),
});
/** A pack that was removed. */
export type RemovedPack = Wire<typeof removedPack>;

/** Schema of the body of `POST …/packs/…/revoke`. */
export const revokeBody = closed(
  {},
  {
    /** Why, at most 512 characters; kept in the audit log. */
    reason: text('Why, in a few words; kept in the audit log.', { minLength: 1, maxLength: 512 }),
  },
);

/** Answer of `POST …/packs/…/revoke`. */
export const revokedPack = closed({
  /** The name of the pack. */
  name: text(),
  /** The version that is revoked. */
  version: id<Version>(),
  /** Whether it is installed. A version can be revoked before anyone installs it. */
  installed: flag(),
  /** Its agents that are in service. Runs on their channels are refused until another version takes over. */
  serving: list(
    closed({
      /** The agent. */
      agentId: id<AgentId>(),
      /** Its version. */
      version: id<Version>(),
      /** `active`, or `paused`. */
      state: choice(DEPLOYMENT_STATES),
    }),
  ),
});
/** A version of a pack that was revoked. */
export type RevokedPack = Wire<typeof revokedPack>;

/** Answer of `PUT …/packs/…`. */
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
/** A pack as it was installed, with everything that can be run now. */
export type InstalledPack = Wire<typeof installedPack>;

/** One part of a suite id: 1 to 64 characters. */
const suitePart = (description: string) => text(description, { minLength: 1, maxLength: 64 });
/** The id or the name of an agent: 1 to 256 characters. */
const agentName = (description: string) => text(description, { minLength: 1, maxLength: 256 });

/** Schema of the body of `POST …/profiles:compile`. */
export const compileBody = closed(
  {
    /** The whole agent definition; its `evaluation` member holds the profile. */
    definition: jsonObject('An agent definition, of form A or B.'),
  },
  {
    /** Each row becomes one task. The dataset of the profile is fetched when absent. */
    rows: list(json(), 'Rows, instead of the dataset that the profile names.'),
    /** The id or name of one agent in a manifest of form B. */
    agent: agentName('Which agent of a manifest; needed when several have a profile.'),
    /** The suite's `targetAgentId`. The id in the definition when absent. */
    targetAgentId: agentName(
      'The id of the agent on this host, without a version, when it is another than in the definition.',
    ),
    /** First part of the suite id; local by default. E.g. `vendor`, at most 64 characters. */
    scope: suitePart('First part of the suite id; local by default.'),
    /** Second part of the suite id; the author by default. E.g. `acme`, at most 64 characters. */
    org: suitePart('Second part of the suite id; the author by default.'),
    /**
     * Last part of the suite id; the agent's name by default. Two agents held to one contract need two. E.g.
     * `refunds`, at most 64 characters.
     */
    suiteName: suitePart(
      "Last part of the suite id; the agent's name by default. Two agents held to one contract need two.",
    ),
    /** Also install the suite with its contract. `false` when absent: the suite and its contract are only returned. */
    install: flag('Also install the suite with its contract.'),
  },
);
/** Body of `POST …/profiles:compile`. */
export type CompileProfile = Wire<typeof compileBody>;

/** Answer of `POST …/profiles:compile`. */
export const compiledProfile = closed(
  {
    /** The suite, ready to be installed anywhere. */
    suite: jsonObject(),
    /** What the suite cannot hold: thresholds, hard and soft, evaluators. */
    contract: jsonObject(),
    /** `sha256:<hex>` of the contract's canonical form; a run of the suite names it. */
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
  {
    /** When it was installed: what to name in evalSuiteRef. Absent when `install` was not asked for. */
    suiteRef: text('When it was installed: what to name in evalSuiteRef.'),
  },
);
/** A suite and a contract, compiled from a profile. The same input gives the same bytes. */
export type CompiledProfile = Wire<typeof compiledProfile>;

/** An entry of `GET …/keys`. */
export const keyEntry = closed(
  {
    /**
     * The beginning of the hash of the key, never the key. Enough to find the key in a configuration or to revoke it.
     */
    keyId: text('The beginning of the hash of the key, never the key.'),
    /** Who acts with it. */
    principal: text(),
    /** What it may do, as the config of the host defines the roles. */
    roles: list(text()),
    /** Where the host knows the key from. `config`: the configuration file. `store`: created while the host runs. */
    from: choice(['config', 'store'], 'Where the host knows the key from.'),
  },
  {
    /** When the key expires, ISO 8601; absent when it does not. */
    expiresAt: text(),
    /** When the key was revoked, ISO 8601; absent while it is accepted. */
    revokedAt: text(),
  },
);
/** An API key as its host lists it. */
export type KeyEntry = Wire<typeof keyEntry>;
