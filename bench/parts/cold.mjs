// How long a person waits for nothing: the start of the command.
import { bareNode } from '../lib/floors.mjs';
import { median, node } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { COMMAND } from '../lib/touchstone.mjs';

const ROUNDS = 15;
const COMMANDS = [['--version'], ['run', '--help']];

export async function cold({ report, peers }) {
  const commands = [
    ['bare node', bareNode],
    ...COMMANDS.map((args) => [`touchstone ${args.join(' ')}`, () => node([COMMAND, ...args])]),
    ...peers.filter(({ version }) => version).map((peer) => [`${peer.name} --version`, peer.version]),
  ];
  const walls = new Map(commands.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, start] of commands) walls.get(name).push((await start()).wallMs);
  }
  const bareMs = median(walls.get('bare node'));
  for (const [name, wallTimes] of walls) {
    const wallMs = median(wallTimes);
    report.note('cold', {
      who: name,
      medianMs: wallMs,
      bestMs: Math.min(...wallTimes),
      'of bare node': wallMs / bareMs,
    });
    if (name !== 'bare node') addRow(report, name, wallMs, bareMs);
  }
}

function addRow(report, name, wallMs, bareMs) {
  const hasTarget = name === 'touchstone --version';
  report.row({
    what: name,
    ours: seconds(wallMs),
    floor: `node ${seconds(bareMs)}`,
    ratio: times(wallMs / bareMs),
    ...(hasTarget && { target: '≤ 1.5 ×', ok: wallMs / bareMs <= 1.5 }),
  });
}
