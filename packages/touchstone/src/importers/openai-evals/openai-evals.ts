import type { ImportFormat } from '../imported.js';

export const OPENAI_EVALS: ImportFormat = { read: () => ({ tests: [] }), fits: () => false, options: [] };
