import { ADK } from './adk/adk.js';
import { sampleOf } from './detect.js';
import type { ImportFormat, SourceFile } from './imported.js';
import { INSPECT } from './inspect/inspect.js';
import { OPENAI_EVALS } from './openai-evals/openai-evals.js';
import { OTEL } from './otel/otel.js';
import { PROMPTFOO } from './promptfoo/promptfoo.js';
import { BRAINTRUST, DEEPEVAL, LANGFUSE, LANGSMITH, ROWS } from './rows/rows.js';

export { assemble, type FindTroubles } from './assemble.js';
export { readSample } from './detect.js';
export type {
  ImportFormat,
  ImportItem,
  ImportOptions,
  ImportOutput,
  ImportRequest,
  SourceFile,
} from './imported.js';
export { createItems } from './items.js';
export { reportDocument, reportText, summaryOf } from './report.js';

/** Every format by the word that names it on the command line. */
export const IMPORT_FORMATS: { readonly [name: string]: ImportFormat } = {
  promptfoo: PROMPTFOO,
  'openai-evals': OPENAI_EVALS,
  inspect: INSPECT,
  adk: ADK,
  otel: OTEL,
  langsmith: LANGSMITH,
  braintrust: BRAINTRUST,
  langfuse: LANGFUSE,
  deepeval: DEEPEVAL,
  rows: ROWS,
};

/** The formats that one of the files has the shape of. Plain rows are what no other format claims. */
export function formatsOf(files: readonly SourceFile[]): readonly string[] {
  const samples = files.map(sampleOf);
  const fitting = Object.entries(IMPORT_FORMATS)
    .filter(([, { fits }]) => samples.some(fits))
    .map(([name]) => name);
  const special = fitting.filter((name) => name !== 'rows');
  return special.length > 0 ? special : fitting;
}
