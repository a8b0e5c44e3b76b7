import { HostError, type Owner, type RunId, type RunStatus, timestampOf } from '@touchstone/protocol';
import { fromBody, type RunEvent } from '@touchstone/protocol/bodies';
import type { AnnotationWire, DebugBundleWire } from '@touchstone/protocol/wire';
import type { Clock, Run, Store } from '../../../ports/index.js';
import { annotationWire } from '../../review/annotations.js';
import { logEvents } from '../log-events.js';
import { snapshotOf } from '../snapshot.js';
import { createLine } from './debug-bundle-line.js';
import { createDeepMask, type DeepMask, type Mask } from './debug-bundle-mask.js';
import { createPace } from './debug-bundle-pace.js';

export type BundleParts = {
  readonly store: Pick<Store, 'runs' | 'log' | 'ledger' | 'annotations'>;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly version: string;
  readonly mask: Mask;
};
export type DebugBundle = DebugBundleWire & { readonly annotations: readonly AnnotationWire[] };

/** Of JSON text, everything included. */
const MAX_BUNDLE_BYTES = 8_000_000;
/** Remarks explain a log, and without it they explain nothing: they may not take its room. */
const MAX_ANNOTATION_BYTES = 1_000_000;
/** For the members around what is counted, and for the sentence that says what is missing. */
const FRAME_BYTES = 4_096;

// One line for the whole process, because it is the process that has one thread: a bundle is work that no other request
// makes the host do, and many of them at once would leave little for the runs.
const inLine = createLine(2);

/**
 * A run in one document that can be handed to somebody else: every text that people, agents or tools wrote is masked.
 * When it grows too large, the end of the log is left out first, because everything else is taken in before. Two are
 * made at a time; a caller whose signal aborts gets none.
 */
export const buildDebugBundle = (
  parts: BundleParts,
  owner: Owner,
  runId: RunId,
  signal?: AbortSignal,
): Promise<DebugBundle> => inLine(() => build(parts, owner, runId, signal), signal);

async function build(
  parts: BundleParts,
  owner: Owner,
  runId: RunId,
  signal: AbortSignal | undefined,
): Promise<DebugBundle> {
  const { store, clock, version } = parts;
  const run = await store.runs.get(owner, runId);
  if (!run) throw new HostError('not_found', 'There is no such run.');
  const masked = createDeepMask(parts.mask, createPace(clock, signal));
  const bundling: Bundling = {
    store,
    run,
    masked,
    room: createRoom(MAX_BUNDLE_BYTES - FRAME_BYTES),
    missing: [],
  };
  const facts = await bundleRun(bundling);
  const annotations = await bundleAnnotations(bundling);
  const events = await bundleEvents(bundling);
  return {
    bundleVersion: '1.0',
    generatedAt: timestampOf(clock.now()),
    host: { name: 'touchstone', version, vendor: 'touchstone' },
    run: facts,
    events,
    annotations,
    redactionApplied: true,
    redactionMode: 'mask',
    metrics: { eventCount: events.length, nodeCount: countNodes(events), ...facts.metrics },
    ...truncation(bundling.missing),
  };
}

/** Bytes that are left. */
type Room = { has(bytes: number): boolean; take(bytes: number): void };
type Bundling = {
  readonly store: BundleParts['store'];
  readonly run: Run;
  readonly masked: DeepMask;
  readonly room: Room;
  /** What there was no room for, in words. */
  readonly missing: string[];
};

