import type { Answer } from '../../ports/index.js';

export const failed = (reason: string): Answer => ({ kind: 'failed', reason });
export const unreachable = (reason: string): Answer => ({ kind: 'unreachable', reason });

export const timedOut = (timeoutMs: number): Answer => failed(`Timed out after ${timeoutMs} ms.`);
export const CLOSED: Answer = unreachable('The agent was closed before it had answered.');
