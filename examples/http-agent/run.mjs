// Starts the agent, evaluates it, and stops it again. The exit code is that of the evaluation.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const local = (path) => fileURLToPath(new URL(path, import.meta.url));
const start = (args, stdio) => spawn(process.execPath, args, { stdio });

const agent = start([local('./server.mjs')], ['ignore', 'pipe', 'inherit']);
const begun = await Promise.race([once(agent.stdout, 'data'), once(agent, 'exit').then(() => undefined)]);
if (!begun) process.exit(1);

const command = local('../../packages/touchstone/bin/touchstone.js');
const suite = [local('./evals'), '--config', local('./touchstone.config.json')];
const evaluation = start([command, 'run', ...suite, ...process.argv.slice(2)], 'inherit');
const [code] = await once(evaluation, 'exit');
agent.kill();
process.exitCode = code ?? 1;
