import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from '../calls.mjs';
import { startCommand } from '../command.mjs';
import { documentOf, SUITES } from '../suites.mjs';

/** The codes of a command that was not disturbed: passed, or a threshold is missed. */
const JUDGED = [0, 1];

/** `touchstone run` on the store of the hosts: it finishes, is killed, or is asked to end. */
export async function runOnCommandLine(soak) {
  const { random, commands } = soak;
  const suite = random.pick(SUITES);
  const signal = random.pick([undefined, 'SIGKILL', 'SIGKILL', 'SIGTERM']);
  const afterMs = random.between(500, 6_000);
  const file = join(soak.folder, `${suite.name}.suite.json`);
  writeFileSync(file, JSON.stringify(documentOf('local', suite)));
  const args = ['run', file, '--agent', soak.agent.url, '--json'];
  const started = startCommand(soak, args);
  commands.started += 1;
  if (signal) void pause(afterMs).then(() => started.child.kill(signal));
  checkCommand(soak, suite, signal, await started.ended);
}

function checkCommand({ findings, commands, troubles }, suite, signal, { code, stdout, stderr }) {
  if (code === null) commands.killed += 1;
  else if (signal === 'SIGTERM' && code === 130) commands.interrupted += 1;
  else if (JUDGED.includes(code)) checkResult(findings, commands, suite, stdout);
  else if (!troubles.were(10_000)) findings.add(`the command line ended with ${code}`, `${stdout} ${stderr}`);
}

function checkResult(findings, commands, suite, stdout) {
  commands.finished += 1;
  const passed = parse(stdout)?.summary?.passedCount;
  if (passed !== suite.passes) findings.add('the command line has a wrong score', `${suite.name}: ${passed}`);
}
