import type { ImportFormat } from '../imported.js';

export const PROMPTFOO: ImportFormat = { read: () => ({ tests: [] }), fits: () => false, options: [] };
