// Reports of runs as text, for other programs and pages: a run as people are shown it in, one document out.
export {
  type ExportedRun,
  judgeDocument,
  type RefusedSuite,
  type ReportedPromotion,
  runDocument,
} from './document.js';
export { escapeXml, renderJunit } from './junit.js';
export { renderMarkdown } from './markdown.js';
