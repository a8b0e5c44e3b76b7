import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const model = new ChatOpenAI({ model: process.env.MODEL ?? 'gpt-5-mini', useResponsesApi: false });

/** The graph as it is deployed; what it needs from outside is handed in. */
export function orderAgent(getOrder) {
  const orders = tool(async (inputs) => JSON.stringify(await getOrder(inputs)), {
    name: 'get_order',
    description: 'Looks an order up.',
    schema: z.object({ orderId: z.string() }),
  });
  return createReactAgent({ llm: model, tools: [orders], prompt: 'You answer questions about orders.' });
}

/** What Touchstone calls: the tool of the graph asks Touchstone, which answers from the fixtures of the task. */
export default async function answer(input, ctx) {
  const graph = orderAgent((inputs) => ctx.tools.call('local:orders.get', inputs));
  const { messages } = await graph.invoke({ messages: [{ role: 'user', content: input }] }, ctx);
  return messages.at(-1).content;
}
