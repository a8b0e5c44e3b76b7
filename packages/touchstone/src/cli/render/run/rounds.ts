import {
  outcomeOfRounds,
  type RoundsView,
  range,
  roundsWords,
  score,
  signed,
  whole,
} from '@touchstone/sdk/view';
import { blocks, noteLines } from '../layout.js';
import { renderTable } from '../table.js';
import { type Ink, type Look, printable } from '../text.js';

const WORDS = {
  passed: ['PASS', 'green'],
  failed: ['FAIL', 'red'],
  unjudged: ['INCONCLUSIVE', 'yellow'],
  'over-budget': ['OVER BUDGET', 'yellow'],
  interrupted: ['INTERRUPTED', 'yellow'],
} as const;

/** An evaluation in rounds: what was known after each, and the verdict. */
export function renderRounds(view: RoundsView, look: Look, conclusive: boolean): string {
  const [word, paint] = WORDS[outcomeOfRounds(view, conclusive)];
  const { ink } = look;
  return `\n${blocks([
    [
      `  ${ink[paint](ink.bold(word))}  ${printable(view.suite.ref)}`,
      `  ${ink.dim(`agent ${printable(`${view.agent.agentId}@${view.agent.version}`)}`)}`,
    ],
    tableOf(view, ink),
    noteLines(roundsWords(view), look, (text) => text),
  ])}\n`;
}

function tableOf({ looks, against }: RoundsView, ink: Ink): readonly string[] {
  const heads = ['round', 'tasks', 'score', '95 % at every look', 'verdict', ...(against ? ['change'] : [])];
  const rows = looks.map(({ tasks, score: value, interval, verdict, regression }, at) => [
    String(at + 1),
    whole(tasks),
    score(value),
    range(interval),
    verdict === 'inconclusive' ? ink.dim('open') : verdict,
    ...(regression ? [signed(regression.scoreDelta)] : []),
  ]);
  return renderTable(heads, rows, ink).trimEnd().split('\n');
}
