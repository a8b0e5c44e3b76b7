// Reports of runs as text, for other programs and pages: a run as people are shown it in, one document out.
export {
  type ExportedRun,
  judgeDocument,
  type RefusedSuite,
  type ReportedPromotion,
  runDocument,
  UnreadTasks,
} from './document.js';
export type { FileRun, PagePart } from './files/file-run.js';
export { FILE_FORMATS } from './files/formats.js';
export {
  commentMarker,
  cutText,
  escapeData,
  githubAnnotations,
  type SuiteLines,
} from './github.js';
export { renderJunit } from './junit.js';
export type { JunitFailures } from './junit-tasks.js';
export { escapeXml } from './junit-xml.js';
export { renderMarkdown } from './markdown.js';
