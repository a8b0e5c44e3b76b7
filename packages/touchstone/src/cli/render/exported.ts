import { defined, type Scorecard } from '@touchstone/protocol';
import { refOf } from '@touchstone/sdk/view';
import { blocks, noteLines, type Row, readable, rowLines } from './layout.js';
import { shellWord } from './shell.js';
import type { Look } from './text.js';
import { caveatNotes, LABEL, resultRows, verdictDocument } from './verification.js';

/** A scorecard that has been written for others, and what they need to check it. */
export type Exported = {
  readonly scorecard: Scorecard;
  /** Absent when it went to stdout. */
  readonly file?: string;
  readonly keyId: string;
  /** Signed with the key of this machine. */
  readonly ownKey: boolean;
  /** PEM. */
  readonly publicKey: string;
  readonly publicKeyFile?: string;
};

/** Where it is, who signed it, and how others come to believe it. `again` writes the public key to a file. */
export function renderExport(exported: Exported, again: string, look: Look): string {
  const { ink } = look;
  const { scorecard, file, keyId, ownKey, publicKeyFile } = exported;
  const rows: readonly Row[] = [
    ['file', file],
    ['run', scorecard.runId],
    ['agent', refOf(scorecard.agent)],
    ['suite', refOf(scorecard.suite)],
    ...resultRows(scorecard),
    ['signed by', ownKey ? `${keyId}, the key of this machine` : keyId],
    ['public key', publicKeyFile],
  ];
  const shown = file === undefined ? '<file>' : shellWord(file);
  const key = publicKeyFile === undefined ? 'pub.pem' : shellWord(publicKeyFile);
  const whole = { ...look, width: Number.POSITIVE_INFINITY };
  const parts = [
    [`  ${ink.bold('Exported a scorecard')}`, ...rowLines(rows, whole, { label: LABEL })],
    noteLines(caveatNotes(scorecard), readable(look), ink.yellow),
    [
      `  ${ink.dim('Others check it with the public key:')}`,
      ...(publicKeyFile === undefined ? [`  ${ink.cyan(again)}  ${ink.dim('writes it')}`] : []),
      `  ${ink.cyan(`touchstone verify ${shown} --key ${key}`)}`,
      `  ${ink.dim('or once and for all, in their configuration:')}`,
      `  ${trustEntry(exported)}`,
    ],
  ];
  return `${blocks(parts)}\n`;
}

/** As it is put into a configuration. */
const trustEntry = ({ keyId, publicKey, publicKeyFile }: Exported): string => {
  const key = publicKeyFile === undefined ? { publicKey } : { file: publicKeyFile };
  return `"trust": { "keys": [${JSON.stringify({ keyId, ...key })}] }`;
};

/** The `--json` form. */
export const exportDocument = ({ scorecard, file, keyId, publicKey, publicKeyFile }: Exported): object => {
  const { runId, agent, suite, summary, caveats, log } = scorecard;
  return {
    ...defined({ runId, file, keyId, publicKey, publicKeyFile, agent }),
    suite: { ref: refOf(suite), digest: suite.digest },
    score: summary.aggregateScore,
    ...verdictDocument(scorecard),
    ...defined({ log, caveats }),
  };
};
