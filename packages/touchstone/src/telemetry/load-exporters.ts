import type { Exporters } from './exporters.js';

/** Loads the library, which nobody pays for who sends nothing. */
export const loadExporters = async (version: string): Promise<Exporters> =>
  (await import('./otlp.js')).createOtlpExporters(version);
