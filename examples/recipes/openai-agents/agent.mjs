import { Agent, run, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';

setOpenAIAPI('chat_completions');
// Traces would go to the vendor, with the inputs of the tasks in them.
setTracingDisabled(true);

/** The agent as it is deployed; what it needs from outside is handed in. */
export const orderAgent = (getOrder) =>
  new Agent({
    name: 'Order desk',
    instructions: 'You answer questions about orders.',
    model: process.env.MODEL ?? 'gpt-5-mini',
    tools: [
      tool({
        name: 'get_order',
        description: 'Looks an order up.',
        parameters: z.object({ orderId: z.string() }),
        execute: async (inputs) => JSON.stringify(await getOrder(inputs)),
      }),
    ],
  });

/** What Touchstone calls: the tool of the agent asks Touchstone, which answers from the fixtures of the task. */
export default async function answer(input, ctx) {
  const agent = orderAgent((inputs) => ctx.tools.call('local:orders.get', inputs));
  const { finalOutput } = await run(agent, input, { signal: ctx.signal });
  return finalOutput;
}
