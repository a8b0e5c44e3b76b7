import type { Scorecard } from '@touchstone/protocol';
import { shellWord } from '../session.js';
import { blocks, type Look } from './text.js';
import { caveatNotes, noteLines, resultRows, rowLines, verdictDocument } from './verification.js';

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
  const { ink, width } = look;
  const { scorecard, file, keyId, ownKey, publicKeyFile } = exported;
  const { agent, suite, runId } = scorecard;
  const rows = [
    ...(file === undefined ? [] : [['file', file] as const]),
    ['run', runId] as const,
    ['agent', `${agent.agentId}@${agent.version}`] as const,
    ['suite', `${suite.suiteId}@${suite.version}`] as const,
    ...resultRows(scorecard),
    ['signed by', ownKey ? `${keyId}, the key of this machine` : keyId] as const,
    ...(publicKeyFile === undefined ? [] : [['public key', publicKeyFile] as const]),
  ];
  const shown = file === undefined ? '<file>' : shellWord(file);
  const key = publicKeyFile === undefined ? 'pub.pem' : shellWord(publicKeyFile);
  const parts = [
    [`  ${ink.bold('Exported a scorecard')}`, ...rowLines(rows, ink, Number.POSITIVE_INFINITY)],
    noteLines(caveatNotes(scorecard), ink, Math.min(100, width)),
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
export const exportDocument = (exported: Exported): object => {
  const { scorecard, file, keyId, publicKey, publicKeyFile } = exported;
  const { runId, agent, suite, summary, caveats } = scorecard;
  return {
    runId,
    file,
    keyId,
    publicKey,
    ...(publicKeyFile !== undefined && { publicKeyFile }),
    agent,
    suite: { ref: `${suite.suiteId}@${suite.version}`, digest: suite.digest },
    score: summary.aggregateScore,
    ...verdictDocument(scorecard),
    log: scorecard.log,
    ...(caveats && { caveats }),
  };
};