function createRoom(bytes: number, within?: Room): Room {
  let left = bytes;
  return {
    has: (wanted) => wanted <= left && (within?.has(wanted) ?? true),
    take(taken) {
      left -= taken;
      within?.take(taken);
    },
  };
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/** The value masked, if there is room for it. What has none as it is gets no search for secrets: that is the long part. */
async function fit<T>(value: T, masked: (value: T) => Promise<T>, room: Room): Promise<T | undefined> {
  const bytes = sizeOf(value);
  if (!room.has(bytes)) return undefined;
  const shown = await masked(value);
  const shownBytes = shown === value ? bytes : sizeOf(shown);
  if (!room.has(shownBytes)) return undefined;
  room.take(shownBytes);
  return shown;
}

/** The run's snapshot. What its caller wrote may be of any size, so each part of that must find room. */
async function bundleRun({ store, run, masked, room, missing }: Bundling): Promise<DebugBundle['run']> {
  const { runId, workflowId, status } = run;
  const { tags, metadata, configurable, touchstone, ...known } = snapshotOf(run, {
    spentUsd: await spentUsd(store, run),
  });
  const inputs = run.request.inputs && fromBody(run.request.inputs);
  const facts = await masked({ ...known, touchstone: { ...(touchstone as object), status } });
  room.take(sizeOf(facts));
  const words = Object.entries({ inputs, tags, metadata, configurable });
  const kept: { [name: string]: unknown } = {};
  for (const [name, word] of words.filter((entry) => entry[1] !== undefined)) {
    const member = await fit({ [name]: word }, masked, room);
    if (member) Object.assign(kept, member);
    else missing.push(name);
  }
  const endedAt = run.completedAt === undefined ? null : timestampOf(run.completedAt);
  return { ...facts, ...kept, runId, workflowId, status: BUNDLE_STATUS[status], endedAt };
}

/**
 * The bundle has fewer words for where a run stands than runs have. A run that is paused, that waits for a system, or
 * that is being cancelled is not over, so it is called running; `run.touchstone.status` has the exact word.
 */
const BUNDLE_STATUS: { readonly [S in RunStatus]: DebugBundle['run']['status'] } = {
  pending: 'pending',
  running: 'running',
  paused: 'running',
  'waiting-approval': 'waiting-approval',
  'waiting-input': 'waiting-clarification',
  'waiting-external': 'running',
  completed: 'completed',
  failed: 'failed',
  cancelling: 'running',
  cancelled: 'cancelled',
};

/** Known cost of a run that has no scorecard to say it. */
async function spentUsd({ ledger }: BundleParts['store'], run: Run): Promise<number | undefined> {
  if (!('agent' in run.plan) || run.headline) return undefined;
  const { usd } = await ledger.total(run.owner, run.runId);
  return usd > 0 ? usd : undefined;
}

async function bundleAnnotations(bundling: Bundling): Promise<readonly AnnotationWire[]> {
  const { store, run, masked, missing } = bundling;
  const room = createRoom(MAX_ANNOTATION_BYTES, bundling.room);
  const all = await store.annotations.list(run.owner, run.runId);
  const kept: AnnotationWire[] = [];
  for (const annotation of all) {
    const wire = await fit(annotationWire(annotation), masked, room);
    if (!wire) break;
    kept.push(wire);
  }
  if (kept.length < all.length) missing.push(`the newest ${all.length - kept.length} annotations`);
  return kept;
}

/** As a reader of the log sees them, from the first one on, as many as there is room for. */
async function bundleEvents({ store, run, masked, room, missing }: Bundling): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const maskPayload = async (event: RunEvent): Promise<RunEvent> => {
    const payload = await masked(event.payload);
    return payload === event.payload ? event : { ...event, payload };
  };
  for await (const event of logEvents(store.log, run.owner, run.runId, run.eventCount)) {
    const shown = await fit(event, maskPayload, room);
    if (!shown) {
      missing.push(`events from sequence ${event.sequence} on`);
      break;
    }
    events.push(shown);
  }
  return events;
}

const countNodes = (events: readonly RunEvent[]): number =>
  new Set(events.flatMap(({ nodeId }) => nodeId ?? [])).size;

const truncation = (missing: readonly string[]) =>
  missing.length > 0 && {
    truncated: true,
    truncatedReason: `A bundle holds at most ${MAX_BUNDLE_BYTES} bytes, ${MAX_ANNOTATION_BYTES} of them annotations. Left out: ${missing.join(', ')}.`,
  };
