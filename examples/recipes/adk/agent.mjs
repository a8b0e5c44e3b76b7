import { FunctionTool, InMemoryRunner, LlmAgent, LogLevel, setLogLevel, stringifyContent } from '@google/adk';
import { z } from 'zod';

setLogLevel(LogLevel.ERROR);

/** The agent as it is deployed; what it needs from outside is handed in. */
export const orderAgent = (getOrder) =>
  new LlmAgent({
    name: 'order_desk',
    model: process.env.MODEL ?? 'gemini-2.5-flash',
    instruction: 'You answer questions about orders.',
    tools: [
      new FunctionTool({
        name: 'get_order',
        description: 'Looks an order up.',
        parameters: z.object({ orderId: z.string() }),
        execute: getOrder,
      }),
    ],
  });

/** What Touchstone calls: the tool of the agent asks Touchstone, which answers from the fixtures of the task. */
export default async function answer(input, ctx) {
  const agent = orderAgent((inputs) => ctx.tools.call('local:orders.get', inputs));
  const runner = new InMemoryRunner({ agent, appName: 'order_desk' });
  const session = await runner.sessionService.createSession({
    appName: 'order_desk',
    userId: ctx.invocationId,
  });
  const newMessage = { role: 'user', parts: [{ text: input }] };
  let said = '';
  for await (const event of runner.runAsync({ userId: ctx.invocationId, sessionId: session.id, newMessage }))
    if (event.content?.parts?.some(({ text }) => text)) said = stringifyContent(event);
  return said;
}
