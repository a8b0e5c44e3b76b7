import { canonicalJson, type Json, type Redact, redactDeep } from '@touchstone/protocol';
import { type Body, fromBody, toBody } from '@touchstone/protocol/bodies';
import type {
  Agent,
  AgentFacts,
  AgentHost,
  Answer,
  AskModel,
  Clock,
  Invocation,
} from '../../../ports/index.js';
import type { ChatMessage } from '../../templates/variables.js';
import { failed } from '../answers.js';
import { type ConversationInput, readConversation } from './input.js';
import { askUser } from './simulated-user.js';

export type ConversationParts = {
  readonly facts: AgentFacts;
  readonly clock: Clock;
  readonly maxTurns: number;
  /** The agent that the conversation is with. Closed with it. */
  readonly agent: Agent;
  /** `redact` takes secrets of this host out of what the user is told: they are for other addresses. */
  readonly user?: { readonly ask: AskModel; readonly redact?: Redact; close(): void };
};

/** A conversation with an agent, as one invocation: what the user says is fixed, or a model plays the user. */
export function createConversation(parts: ConversationParts): Agent {
  const { facts, agent, user } = parts;
  return {
    facts,
    ...(agent.model && { model: agent.model }),
    ...(agent.prompt && { prompt: agent.prompt.bind(agent) }),
    ...(agent.loadIssue && { loadIssue: agent.loadIssue.bind(agent) }),
    async invoke(invocation, host) {
      const input = readConversation(fromBody(invocation.input));
      if ('issues' in input) return failed(`The input is no conversation: ${input.issues[0]?.message}.`);
      return converse(parts, input, invocation, host);
    },
    async close() {
      user?.close();
      await agent.close();
    },
  };
}

/** What has happened so far. Changed in place, turn by turn. */
type Talk = {
  readonly transcript: ChatMessage[];
  turns: number;
  last?: Extract<Answer, { readonly output: Body }>;
  /** Requests beyond the first of each answer, and the time that was not the agent's: back-offs, and the user thinking. */
  retries: number;
  waitedMs: number;
  printed: string;
};

async function converse(
  parts: ConversationParts,
  input: ConversationInput,
  invocation: Invocation,
  host: AgentHost,
): Promise<Answer> {
  const talk: Talk = { transcript: [...input.history], turns: 0, retries: 0, waitedMs: 0, printed: '' };
  const most = Math.min(parts.maxTurns, input.user?.maxTurns ?? parts.maxTurns);
  for (;;) {
    const next = await nextWords(parts, input, talk, most, invocation, host);
    if ('ended' in next) return concluded(talk, next.ended);
    if ('kind' in next) return next;
    talk.transcript.push({ role: 'user', content: next.say });
    const answer = await takeTurn(parts, talk, invocation, host);
    if (!('output' in answer)) return { ...answer, ...effortOf(talk), reason: inTurn(talk, answer.reason) };
    if (answer.kind === 'refused') return concluded(talk, 'refused');
  }
}

type EndReason = 'user' | 'turns' | 'refused';

/** The user's next words; or that there are none, because the user is done or the turns are used up. */
async function nextWords(
  { clock, user }: ConversationParts,
  input: ConversationInput,
  talk: Talk,
  most: number,
  { repeat }: Invocation,
  host: AgentHost,
): Promise<{ readonly say: string } | { readonly ended: EndReason } | Answer> {
  const fixed = input.turns[talk.turns];
  if (fixed !== undefined) return { say: fixed };
  if (!input.user || talk.turns >= most) return { ended: 'turns' };
  if (!user) return failed('The agent has no model that plays the user.');
  const askedAt = clock.elapsed();
  const said = redactDeep(talk.transcript, user.redact);
  const reply = await askUser(user.ask, input.user, said, { repeat, host });
  talk.waitedMs += clock.elapsed() - askedAt;
  return 'end' in reply ? { ended: 'user' } : reply;
}

/** The agent is told the whole conversation with every turn, under one id. */
async function takeTurn(
  { agent }: ConversationParts,
  talk: Talk,
  invocation: Invocation,
  host: AgentHost,
): Promise<Answer> {
  const input = toBody({ messages: [...talk.transcript] });
  const answer = await agent.invoke({ ...invocation, agentId: agent.facts.agentId, input }, host);
  talk.retries += Math.max(0, (answer.effort?.attempts ?? 1) - 1);
  talk.waitedMs += answer.effort?.waitedMs ?? 0;
  talk.printed += answer.printed ?? '';
  talk.turns += 1;
  if (!('output' in answer)) return answer;
  talk.last = answer;
  talk.transcript.push({ role: 'assistant', content: textOf(fromBody(answer.output)) });
  return answer;
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : canonicalJson(value));

const inTurn = ({ turns }: Talk, reason: string): string => (turns > 1 ? `Turn ${turns}: ${reason}` : reason);

const effortOf = ({ retries, waitedMs, printed }: Talk) => ({
  effort: { attempts: 1 + retries, waitedMs },
  ...(printed !== '' && { printed }),
});

function concluded(talk: Talk, ended: EndReason): Answer {
  const { turns, transcript, last } = talk;
  const answer = last === undefined ? null : fromBody(last.output);
  const confidence = last?.confidence;
  return {
    kind: ended === 'refused' ? 'refused' : 'answered',
    output: toBody({ answer, transcript, turns, ended }),
    ...(confidence !== undefined && { confidence }),
    ...effortOf(talk),
    turns,
  };
}
