// Reports of runs as text, for other programs and pages: a run as people are shown it in, one document out.
export { judgeDocument, runDocument } from './document.js';
export type { ExportedRun, RefusedSuite, ReportedPromotion } from './exported-run.js';
export { escapeXml, renderJunit } from './junit.js';
export { renderMarkdown } from './markdown.js';
