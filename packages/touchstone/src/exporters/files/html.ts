import { type PageFile, plural, printable, refOf, verdictOf } from '@touchstone/sdk/view';
import { escapeXml } from '../junit-xml.js';
import type { FileExporter, FileRun } from './file-run.js';

/**
 * The web page in one file that opens from disk. Its policy lets nothing in but its own style and script, both by their
 * digest, so it can request nothing and run nothing else. Everything that suites and agents said is data, and becomes text
 * nodes.
 */
export const renderHtml: FileExporter = (runs, { page }) => {
  if (!page) throw new Error('The page needs its script, its style and its data.');
  const { style, script, data } = page;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${style.sha256}'; script-src 'sha256-${script.sha256}'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeXml(titleOf(runs))}</title>
<style>${style.text}</style>
</head>
<body>
<noscript>${escapeXml(withoutScript(runs))}</noscript>
<div id="page"></div>
<script type="application/json" id="touchstone-file">${dataText(data)}</script>
<script>${script.text}</script>
</body>
</html>
`;
};

function titleOf(runs: readonly FileRun[]): string {
  const [first] = runs;
  if (!first) return 'Touchstone';
  const name = `${verdictOf(first.run).word}: ${refOf(first.run.suite)}`;
  return runs.length === 1 ? `${name}, ${refOf(first.run.agent)}` : `${plural(runs.length, 'run')}, ${name}`;
}

/** For readers that run no script, such as the preview of a mail program. */
const withoutScript = (runs: readonly FileRun[]): string =>
  runs
    .map(
      ({ run }) =>
        `${verdictOf(run).word}: ${refOf(run.suite)}, agent ${refOf(run.agent)}, run ${run.runId}.`,
    )
    .join(' ');

/** A data block ends at the first end tag, wherever it stands: so none can stand in it. */
const dataText = (data: PageFile): string =>
  printable(JSON.stringify(data)).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
