import type { Usage } from '../../ports/index.js';
import { boundsOf, type Check, isWithin, unknown } from './context.js';

export const latency: Check = ({ args, transcript: { latencyMs } }) => {
  if (latencyMs === undefined) return unknown('the time was not measured');
  const met = latencyMs <= Number(args.maxMs);
  return met ? { met } : { met, reason: `took ${latencyMs} ms; wanted at most ${args.maxMs}` };
};

const NO_USAGE = unknown('no usage reported');

export const cost: Check = ({ args, transcript: { usage = [] } }) => {
  if (usage.length === 0) return NO_USAGE;
  if (usage.some(({ costUsd }) => costUsd === undefined)) return unknown('price unknown');
  const usd = usage.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
  const met = usd <= Number(args.maxUsd);
  return met ? { met } : { met, reason: `cost ${usd} USD; wanted at most ${args.maxUsd}` };
};

export const tokens: Check = ({ args, transcript: { usage = [] } }) => {
  if (usage.length === 0) return NO_USAGE;
  const { max, of = 'total' } = args;
  const count = usage.reduce((sum, one) => sum + tokensOf(String(of), one), 0);
  const met = count <= Number(max);
  return met ? { met } : { met, reason: `${count} tokens; wanted at most ${max}` };
};

function tokensOf(of: string, { inputTokens, outputTokens }: Usage): number {
  if (of === 'input') return inputTokens;
  return of === 'output' ? outputTokens : inputTokens + outputTokens;
}

/** A plain answer is a conversation of one turn. */
export const turns: Check = ({ args, transcript: { turns: counted, output } }) => {
  const count = counted ?? (output === undefined ? 0 : 1);
  const met = isWithin(count, args);
  return met ? { met } : { met, reason: `${count} turns; wanted ${boundsOf(args)}` };
};
