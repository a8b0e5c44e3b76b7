// A judge as an artifact that travels: everything that decides what is asked, and nothing that is of one host.

import type { Issue } from '../../model/errors.js';
import type { Digest, Version } from '../../model/ids.js';
import { JUDGE_ID, JUDGE_VERSION } from '../../model/judge-reference.js';
import { MODEL_CLASSES } from '../../model/modes.js';
import { isObject } from '../../values/object.js';
import {
  choice,
  closed,
  constant,
  either,
  flag,
  id,
  integer,
  list,
  number,
  ours,
  plain,
  ruled,
  text,
  type Wire,
} from '../schema/build.js';
import { issueAt } from '../schema/check.js';
import { REASONING_EFFORTS } from './parts.js';

/** Longer orders are a document that no model keeps to. */
const MAX_TEXT = 16_384;
const prose = (description: string) => text(description, { minLength: 1, maxLength: MAX_TEXT });

/** What a place of the question stands for. */
const PLACES = ['input', 'output', 'materials', 'criteria'] as const;

const part = ruled(
  closed(
    {},
    {
      /** Words of the judge's author, as they are. */
      text: prose('Words of the judge’s author, as they are.'),
      /** What stands here, as data. */
      place: choice(PLACES, 'What stands here, as data.'),
      /** Names the data in its marker; `asked` and `answered` when absent. Only input and output have one. */
      name: text('Names the data in its marker; asked and answered when absent.', {
        pattern: '^[a-z]+( [a-z]+){0,3}$',
        maxLength: 32,
      }),
    },
  ),
  (value) =>
    issueAt(
      '',
      Object.hasOwn(value, 'text') === Object.hasOwn(value, 'place') && 'expected either "text" or "place"',
    ),
);
/** One part of the message to a judge. */
export type QuestionPart =
  /** Words of its author. */
  | { readonly text: string }
  /** Data, in a block of its own. */
  | { readonly place: (typeof PLACES)[number]; readonly name?: string };

const question = closed({
  /** The standing orders. */
  system: prose('The standing orders of the judge.'),
  /** The message, part by part, each on lines of its own. */
  user: list(plain<QuestionPart>(part), 'The message, part by part.', {
    minItems: 2,
    maxItems: 32,
  }),
});

const parameters = closed(
  {},
  {
    temperature: number('The sampling temperature.', { minimum: 0, maximum: 2 }),
    topP: number('The share of the probability that tokens are drawn from.', { minimum: 0, maximum: 1 }),
    maxTokens: integer('The most tokens of one answer.', { minimum: 1, maximum: 100_000 }),
    seed: integer('Asks the provider for the same answer to the same question.'),
    reasoningEffort: choice(REASONING_EFFORTS),
  },
);

const shape = closed(
  {
    /** Its name, of at least three parts. */
    judgeId: text('Its name, of at least three parts.', { pattern: JUDGE_ID, maxLength: 200 }),
    /** Its version. Another content is another version. */
    version: id<Version>('Its version. Another content is another version.', { pattern: JUDGE_VERSION }),
    /** What kind of model it asks, or a name that hosts map to a model. Never an address. */
    model: either(
      closed({ class: choice(MODEL_CLASSES, 'A class of models that the host maps to one of its own.') }),
      closed({
        name: text('A name that the host maps to a model.', {
          pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._:-]*)*$',
          maxLength: 200,
        }),
      }),
    ),
    /** What it asks. */
    question,
    /** The form in which it has to answer. */
    answer: closed(
      { form: constant('verdicts/1') },
      { reason: flag('Whether each verdict has a reason, which comes before it; so it is when absent.') },
    ),
    /** How often it is asked about each task. */
    votes: integer('How often it is asked about each task.', { minimum: 1, maximum: 25 }),
    /** How the votes make a verdict. */
    aggregation: choice(['majority', 'unanimous'], 'How the votes make a verdict.'),
  },
  {
    /** What it is for, for people. It is asked nowhere. */
    description: text('What it is for, for people. It is asked nowhere.', { maxLength: 2_000 }),
    /** How the model is asked; temperature 0 when absent. */
    parameters,
    /** The labels its author measured it with, and what it should reach on them. */
    calibration: closed(
      { labels: id<Digest>('Digest of the labels.', { pattern: '^sha256:[0-9a-f]{64}$' }) },
      { minKappa: number('The kappa that it should reach on them.', { minimum: -1, maximum: 1 }) },
    ),
  },
);

