import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { HostError, type Owner, type RunId, type RunStatus, timestampOf } from '@touchstone/protocol';
import { fromBody, type RunEvent } from '@touchstone/protocol/bodies';
import type { AnnotationWire, DebugBundleWire } from '@touchstone/protocol/wire';
import { createSemaphore } from '../../../net/index.js';
import type { Clock, Run, Store } from '../../../ports/index.js';
import { annotationWire } from '../../review/annotations.js';
import { logEvents } from '../log-normalisation.js';
import { ownRun } from '../run-measurement.js';
import { snapshotOf } from '../snapshot.js';
import { createDeepMask, type DeepMask, type Mask, type Pace } from './debug-bundle-mask.js';

type BundleParts = {
  readonly store: Pick<Store, 'runs' | 'log' | 'ledger' | 'annotations'>;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly version: string;
  readonly mask: Mask;
};
export type DebugBundle = DebugBundleWire & { readonly annotations: readonly AnnotationWire[] };

/** Of JSON text, everything included. */
const MAX_BUNDLE_BYTES = 8_000_000;
/** Annotations are capped so that events always fit. */
const MAX_ANNOTATION_BYTES = 1_000_000;
/** For the members around the counted parts, and for the sentence that says what is missing. */
const FRAME_BYTES = 4_096;

// One semaphore for the whole process, which has one thread: no other request is as much work, and many bundles at once
// would leave little time for the runs.
const places = createSemaphore(2);

/**
 * A run in one document that can be passed on: every text that people, agents or tools wrote is masked. When it grows too
 * large, the end of the log is left out first, because everything else is taken in before. Two are made at a time. Throws
 * `unavailable` when the signal aborts.
 */
export async function buildDebugBundle(
  parts: BundleParts,
  owner: Owner,
  runId: RunId,
  signal?: AbortSignal,
): Promise<DebugBundle> {
  try {
    return await places.run(() => build(parts, owner, runId, createPace(parts.clock, signal)), signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
    throw new HostError(
      'unavailable',
      'The bundle was given up: its caller has left, or the host is closing.',
    );
  }
}

const STRETCH_MS = 10;

export function createPace(clock: Pick<Clock, 'elapsed'>, signal?: AbortSignal): Pace {
  let since = clock.elapsed();
  return {
    isDue: () => signal?.aborted === true || clock.elapsed() - since >= STRETCH_MS,
    async pause() {
      await yieldToEventLoop();
      signal?.throwIfAborted();
      since = clock.elapsed();
    },
  };
}

async function build(parts: BundleParts, owner: Owner, runId: RunId, pace: Pace): Promise<DebugBundle> {
  const { store, clock, version } = parts;
  const run = await ownRun(store, owner, runId);
  const masked = createDeepMask(parts.mask, pace);
  const budget = createBudget(MAX_BUNDLE_BYTES - FRAME_BYTES);
  const context: BundleContext = { store, run, masked, budget, missing: [] };
  const facts = await bundleRun(context);
  const annotations = await bundleAnnotations(context);
  const events = await bundleEvents(context);
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
    ...truncation(context.missing),
  };
}

type ByteBudget = { has(bytes: number): boolean; take(bytes: number): void };
type BundleContext = {
  readonly store: BundleParts['store'];
  readonly run: Run;
  readonly masked: DeepMask;
  readonly budget: ByteBudget;
  /** What did not fit, in words. */
  readonly missing: string[];
};

function createBudget(bytes: number, within?: ByteBudget): ByteBudget {
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

/** The masked value, if it fits. A value that does not fit unmasked is not searched for secrets: that is the long part. */
async function fit<T>(
  value: T,
  masked: (value: T) => Promise<T>,
  budget: ByteBudget,
): Promise<T | undefined> {
  const bytes = sizeOf(value);
  if (!budget.has(bytes)) return undefined;
  const shown = await masked(value);
  const shownBytes = shown === value ? bytes : sizeOf(shown);
  if (!budget.has(shownBytes)) return undefined;
  budget.take(shownBytes);
  return shown;
}

/** The run's snapshot. What its caller wrote may be of any size, so each part of that must fit. */
async function bundleRun({
  store,
  run,
  masked,
  budget,
  missing,
}: BundleContext): Promise<DebugBundle['run']> {
  const { runId, workflowId, status } = run;
  const { tags, metadata, configurable, touchstone, ...known } = snapshotOf(run, {
    spentUsd: await spentUsd(store, run),
  });
  const inputs = run.request.inputs && fromBody(run.request.inputs);
  const facts = await masked({ ...known, touchstone: { ...(touchstone as object), status } });
  budget.take(sizeOf(facts));
  const written = Object.entries({ inputs, tags, metadata, configurable });
  const kept: { [name: string]: unknown } = {};
  for (const [name, value] of written.filter((entry) => entry[1] !== undefined)) {
    const member = await fit({ [name]: value }, masked, budget);
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

async function bundleAnnotations(context: BundleContext): Promise<readonly AnnotationWire[]> {
  const { store, run, masked, missing } = context;
  const budget = createBudget(MAX_ANNOTATION_BYTES, context.budget);
  const all = await store.annotations.list(run.owner, run.runId);
  const kept: AnnotationWire[] = [];
  for (const annotation of all) {
    const wire = await fit(annotationWire(annotation), masked, budget);
    if (!wire) break;
    kept.push(wire);
  }
  if (kept.length < all.length) missing.push(`the newest ${all.length - kept.length} annotations`);
  return kept;
}

/** As a reader of the log sees them, from the first one on, as many as fit. */
async function bundleEvents({
  store,
  run,
  masked,
  budget,
  missing,
}: BundleContext): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const maskPayload = async (event: RunEvent): Promise<RunEvent> => {
    const payload = await masked(event.payload);
    return payload === event.payload ? event : { ...event, payload };
  };
  for await (const event of logEvents(store.log, run.owner, run.runId, run.eventCount)) {
    const shown = await fit(event, maskPayload, budget);
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
