// A desk that answers in turns. It is told the whole conversation every time, as chat models are.
const ORDER = /\b(\d{4})\b/;

export default async function answer({ messages }, { tools }) {
  const words = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const [, orderId] = words.map((text) => ORDER.exec(text)).findLast((found) => found !== null) ?? [];
  if (orderId === undefined) return 'I am sorry about that. What is the number of your order?';
  const { status, day } = await tools.call('local:orders.get', { orderId });
  if (/cancel/i.test(words.at(-1))) return `Order ${orderId} is ${status} and cannot be cancelled any more.`;
  return `Order ${orderId} is ${status} and arrives on ${day}.`;
}