/** A portable judge. Its RFC 8785 digest is its identity. */
export const portableJudge = {
  ...ruled(shape, judgeIssues),
  ...ours(
    'judge',
    'Portable judge',
    'A judge as a file: what it asks, of which kind of model, in which form it answers, and how votes make a verdict.',
  ),
};
/** A judge as an artifact that travels from host to host. */
export type PortableJudge = Wire<typeof shape>;

/** What the schema of each part cannot say. Messages never quote the words. */
function judgeIssues({ question }: Partial<PortableJudge>): readonly Issue[] {
  const { system, user } = (isObject(question) ? question : {}) as Partial<PortableJudge['question']>;
  if (typeof system !== 'string' || !Array.isArray(user) || !user.every(isObject)) return [];
  return questionIssues(system, user as unknown as readonly QuestionPart[]);
}

function questionIssues(system: string, user: readonly QuestionPart[]): readonly Issue[] {
  const counted = (wanted: (typeof PLACES)[number]): number =>
    user.filter((part) => 'place' in part && part.place === wanted).length;
  const names = user.flatMap((part) => ('place' in part && part.name !== undefined ? [part.name] : []));
  return [
    ...(['output', 'criteria'] as const).flatMap((wanted) =>
      issueAt(
        '/question/user',
        counted(wanted) === 0 &&
          `expected a part {"place": "${wanted}"}; without it there is nothing to judge`,
      ),
    ),
    ...PLACES.flatMap((wanted) =>
      issueAt(
        '/question/user',
        counted(wanted) > 1 && `expected "${wanted}" once; it is there ${counted(wanted)} times`,
      ),
    ),
    ...issueAt(
      '/question/user',
      new Set(names).size < names.length && 'expected different names for input and output',
    ),
    ...textIssues('/question/system', system),
    ...user.flatMap((part, at) => partIssues(part, `/question/user/${at}`)),
  ];
}

function partIssues(part: QuestionPart, pointer: string): readonly Issue[] {
  if ('text' in part) return typeof part.text === 'string' ? textIssues(`${pointer}/text`, part.text) : [];
  const mayName = part.place === 'input' || part.place === 'output';
  return [
    ...issueAt(`${pointer}/name`, part.name !== undefined && !mayName && 'only input and output have a name'),
    ...issueAt(
      `${pointer}/name`,
      /^end\b/.test(String(part.name ?? '')) && 'expected another name: "end" closes data',
    ),
  ];
}

const textIssues = (pointer: string, words: string): readonly Issue[] => [
  ...issueAt(
    pointer,
    /\{\{|\$\{|<%/.test(words) &&
      'places are parts of the list and are not filled into text; leave out {{, ${ and <%',
  ),
  ...issueAt(
    pointer,
    /(^|[\n\r\v\f\u0085\u2028\u2029])\s*---/.test(words) && 'no line may begin with ---, which marks data',
  ),
  ...issueAt(
    pointer,
    /(?![\n\r\t])[\p{Cc}\p{Cf}]/u.test(words) &&
      'expected text without control characters and invisible ones',
  ),
];

/** A portable judge in a list. */
export const judgeListing = closed({
  /** `<judgeId>@<version>` */
  judgeRef: text('<judgeId>@<version>'),
  /** Its name. */
  judgeId: text(),
  /** Its version. */
  version: id<Version>(),
  /** Of all of it, by RFC 8785: equal digests are the same judge. */
  digest: id<Digest>('Of all of it, by RFC 8785: equal digests are the same judge.'),
});
/** A portable judge in a list. */
export type JudgeListing = Wire<typeof judgeListing>;

/** Answer of `GET …/judges`. */
export const judgeList = closed({
  /** The host's judges first, then the caller's own. */
  items: list(judgeListing),
});
