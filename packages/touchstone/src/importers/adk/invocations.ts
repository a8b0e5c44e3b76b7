import type { ItemCollector } from '../imported.js';
import { isFilled, itemsOf, member, type Node, text } from '../nodes.js';
import type { ToolAnswer, ToolUse } from '../tool-calls.js';

/** One turn of an eval case: what the user says, and what the agent should do and answer. */
export type Invocation = {
  readonly at: Node;
  readonly says: string;
  readonly uses: readonly ToolUse[];
  readonly answers: readonly ToolAnswer[];
  readonly reply: Node;
  readonly replyText: string | undefined;
  readonly rubrics: readonly Node[];
};

/** Names of members in files are `snake_case` or `camelCase`. */
export const either = (node: Node, name: string): Node =>
  member(
    node,
    name,
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );

export function invocationOf(node: Node, items: ItemCollector): Invocation {
  const isOld = member(node, 'query').value !== undefined;
  return isOld ? oldInvocation(node) : newInvocation(node, items);
}

function newInvocation(node: Node, items: ItemCollector): Invocation {
  const data = either(node, 'intermediate_data');
  const parts = itemsOf(either(data, 'invocation_events')).flatMap((event) =>
    partsOf(member(event, 'content')),
  );
  const calls = [...itemsOf(either(data, 'tool_uses')), ...filled(parts, 'function_call')];
  const answers = [...itemsOf(either(data, 'tool_responses')), ...filled(parts, 'function_response')];
  const reply = either(node, 'final_response');
  return {
    at: node,
    says: textOfContent(either(node, 'user_content'), items),
    uses: calls.map((call) => ({ name: nameOf(call), inputs: member(call, 'args').value ?? {} })),
    answers: answers.map((one) => ({ name: nameOf(one), response: member(one, 'response').value ?? null })),
    reply,
    replyText: isFilled(reply) ? textOfContent(reply, items) : undefined,
    rubrics: itemsOf(member(node, 'rubrics')),
  };
}

/** The form before eval sets. */
function oldInvocation(node: Node): Invocation {
  const uses = itemsOf(either(node, 'expected_tool_use'));
  const reply = member(node, 'reference');
  return {
    at: node,
    says: text(member(node, 'query')) ?? '',
    uses: uses.map((use) => ({
      name: text(either(use, 'tool_name')) ?? '',
      inputs: either(use, 'tool_input').value ?? {},
    })),
    answers: uses.flatMap((use) => {
      const response = either(use, 'mock_tool_output').value;
      return response === undefined ? [] : [{ name: text(either(use, 'tool_name')) ?? '', response }];
    }),
    reply,
    replyText: text(reply) || undefined,
    rubrics: [],
  };
}

const partsOf = (content: Node): readonly Node[] => itemsOf(member(content, 'parts'));
const filled = (parts: readonly Node[], name: string): readonly Node[] =>
  parts.map((part) => either(part, name)).filter(isFilled);
const nameOf = (call: Node): string => text(member(call, 'name')) ?? '';

/** The texts of a content; what is no text has no counterpart in an input. */
function textOfContent(content: Node, items: ItemCollector): string {
  const parts = partsOf(content);
  for (const part of parts)
    if (text(member(part, 'text')) === undefined) items.lost(part.at, 'a part of a message that is no text');
  return parts.map((part) => text(member(part, 'text')) ?? '').join('');
}
