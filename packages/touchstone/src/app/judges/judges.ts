import {
  type EvalPlan,
  HOST_OWNER,
  HostError,
  isHostError,
  type JudgeIdentity,
  type Owner,
} from '@touchstone/protocol';
import { createAskModel, type Models, withResponses } from '../../agents/index.js';
import type { Clock, Judge, Store } from '../../ports/index.js';
import { createModelJudge, judgeIdentity } from '../../scoring/index.js';
import type { Config } from '../config/config.js';

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
  /** For a run of this owner: what its judge is remembered to have said is the owner's own. */
  open(owner: Owner, identity: JudgeIdentity, plan: Pick<EvalPlan, 'cache'>): Promise<Judge>;
};

type JudgeParts = {
  readonly config: Config;
  readonly models: Models;
  readonly store: Store;
  readonly clock: Clock;
  readonly holdsSecret: (text: string) => boolean;
};

export function createJudges(parts: JudgeParts): Judges {
  const { config, models, store, clock, holdsSecret } = parts;
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
    chooseForSafety: () => identify({ model: config.safety?.judge }),
    async open(owner, identity, { cache }) {
      const { provider, model: name } = identity;
      const model = await models.open(HOST_OWNER, { provider, model: name }).catch(cannotOpen);
      const asked = cache ? withResponses(model, store.responses, owner, clock, holdsSecret) : model;
      const { ask, close } = createAskModel(asked, clock);
      return createModelJudge(identity, ask, close);
    },
  };
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
