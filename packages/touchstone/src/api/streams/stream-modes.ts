import { HostError } from '@touchstone/protocol';
import { fromBody, type Payloads, type RunEvent } from '@touchstone/protocol/bodies';

const STREAM_MODES = ['values', 'updates', 'messages', 'debug'] as const;
export type StreamMode = (typeof STREAM_MODES)[number];

/** The modes asked for, without repeats. `values` sends snapshots and not events, so it stands alone. */
export function parseStreamModes(text: string | undefined): readonly StreamMode[] {
  const names = text === undefined ? ['updates'] : [...new Set(text.split(','))];
  const modes = names.map((name) => STREAM_MODES.find((mode) => mode === name));
  if (modes.includes(undefined) || (modes.length > 1 && modes.includes('values'))) {
    const message = `Expected streamMode to be one of ${STREAM_MODES.join(', ')}, or several of them without values.`;
    throw new HostError('unsupported_stream_mode', message, { supported: STREAM_MODES });
  }
  return modes as readonly StreamMode[];
}

const UPDATES = new Set<string>([
  'run.started',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.paused',
  'run.resumed',
  'node.completed',
  'node.failed',
  'node.skipped',
  'node.suspended',
  'node.dispatched',
  'approval.requested',
  'approval.received',
  'artifact.created',
  'workspace.updated',
]);
const UPDATE_FAMILIES = ['eval.', 'interrupt.', 'clarification.', 'deployment.'];

/** The tier of events that change what a reader of a run's state would see. */
export const isUpdate = (type: string): boolean =>
  UPDATES.has(type) || UPDATE_FAMILIES.some((family) => type.startsWith(family));

/** After these nothing more comes by itself: the run waits for people, or for another request. */
const SUSPENSIONS = new Set<string>(['run.paused', 'node.suspended', 'interrupt.requested']);
export const isSuspension = (type: string): boolean => SUSPENSIONS.has(type);

/**
 * What one event becomes on a stream: nothing, itself, a message chunk, or (when modes are mixed) both. A frame is named by
 * its type in mixed modes too, so that a reader can tell the end of the run without opening the data.
 */
export type Frame = { readonly event: string; readonly data: string };

export function framesOf(
  event: RunEvent,
  json: () => string,
  modes: readonly StreamMode[],
): readonly Frame[] {
  const frames: Frame[] = [];
  const isAdmitted = modes.includes('debug') || (modes.includes('updates') && isUpdate(event.type));
  if (isAdmitted) frames.push({ event: event.type, data: json() });
  const chunk = modes.includes('messages') ? messageChunk(event) : undefined;
  if (chunk !== undefined) frames.push({ event: 'ai.message.chunk', data: JSON.stringify(chunk) });
  return frames;
}

/** Whether readers in these modes are told of people's annotations. An annotation is no event: no log holds it. */
export const admitsAnnotations = (modes: readonly StreamMode[]): boolean =>
  modes.some((mode) => mode === 'debug' || mode === 'updates');

export const renderAnnotation = (data: string): string =>
  renderFrame(undefined, { event: 'run.annotated', data });

/** An answer in words, as one chunk. Derived on read: the log holds the decision, once. */
function messageChunk(event: RunEvent): object | undefined {
  if (event.type !== 'agent.decided') return undefined;
  const chunk = fromBody((event.payload as Payloads['agent.decided']).decision);
  if (typeof chunk !== 'string') return undefined;
  return { nodeId: event.nodeId ?? 'agent', runId: event.runId, chunk, isLast: true };
}

/** The frames of one event. Only the last bears the id: a reader cut off before it will be sent all of them again. */
export const renderFrames = (id: number, frames: readonly Frame[]): string =>
  frames.map((frame, at) => renderFrame(at === frames.length - 1 ? id : undefined, frame)).join('');

export const renderFrame = (id: number | undefined, frame: Frame): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${frame.event}\ndata: ${frame.data}\n\n`;

/** Several frames as one `batch`, under the highest sequence among them. */
export const renderBatch = (id: number, frames: readonly Frame[]): string =>
  renderFrame(id, { event: 'batch', data: `[${frames.map((frame) => frame.data).join(',')}]` });
