import type { AgentHost, Answer, AskModel } from '../../../ports/index.js';
import type { ChatMessage } from '../../templates/variables.js';
import type { UserTask } from './input.js';
import { readUserReply, USER_ORDERS, USER_SCHEMA, type UserReply, userQuestion } from './user-prompt.js';

/** A reply that cannot be read is asked for once more. */
const ROUNDS = 2;

/** Asks a model what the user says next. What it costs is paid before its words are used. */
export async function askUser(
  ask: AskModel,
  task: UserTask,
  transcript: readonly ChatMessage[],
  { repeat, host }: { readonly repeat: number; readonly host: AgentHost },
): Promise<UserReply | Answer> {
  const user = userQuestion(task, transcript);
  for (let round = 0; round < ROUNDS; round += 1) {
    // Two repeats of a task are two conversations, also to a cache.
    const question = { system: USER_ORDERS, user, schema: USER_SCHEMA, round: repeat * ROUNDS + round };
    const reply = await ask(question, host.signal);
    if (reply.kind === 'denied') return { ...reply, of: 'user' };
    if (reply.kind !== 'reply')
      return { kind: 'unreachable', reason: `The simulated user: ${reply.reason}`, of: 'user' };
    await host.spend([reply.usage], 'simulatedUser');
    const read = readUserReply(reply.text);
    if (read) return read;
  }
  return {
    kind: 'unreadable',
    reason: `The simulated user said nothing in the form that it was asked for, in ${ROUNDS} replies.`,
  };
}
