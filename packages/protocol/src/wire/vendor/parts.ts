// Small shapes that several of our own documents share.
import type {
  AgentId,
  Digest,
  JudgeReference,
  ModelName,
  RunId,
  ScorerName,
  Version,
} from '../../model/ids.js';
import {
  choice,
  closed,
  count,
  fraction,
  id,
  integer,
  list,
  mark,
  number,
  plain,
  text,
  type Wire,
} from '../schema/build.js';

/** A run by its id, 1 to 128 characters. */
export const runId = (description?: string) => id<RunId>(description, { minLength: 1, maxLength: 128 });

/** Lower and upper end, both included. */
export type Interval = readonly [number, number];

const pair = (item: object, description: string) =>
  plain<Interval>({ type: 'array', items: item, minItems: 2, maxItems: 2, description });

/** The ends of a 95 % interval of a share or a mean score. */
export const interval = pair(fraction(), 'Lower and upper end of the 95 % interval.');

/** A difference of two scores; negative is worse. */
export const change = (description?: string) => number(description, { minimum: -1, maximum: 1 });
/** The ends of the 95 % interval of a difference of two scores. */
export const changeInterval = (description: string) => pair(change(), description);

/** A part of a list, and where the next one begins. */
export const page = <Item extends Parameters<typeof list>[0]>(items: Item) =>
  closed({ items: list(items) }, { nextCursor: text() });

/** The agent that a document is about. */
export const agentVersion = closed({
  /** Its id on this host. */
  agentId: id<AgentId>(),
  /** The version that ran, or that was bound. */
  version: id<Version>(),
  /** Digest of the agent's bytes: equal digests are the same agent. */
  digest: id<Digest>(),
});

/** The efforts that providers tell apart. Which of them a model knows is for its provider to say. */
export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

const parameterMembers = {
  /** The sampling temperature. */
  temperature: number(),
  /** The share of the probability that tokens are drawn from. */
  topP: number(),
  /** The most tokens of one answer. */
  maxTokens: count(),
  /** Asks the provider for the same answer to the same question. */
  seed: integer(),
  /** Texts at which the answer ends. */
  stop: list(text()),
  /** How much tokens are avoided that the answer has often. */
  frequencyPenalty: number(),
  /** How much tokens are avoided that the answer has at all. */
  presencePenalty: number(),
  /** How much the model thinks before it answers. */
  reasoningEffort: choice(REASONING_EFFORTS),
};
const modelParameters = closed({}, parameterMembers);
/** How a model is asked. An absent member leaves it to the provider. */
export type ModelParameters = Wire<typeof modelParameters>;

/** The model a run asks, decided once at create: a changed configuration does not change a run that has begun. */
export const modelPin = closed(
  {
    /** The configured provider that serves the model. */
    provider: id<ModelName>(),
    /** The model, as its provider calls it. */
    model: id<ModelName>(),
  },
  {
    ...parameterMembers,
    /**
     * The model is scripted: its answers were written down beforehand and are evidence of nothing. Absent otherwise.
     */
    mock: mark('Its answers were written down beforehand, so they are evidence of nothing.'),
  },
);
/** The model that a run asks for its agent. */
export type ModelPin = Wire<typeof modelPin>;

const judgeRequired = {
  /** The configured provider that serves the model. */
  provider: id<ModelName>(),
  /** The model, as its provider calls it. */
  model: id<ModelName>(),
  /** How often the model is asked about each criterion, at least 1; the majority decides. */
  votes: integer('How often it is asked about each criterion; the majority decides.', { minimum: 1 }),
  /** Of the instructions that the model is given, which are part of the judge. */
  promptDigest: id<Digest>('Of the instructions the model is given, which are part of the judge.'),
  /** Of provider, model, votes and prompt together: equal digests are the same judge. */
  digest: id<Digest>('Of all of the above: equal digests are the same judge.'),
};
const judgeOptional = {
  /** The judge is scripted: its verdicts were written down beforehand. Absent otherwise. */
  mock: mark('Its verdicts were written down beforehand, so they are evidence of nothing.'),
  /** The portable judge that it is, `<judgeId>@<version>`; `promptDigest` is its digest. Absent for the judge of a configuration. */
  portable: id<JudgeReference>(
    'The portable judge that it is, as <judgeId>@<version>; promptDigest is its digest.',
  ),
};

/** Who judges criteria that are prose. Scores of different judges are different measurements. */
export const judgeIdentity = closed(judgeRequired, judgeOptional);
/** Who judges criteria that are prose, pinned when the run is created. */
export type JudgeIdentity = Wire<typeof judgeIdentity>;

/** A judge, and how often its votes agreed. */
export const judgeInReport = closed(judgeRequired, {
  ...judgeOptional,
  /** The mean share of votes that said the same, from 0 to 1; absent when the judge was asked once. */
  agreement: fraction('The mean share of votes that said the same; absent when it was asked once.'),
});

/** Who plays the user of conversations. Answers to different users are different measurements. */
export const simulatedUser = closed(
  {
    /** The configured provider that serves the model. */
    provider: id<ModelName>(),
    /** The model, as its provider calls it. */
    model: id<ModelName>(),
    /** Of the orders that the model is given, which are part of the user. */
    promptDigest: id<Digest>('Of the orders the model is given, which are part of the user.'),
    /** Of provider, model, parameters and orders together: equal digests are the same user. */
    digest: id<Digest>('Of all of the above, parameters included: equal digests are the same user.'),
  },
  {
    ...parameterMembers,
    /** The user is scripted: what it says was written down beforehand. Absent otherwise. */
    mock: mark('What it says was written down beforehand, so answers to it are evidence of nothing.'),
  },
);
/** Who plays the user of conversations, pinned when the run is created. */
export type SimulatedUser = Wire<typeof simulatedUser>;

/** The model that compares meanings, for contracts that ask for it. */
export const embedderPin = closed({
  /** The configured provider that serves the model. */
  provider: id<ModelName>(),
  /** The model, as its provider calls it. */
  model: id<ModelName>(),
});
/** The model that compares meanings, pinned when the run is created. */
export type EmbedderPin = Wire<typeof embedderPin>;

/** A program of the operator that decides criteria. */
export const scorerPin = closed(
  {
    /** Its name in the operator's configuration. */
    name: id<ScorerName>(),
    /** Of its entry, its files and their relative imports. */
    digest: id<Digest>(),
  },
  {
    /** The operator lets its scores count as evidence for a gate. */
    evidence: mark(),
  },
);
/** A program of the operator that decides criteria, pinned when the run is created. */
export type ScorerPin = Wire<typeof scorerPin>;
