import { type Issue, isObject, type Json } from '@touchstone/protocol';
import {
  closed,
  jsonObject,
  list,
  object,
  type Schema,
  schemaIssues,
  text,
  type Wire,
} from '@touchstone/protocol/schema';
import { filled } from '../../spec/members.js';
import { MOST_TURNS, turnCount } from '../../spec/turn-count.js';
import type { ChatMessage } from '../../templates/variables.js';

const words = filled(64 * 1024);
const turnsShape = closed({ turns: list(words, undefined, { minItems: 1, maxItems: MOST_TURNS }) });
const userShape = closed({
  user: closed({ opening: words, goal: words }, { persona: words, knows: jsonObject(), maxTurns: turnCount }),
});
const messagesShape = closed({
  messages: list(object({ role: filled(64), content: text() }), undefined, { minItems: 1 }),
});

/** Whom the simulated user is to play, and what it wants. */
export type UserTask = Wire<typeof userShape>['user'];

/** What is said before the agent answers first, and where the user's next words come from. */
export type ConversationInput = {
  readonly history: readonly ChatMessage[];
  /** Fixed, or only the opening where a model plays the user. */
  readonly turns: readonly string[];
  readonly user?: UserTask;
};

export type ReadConversation = ConversationInput | { readonly issues: readonly Issue[] };

/** What an input says about the conversation that it stands for. */
export function readConversation(input: Json): ReadConversation {
  if (typeof input === 'string') return { history: [], turns: [input] };
  if (isObject(input) && 'turns' in input)
    return read(turnsShape, input, ({ turns }) => ({ history: [], turns }));
  if (isObject(input) && 'user' in input)
    return read(userShape, input, ({ user }) => ({ history: [], turns: [user.opening], user }));
  if (isObject(input) && 'messages' in input) return read(messagesShape, input, ofMessages);
  return { issues: [{ pointer: '', message: 'expected a text, or an object with messages, turns or user' }] };
}

function read<S extends Schema>(
  shape: S,
  input: Json,
  use: (value: Wire<S>) => ReadConversation,
): ReadConversation {
  const issues = schemaIssues(shape, input);
  return issues.length > 0 ? { issues } : use(input as unknown as Wire<S>);
}

function ofMessages({ messages }: Wire<typeof messagesShape>): ReadConversation {
  const last = messages.at(-1);
  if (last?.role !== 'user')
    return {
      issues: [{ pointer: `/messages/${messages.length - 1}`, message: "expected the user's words last" }],
    };
  return { history: messages.slice(0, -1) as unknown as readonly ChatMessage[], turns: [last.content] };
}

type Limits = { readonly maxTurns: number; readonly hasUser: boolean };

/** What keeps an agent of kind `conversation` from being asked this input. */
export function conversationIssues(input: Json, { maxTurns, hasUser }: Limits): readonly Issue[] {
  const conversation = readConversation(input);
  if ('issues' in conversation) return conversation.issues;
  if (conversation.user && !hasUser)
    return [{ pointer: '/user', message: 'the agent has no model that plays the user; set run.user.model' }];
  if (conversation.turns.length > maxTurns)
    return [{ pointer: '/turns', message: `the agent takes ${maxTurns} turns at most; raise run.maxTurns` }];
  return [];
}
