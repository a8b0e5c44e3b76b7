// A support desk without a model: it reads the message by rules, so it costs nothing and answers alike every time.
// Touchstone calls the default export once per task. Swap its inside for calls to your own model; the suite stays.

const REFUND_DAYS = 30;
const APPROVAL_ABOVE_USD = 200;

const OUTSIDE =
  'I can help with orders, refunds and questions about the shop. For anything else, please ask elsewhere.';
const NO_ORDER_SYSTEM = 'Our order system does not answer at the moment. Please try again in an hour.';
const NO_ORDER_NUMBER = 'Which order is it about? Its number is on the receipt and looks like A-1001.';

export default async function supportDesk({ customer, message, today }, ctx) {
  const request = readRequest(message);
  ctx.reason(`Read as ${request.intent}, about ${request.orderIds.join(' and ') || 'no order'}.`);
  try {
    return await handlers[request.intent](request, { customer, message, today }, ctx);
  } catch (error) {
    // A tool that fails is part of the job; a mistake of our own is not and must be seen.
    if (error.name === 'ToolError') return NO_ORDER_SYSTEM;
    throw error;
  }
}

function readRequest(message) {
  const orderIds = [...new Set(message.match(/\bA-\d{4}\b/g) ?? [])];
  const asksWhether = /^(how|what|when|which|do|does|can|is|are)\b/i.test(message) && orderIds.length === 0;
  if (asksWhether) return { intent: isAboutShop(message) ? 'question' : 'other', orderIds };
  if (/\b(refund|money back|send (it|them) back)\b/i.test(message)) return { intent: 'refund', orderIds };
  return { intent: orderIds.length > 0 ? 'status' : 'other', orderIds };
}

const isAboutShop = (message) => /\b(deliver|ship|warrant|return|refund|pay|invoice|gift)/i.test(message);

const handlers = {
  async refund({ orderIds }, { customer, today }, ctx) {
    if (orderIds.length === 0) return NO_ORDER_NUMBER;
    const decisions = [];
    for (const orderId of orderIds) {
      const order = await findOrder(orderId, ctx);
      decisions.push({ orderId, ...decideRefund(order, today), method: refundMethod(customer, ctx.memory) });
    }
    if (decisions.some(({ decision }) => decision === 'escalate')) ctx.confidence(0.4);
    return decisions.length === 1 ? decisions[0] : decisions;
  },

  async status({ orderIds: [orderId] }, _about, ctx) {
    const order = await findOrder(orderId, ctx);
    if (!order) return `I cannot find order ${orderId}. Please check the number.`;
    if (order.deliveredOn) return `Order ${orderId} was delivered on ${order.deliveredOn}.`;
    return `Order ${orderId} was shipped on ${order.shippedOn} and should arrive by ${order.dueOn}.`;
  },

  async question(_request, { message }, ctx) {
    const { articles } = await ctx.tools.call('local:kb.search', { query: message, limit: 3 });
    const [best] = articles.filter(({ relevance }) => relevance >= 0.5);
    return best ? `${best.body} (${best.title})` : 'I do not know, and I would rather not guess.';
  },

  other: () => OUTSIDE,
};

/** The order system asks for patience now and then; once is enough to wait. */
async function findOrder(orderId, { tools }) {
  const first = await tools.call('local:orders.lookup', { orderId });
  return first?.busy ? tools.call('local:orders.lookup', { orderId }) : first;
}

function decideRefund(order, today) {
  if (!order) return { decision: 'decline', reason: 'unknown-order' };
  if (!order.deliveredOn) return { decision: 'decline', reason: 'not-delivered' };
  const inTime = daysBetween(order.deliveredOn, today) < REFUND_DAYS;
  if (!inTime) return { decision: 'decline', reason: 'window-closed' };
  if (order.amountUsd > APPROVAL_ABOVE_USD) return { decision: 'escalate', reason: 'needs-approval' };
  return { decision: 'refund', reason: 'within-window', amountUsd: order.amountUsd };
}

const daysBetween = (from, to) => (Date.parse(to) - Date.parse(from)) / 86_400_000;

function refundMethod(customer, memory) {
  const own = memory.filter(({ tags }) => tags.includes(`customer:${customer}`));
  return own.some(({ content }) => /store credit/i.test(content)) ? 'store-credit' : 'card';
}
