// The agent under evaluation: a function from an input to an answer. Replace its inside with a model call of your own;
// it may call the tools of its allowlist and read its memory.
export default async function shopAssistant(input, { tools, memory }) {
  const question = String(input.question ?? input.message).toLowerCase();

  if (question.includes('refund')) return 'You can return any item within 30 days of delivery.';
  if (question.includes('who am i')) return memory[0]?.content ?? 'I do not know you yet.';

  const orderId = question.match(/order (\d+)/)?.[1];
  if (orderId === undefined) return 'I can help with orders and refunds.';

  const order = await tools.call('shop:orders.get', { orderId });
  if (order === null) return `There is no order ${orderId}.`;
  return { orderId, status: order.status, arrives: order.arrives };
}
