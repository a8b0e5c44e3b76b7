import {
  type EvalPlan,
  HOST_OWNER,
  HostError,
  isHostError,
  type JudgeIdentity,
  type Owner,
  type PortableJudge,
} from '@touchstone/protocol';
import { createAskModel, type Models, withResponses } from '../../agents/index.js';
import type { Clock, Judge, Store } from '../../ports/index.js';
import { createModelJudge, judgeIdentity, portableIdentity } from '../../scoring/index.js';
import type { Config } from '../config/config.js';
import type { JudgeCatalogue } from './judge-catalogue.js';

/** Which judge is wanted. */
export type JudgeChoice = {
  readonly model?: string | undefined;
  readonly votes?: number;
  /** Whether it is shown more than question and answer. */
  readonly withData?: boolean | undefined;
};
export type JudgeDecision = JudgeIdentity | { readonly issue: string };

/** Where judges come from. A judge is the host's: which provider it is asked through is not for a tenant to be granted. */
export type Judges = {
  /** The configured judge, or another model in its place; undefined when none is configured and none was named. */
  /** The model that looks at the answers of adversarial runs, if one is configured. */
  chooseForSafety(): JudgeDecision | undefined;
  choose(wanted?: JudgeChoice): JudgeDecision | undefined;
  /** A portable judge, by `<judgeId>@<version>` or `<judgeId>`; what keeps it from being asked is the issue. */
  choosePortable(owner: Owner, reference: string, withData?: boolean): Promise<JudgeDecision>;
  /** The portable judge that the configuration names for runs that name none. */
  readonly configured?: string;
  /** For a run of this owner: what its judge is remembered to have said is the owner's own. */
  open(owner: Owner, identity: JudgeIdentity, plan: Pick<EvalPlan, 'cache'>): Promise<Judge>;
};

type JudgeParts = {
  readonly config: Config;
  readonly models: Models;
  readonly store: Store;
  readonly clock: Clock;
  readonly holdsSecret: (text: string) => boolean;
  readonly catalogue: JudgeCatalogue;
  /** The operator at the machine may use any of its models. */
  readonly origin: 'host' | 'cli';
};

export function createJudges(parts: JudgeParts): Judges {
  const { config, models, store, clock, holdsSecret, catalogue } = parts;
  const identify = ({ model, votes = 1, withData }: JudgeChoice): JudgeDecision | undefined => {
    if (model === undefined) return undefined;
    const choice = models.choose(HOST_OWNER, { name: model });
    if (choice.kind === 'none') return { issue: choice.reason };
    const { provider, model: named } = choice.pin;
    const issue = endpointIssue(models, provider);
    if (issue !== undefined) return { issue };
    const identity = judgeIdentity(provider, named, votes, withData);
    return choice.mock ? { ...identity, mock: true } : identity;
  };
  return {
    choose: ({ model = config.judge?.model, votes = config.judge?.votes ?? 1, withData } = {}) =>
      identify({ model, votes, withData }),
    choosePortable: (owner, reference, withData) => choosePortable(parts, owner, reference, withData),
    ...(config.judge?.portable !== undefined && { configured: config.judge.portable }),
    chooseForSafety: () => identify({ model: config.safety?.judge }),
    async open(owner, identity, { cache }) {
      const { provider, model: name } = identity;
      const model = await models.open(HOST_OWNER, { provider, model: name }).catch(cannotOpen);
      const asked = cache ? withResponses(model, store.responses, owner, clock, holdsSecret) : model;
      const portable = identity.portable && (await pinned(catalogue, owner, identity));
      const { ask, close } = createAskModel(asked, clock, portable ? portable.parameters : undefined);
      return createModelJudge(identity, ask, close, portable || undefined);
    },
  };
}

/**
 * The model of a host's judge is the operator's choice. A tenant's judge names a class or a name that this host maps, and may ask
 * only what the tenant may ask.
 */
async function choosePortable(
  { catalogue, models, origin }: JudgeParts,
  owner: Owner,
  reference: string,
  withData: boolean | undefined,
): Promise<JudgeDecision> {
  const found = await catalogue.find(owner, reference);
  if (!found) return { issue: `There is no judge ${shown(reference)} here. Install it, or name another.` };
  const judge = found.judge.judge as unknown as PortableJudge;
  const name = `${judge.judgeId}@${judge.version}`;
  if (withData && !judge.question.user.some((part) => 'place' in part && part.place === 'materials'))
    return { issue: `Judge ${name} has no place for materials, and criteria of the suite show it some.` };
  const holder = found.owner === HOST_OWNER || origin === 'cli' ? HOST_OWNER : owner;
  const { model } = judge;
  const wanted = 'class' in model ? { modelClass: model.class } : { name: model.name };
  const choice = models.choose(holder, wanted);
  if (choice.kind === 'none') return { issue: `Judge ${name} cannot be asked. ${choice.reason}` };
  const issue = endpointIssue(models, choice.pin.provider);
  if (issue !== undefined) return { issue };
  const identity = portableIdentity(choice.pin.provider, choice.pin.model, judge, found.judge.digest);
  return choice.mock ? { ...identity, mock: true } : identity;
}

/** A caller's words are shown only when they have the form of a name. */
const shown = (reference: string): string =>
  /^[a-z0-9.@-]{1,250}$/.test(reference) ? reference : 'of this name';

async function pinned(catalogue: JudgeCatalogue, owner: Owner, { promptDigest, portable }: JudgeIdentity) {
  const judge = await catalogue.pinned(owner, promptDigest);
  if (judge) return judge;
  throw new HostError('conflict', `The judge ${portable} of the run is not kept here as it was.`);
}

/** A judge without its credential could never answer; better to say so before there is a run. */
function endpointIssue(models: Models, provider: string): string | undefined {
  try {
    models.endpoint(HOST_OWNER, provider);
    return undefined;
  } catch (error) {
    if (isHostError(error)) return error.message;
    throw error;
  }
}

/** What keeps a judge from being opened will keep it from being opened again: the run that waits for it has to end. */
function cannotOpen(error: unknown): never {
  if (isHostError(error) && error.code === 'validation_error')
    throw new HostError('conflict', `The judge cannot be asked. ${error.message}`);
  throw error;
}
