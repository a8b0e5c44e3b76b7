import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';
import { type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Exporters } from './exporters.js';
import { EVALUATION_EVENT } from './names.js';
import type { ResultSignal, SpanRef, SpanSignal } from './signals.js';

// The one file that knows the library. It is large, so the build joins it with what it needs into one file, and nobody
// loads that before something is to be sent. Addresses, headers, compression, time limits and certificates are read from the
// variables of the specification by the library itself.

const SCOPE_NAME = 'touchstone';
const DEFAULT_SERVICE = 'touchstone';

export function createOtlpExporters(version: string): Exporters {
  const resource = resourceOf(version);
  const scope = { name: SCOPE_NAME, version };
  const agents = new Set<HttpAgent>();
  const options = {
    userAgent: `touchstone/${version}`,
    httpAgentOptions: (protocol: string) => openAgent(protocol, agents),
  };
  const traces = new OTLPTraceExporter(options);
  const logs = new OTLPLogExporter(options);
  return {
    spans: (signals) =>
      exported(
        traces,
        signals.map((signal) => toSpan(signal, resource, scope)),
      ),
    results: (signals) =>
      exported(
        logs,
        signals.map((signal) => toLogRecord(signal, resource, scope)),
      ),
    abandon() {
      for (const agent of agents) agent.destroy();
    },
  };
}

/** Kept, so that what is still open can be closed when nobody waits for it any more. */
function openAgent(protocol: string, agents: Set<HttpAgent>): HttpAgent {
  const options: AgentOptions = { keepAlive: true, maxSockets: 4 };
  const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
  agents.add(agent);
  return agent;
}

/** The service is called by `OTEL_SERVICE_NAME`, or by the attribute in `OTEL_RESOURCE_ATTRIBUTES`, or by our name. */
const resourceOf = (version: string): Resource =>
  defaultResource()
    .merge(resourceFromAttributes({ 'service.name': DEFAULT_SERVICE, 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));

type Export<T> = {
  export(items: T[], done: (result: { readonly code: number; readonly error?: Error }) => void): void;
};

/** Undefined when the collector took it; otherwise why not, by a name that quotes nothing. */
const exported = <T>(exporter: Export<T>, items: T[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    exporter.export(items, ({ code, error }) => resolve(code === 0 ? undefined : reasonOf(error)));
  });

function reasonOf(error: Error | undefined): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code === 'number') return `HTTP ${code}`;
  if (typeof code === 'string' && /^[A-Z_0-9]{1,40}$/.test(code)) return code;
  return error?.message === 'Request timed out' ? 'no answer in time' : 'it keeps refusing';
}

type Scope = ReadableSpan['instrumentationScope'];

const contextOf = ({ traceId, spanId }: SpanRef) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED });

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];

function toSpan(signal: SpanSignal, resource: Resource, instrumentationScope: Scope): ReadableSpan {
  const context = contextOf(signal);
  const { traceId, parentId } = signal;
  return {
    name: signal.name,
    kind: signal.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => context,
    ...(parentId !== undefined && { parentSpanContext: contextOf({ traceId, spanId: parentId }) }),
    startTime: hrTime(signal.from),
    endTime: hrTime(signal.until),
    duration: hrTime(signal.until - signal.from),
    status: { code: signal.failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: signal.attributes,
    links: signal.links.map((place) => ({ context: contextOf(place) })),
    events: [],
    ended: true,
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const toLogRecord = (
  { of, at, attributes }: ResultSignal,
  resource: Resource,
  instrumentationScope: Scope,
): ReadableLogRecord => ({
  hrTime: hrTime(at),
  hrTimeObserved: hrTime(at),
  spanContext: contextOf(of),
  eventName: EVALUATION_EVENT,
  attributes,
  resource,
  instrumentationScope,
  droppedAttributesCount: 0,
});
