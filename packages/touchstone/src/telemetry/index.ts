export { type ContentOf, contentIn } from './content.js';
export { criterionResults, taskResult } from './evaluation-results.js';
export type { Exporters } from './exporters.js';
export { type RecordFacts, type RunFacts, spansOf } from './invocation-spans.js';
export { loadExporters } from './load-exporters.js';
export { runSpan } from './run-span.js';
export { createSender, type Sender } from './sender.js';
export {
  type TelemetryConfig,
  type TelemetrySettings,
  telemetrySettings,
} from './settings.js';
export type { Signals } from './signals.js';
export { traceparentOf } from './trace-ids.js';
