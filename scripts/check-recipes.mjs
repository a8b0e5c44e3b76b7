// Do the recipes work as they are written? node scripts/check-recipes.mjs [recipe…]
//
// Each recipe is copied to an empty folder, gets the packages it names, and is evaluated: the frameworks are the real
// ones, the model is the stand-in on loopback. A recipe whose packages are not to be had is named and left out, and is a
// failure when TOUCHSTONE_REQUIRE_ALL is set. PYTHON names the interpreter that has FastAPI and Uvicorn.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const local = (path) => fileURLToPath(new URL(path, import.meta.url));
const TOUCHSTONE = local('../packages/touchstone/bin/touchstone.js');
const PYTHON = process.env.PYTHON ?? 'python3';
const RECIPES = { langgraph: withModel, 'openai-agents': withModel, adk: withModel, fastapi: withService };

const chosen = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'touchstone-recipes-'));
const results = [];
try {
  for (const [name, check] of Object.entries(RECIPES))
    if (chosen.length === 0 || chosen.includes(name)) results.push({ name, ...(await check(copyOf(name))) });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const { name, missing, passed, tasks } of results)
  console.log(missing ? `NOT RUN ${name}: ${missing}` : `${name}: ${passed} of ${tasks} tasks passed`);
const isComplete = results.every(({ missing }) => !missing) || !process.env.TOUCHSTONE_REQUIRE_ALL;
const isRight = results.every(({ missing, passed, tasks }) => missing || (tasks > 0 && passed === tasks));
process.exitCode = isComplete && isRight && results.length > 0 ? 0 : 1;

function copyOf(name) {
  const copy = join(folder, name);
  cpSync(local(`../examples/recipes/${name}`), copy, { recursive: true });
  return copy;
}

async function withModel(recipe) {
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', install, { cwd: recipe, stdio: 'inherit', timeout: 180_000 });
  if (status !== 0) return { missing: 'npm could not install its packages' };
  const model = spawn(process.execPath, [local('../examples/recipes/stand-in/model.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(model.stdout.setEncoding('utf8'), 'data');
    const url = line.trim();
    const key = 'stand-in';
    return evaluate(recipe, {
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: key,
    });
  } finally {
    model.kill();
  }
}

async function withService(recipe) {
  const probe = spawnSync(PYTHON, ['-c', 'import fastapi, uvicorn']);
  if (probe.status !== 0) return { missing: `${PYTHON} has no fastapi or no uvicorn` };
  const port = await freePort();
  const server = ['-m', 'uvicorn', 'service:app', '--port', String(port), '--log-level', 'warning'];
  const service = spawn(PYTHON, server, { cwd: recipe, stdio: 'inherit' });
  try {
    await answers(`http://127.0.0.1:${port}/docs`);
    return evaluate(recipe, { SERVICE_PORT: String(port) });
  } finally {
    service.kill();
  }
}

/** Runs the suites of the recipe, as its reader would. */
function evaluate(recipe, env) {
  const run = spawnSync(process.execPath, [TOUCHSTONE, 'run', 'evals/orders.suite.yaml', '--json'], {
    cwd: recipe,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (run.status === 0) {
    const { summary } = JSON.parse(run.stdout);
    return { passed: summary.passedCount, tasks: summary.taskCount };
  }
  console.error(run.stdout + run.stderr);
  return { passed: 0, tasks: 0 };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(url) {
  for (let tries = 0; tries < 300; tries += 1) {
    const { ok } = await fetch(url).catch(() => ({ ok: false }));
    if (ok) return;
    await pause(100);
  }
  throw new Error('The service did not start within 30 s.');
}
