import { isHostError } from '@touchstone/protocol';
import type { Log } from '../ports/index.js';

export type LogLevel = 'info' | 'warn' | 'error' | 'silent';

/** JSON lines on stderr. Loaded by `serve` alone. The facts of a line are names and numbers by their type. */
export async function createLog(
  level: LogLevel = 'warn',
  destination?: { write(line: string): void },
): Promise<Log> {
  const { default: pino } = await import('pino');
  const options = { level, base: null, messageKey: 'event' };
  const logger = destination
    ? pino(options, destination)
    : pino(options, pino.destination({ fd: 2, sync: false }));
  return {
    info: (event, facts = {}) => logger.info(facts, event),
    warn: (event, facts = {}) => logger.warn(facts, event),
    error: (event, facts = {}, cause) => logger.error({ ...facts, ...describeCause(cause) }, event),
  };
}

/** A cause without its message: messages of parsers and drivers like to quote what they choked on. */
function describeCause(cause: unknown): object {
  if (cause === undefined) return {};
  if (!(cause instanceof Error)) return { cause: { name: typeof cause } };
  const frames = (cause.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
  return {
    cause: { name: cause.name, ...codeOf(cause), frames },
    ...(isHostError(cause) && { message: cause.message }),
  };
}

const codeOf = (cause: Error): object =>
  'code' in cause && typeof cause.code === 'string' ? { code: cause.code } : {};
