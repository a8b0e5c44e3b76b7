import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  asId,
  DEPLOYMENT_STATES,
  ERROR_STATUS,
  EVIDENCE_REASONS,
  type Json,
  RUN_ERROR_CODES,
  type TaskId,
  TRANSITIONS,
  type Version,
} from '@touchstone/protocol';
import { type Task, toBody } from '@touchstone/protocol/bodies';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPython } from '../packages/touchstone/src/agents/fixtures/has-python.js';
import { parseAgentSpec, parseToolSpecs } from '../packages/touchstone/src/agents/index.js';
import { loadConfig } from '../packages/touchstone/src/app/config/config.js';
import { configShape } from '../packages/touchstone/src/app/config/config-shape.js';
import { gateShape } from '../packages/touchstone/src/app/config/gates.js';
import { createTestHost } from '../packages/touchstone/src/app/testing/test-host.js';
import { EXIT_ORDER } from '../packages/touchstone/src/cli/io.js';
import { openTestCli, type TestCli } from '../packages/touchstone/src/cli/testing/test-cli.js';
import { outcomeOf, scopeOf } from '../packages/touchstone/src/deployments/states.js';
import {
  readDefinition,
  readProfile,
} from '../packages/touchstone/src/profiles/definition/read-definition.js';
import { smallestDetectableDrop } from '../packages/touchstone/src/scorecard/statistics/detectable.js';
import { createScoring } from '../packages/touchstone/src/scoring/index.js';
import { AT_ONCE } from '../packages/touchstone/src/scoring/testing/at-once.js';
import { readSuiteFile } from '../packages/touchstone/src/suites/parse-suite.js';
import { parseYaml } from '../packages/touchstone/src/suites/text/yaml.js';

// Goal: what the pages say is true. Method: everything in them that a program can read (links, codes, commands, suites,
// configurations, examples, tables of members) is read and held against the code, in both directions where that makes sense.

const root = fileURLToPath(new URL('..', import.meta.url));
const HAS_PYTHON = hasPython();
const SKIPPED = new Set(['node_modules', 'dist', '.git', '.touchstone', 'coverage']);

const pagesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : pagesBelow(path);
    return entry.name.endsWith('.md') ? [relative(root, path)] : [];
  });
const PAGES = pagesBelow(root).sort();
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

type Fence = { readonly language: string; readonly text: string; readonly begins: string };
const fencesOf = (page: string): Fence[] =>
  [...read(page).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] as string,
    text: match[2] as string,
    begins: (match[2] as string).split('\n', 3).join(' ').slice(0, 60),
  }));
const dataFences = (page: string): Fence[] =>
  fencesOf(page).filter(({ language }) => ['json', 'yaml'].includes(language));
const withoutFences = (page: string): string => read(page).replaceAll(/^```\w*\n[\s\S]*?^```$/gm, '');

/** Cells of every table row whose first cell matches, of the whole page or of one part of it. */
const rowsOf = (page: string, first: RegExp, part = withoutFences(page)): string[][] =>
  part
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1))
    .filter(([cell = '']) => first.test(cell));
const bare = (cell: string | undefined): string => (cell ?? '').replaceAll(/^`+ ?| ?`+$/g, '');

// --------------------------------------------------------------------------------------------------------------- links

/** As GitHub makes them: small letters, words joined by hyphens, everything but letters, digits, `-` and `_` left out. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...withoutFences(page).matchAll(/^#+ (.+)$/gm)].map((match) =>
      (match[1] as string)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

function brokenLinks(page: string): string[] {
  const links = [...withoutFences(page).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] as string);
  return links.filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
  if (target.startsWith('..') || !existsSync(join(root, target))) return false;
  return anchor === undefined || (target.endsWith('.md') && anchorsOf(target).has(anchor));
}

const SUBVERBS = [
  'keys create',
  'pack build',
  'pack sign',
  'pack verify',
  'pack install',
  'suite sign',
  'suite verify',
  'suite install',
  'suite publish',
  'suite update',
  'judge check',
  'baseline bless',
  'baseline list',
  'baseline show',
  'audit verify',
  'audit list',
  'audit checkpoint',
];
const GROUPS = new Set(SUBVERBS.map((verb) => verb.split(' ')[0]));

describe('every page', () => {
  it.each(PAGES)('%s links only to what is there', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it.each(PAGES.filter((page) => /^(README|docs)/.test(page)))(
    '%s has only JSON in its JSON samples',
    (page) => {
      const samples = fencesOf(page).filter(({ language }) => language === 'json');
      for (const { text } of samples) expect(() => JSON.parse(text), text).not.toThrow();
    },
  );

  it('is looked at, and a link to nothing would be noticed', () => {
    expect(PAGES).toEqual(
      expect.arrayContaining(['README.md', 'docs/server.md', 'examples/http-agent/README.md']),
    );
    expect(leadsSomewhere('README.md', 'docs/nothing.md')).toBe(false);
    expect(leadsSomewhere('README.md', 'docs/server.md#nothing')).toBe(false);
    expect(leadsSomewhere('docs/server.md', '../README.md#licence')).toBe(true);
  });

  it('about security has a test, which is there, for every promise', () => {
    const promises = rowsOf('docs/security.md', /^(?!who$|promise$|-+$)/).filter(
      (cells) => cells.length === 2,
    );
    expect(promises.length).toBeGreaterThan(40);
    for (const [promise, shown = ''] of promises) {
      const named = [...shown.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
      const files = named.filter((name) => !name.startsWith('npm '));
      expect(named, promise).not.toEqual([]);
      expect(
        files.filter((file) => !existsSync(join(root, file))),
        promise,
      ).toEqual([]);
    }
  });

  it('is reachable from the README', () => {
    const linked = [...read('README.md').matchAll(/\]\((docs\/[^)#]+)/g)].map((match) => match[1]);
    const pages = PAGES.filter((page) => /^docs\/[^/]+\.md$/.test(page));
    expect(linked).toEqual(expect.arrayContaining(pages));
  });
});

// ------------------------------------------------------------------------------------------------------------ commands

/** Command lines that begin with `touchstone`, in shell fences and in inline code. */
function commandsOf(page: string): string[][] {
  const shells = fencesOf(page).filter(({ language }) => ['sh', 'yaml'].includes(language));
  const inline = [...withoutFences(page).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] as string);
  return [...shells.flatMap(({ text }) => text.split('\n')), ...inline].flatMap((line) =>
    [...line.matchAll(/(?:^|[\s/(&])touchstone((?: +[^\s&|;)]+)+)/g)].map((match) =>
      (match[1] as string).trim().split(/ +/),
    ),
  );
}

const VERB = /^[a-z]+$/;
const flagsIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);

describe('commands', () => {
  let desk: TestCli;
  const helps = new Map<string, string>();
  const helpOf = async (verb: string): Promise<string> => {
    const known = helps.get(verb) ?? (await desk.run(...verb.split(' '), '--help')).out;
    helps.set(verb, known);
    return known;
  };
  const optionsOf = async (verb: string): Promise<string[]> => {
    const own = (await helpOf(verb)).split('\nGlobal Options:')[0] ?? '';
    return [...own.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map((match) => match[1] as string);
  };
  const verbs = async (): Promise<string[]> => {
    const list = /\nCommands:\n([\s\S]*?)\n\n/.exec(await helpOf(''))?.[1] ?? '';
    return [...list.matchAll(/^ {2}([a-z]+)/gm)].map((match) => match[1] as string);
  };
  beforeAll(() => {
    desk = openTestCli();
  });
  afterAll(() => desk.close());

  it('in the pages are verbs of the CLI, with options they have', async () => {
    const known = await verbs();
    const seen = new Set<string>();
    for (const page of PAGES) {
      for (const [verb = '', ...rest] of commandsOf(page)) {
        if (!VERB.test(verb)) continue;
        expect(known, `${page}: touchstone ${verb}`).toContain(verb);
        const name = GROUPS.has(verb) && VERB.test(rest[0] ?? '') ? `${verb} ${rest[0]}` : verb;
        const help = await helpOf(name);
        for (const flag of flagsIn(rest.join(' '))) expect(help, `${page}: ${name} ${flag}`).toContain(flag);
        seen.add(verb);
      }
    }
    expect([...seen].sort()).toEqual(known.sort());
  });

  it('are all in docs/cli.md, with every option', async () => {
    const page = read('docs/cli.md');
    for (const verb of [...(await verbs()).filter((one) => one !== 'help'), ...SUBVERBS]) {
      const section = page.split(`\n## touchstone ${verb.split(' ')[0]}\n`)[1]?.split('\n## ')[0] ?? '';
      expect(section, verb).not.toBe('');
      for (const option of await optionsOf(verb))
        if (option !== '--help') expect(section, `touchstone ${verb}`).toContain(option);
    }
  });

  it.each(['README.md', 'docs/ci.md', 'docs/cli.md'])('%s lists every exit code', (page) => {
    const table = /\n\| (?:exit )?code +\| means[\s\S]*?\n\n/.exec(read(page))?.[0] ?? '';
    const codes = [...table.matchAll(/^\| (\d+)/gm)].map((match) => Number(match[1]));
    expect(codes.sort((a, b) => a - b)).toEqual([...EXIT_ORDER].sort((a, b) => a - b));
  });
});

// ------------------------------------------------------------------------------------------------------- codes and API

describe('docs/errors.md', () => {
  const sectionOf = (heading: string): string[][] => {
    const section = read('docs/errors.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    return [...section.matchAll(/^\| `(\w+)` +\| (\d*)/gm)].map((match) => match.slice(1));
  };

  it('explains every code under its status, and no other', () => {
    const told = sectionOf('Codes over HTTP').map(([code, status]) => [code, Number(status)]);
    expect(Object.fromEntries(told)).toEqual(ERROR_STATUS);
  });

  it('explains every code of a run, and no other', () => {
    const told = sectionOf('Codes of a run that failed').map(([code]) => code);
    expect(told.sort()).toEqual([...RUN_ERROR_CODES].sort());
  });
});

type Operation = { 'x-scope'?: string; 'x-scope-alternatives'?: string[] };
type Operations = { [path: string]: { [method: string]: Operation } };

/** Asked for by what a request says, and by no operation as such. */
const DEEDS = ['evals:override', 'deploy:promote', 'deploy:rollback', 'deploy:pause'];
type Render = (document: object) => string;

describe('the API pages', () => {
  let document: { paths: Operations };
  beforeAll(async () => {
    const host = await createTestHost();
    document = (await host.request('GET', '/v1/openapi.json', { key: null })).json();
    await host.close();
  });

  it('docs/api.md is what scripts/api-reference.mjs makes of the routes', async () => {
    const script = new URL('../scripts/api-reference.mjs', import.meta.url).href;
    const { renderApiReference } = (await import(script)) as { renderApiReference: Render };
    expect(read('docs/api.md')).toBe(renderApiReference(document));
  });

  it('docs/server.md lists every scope an operation asks for', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const scopes = operations.flatMap((operation) => [
      operation['x-scope'] ?? [],
      operation['x-scope-alternatives'] ?? [],
    ]);
    const asked = new Set([...scopes.flat(), ...DEEDS]);
    const told = rowsOf('docs/server.md', /^`[a-z]+:[a-z]+`$/).map(([scope]) => bare(scope));
    expect(told.sort()).toEqual([...asked].sort());
  });
});

// ------------------------------------------------------------------------------------------------------------- samples

describe('docs/writing-suites.md', () => {
  /** The table that the page shows. */
  const tableRows = () => {
    const table = fencesOf('docs/writing-suites.md').find(({ language }) => language === 'csv')?.text ?? '';
    const [names = [], ...rows] = table
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    return rows.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])));
  };

  it.each(dataFences('docs/writing-suites.md'))('its suite in $language is valid: $begins', ({ text }) => {
    expect(readSuiteFile(text, { readRows: tableRows }).suite.head.taskCount).toBeGreaterThan(0);
  });

  it('gives the score each awkward example really has', async () => {
    const rows = rowsOf('docs/writing-suites.md', /^`(exact|contains|json-match)`$/);
    expect(rows.length).toBeGreaterThan(20);
    for (const [strategy = '', value = '', answer = '', score] of rows) {
      const task = goldenTask(bare(strategy), JSON.parse(bare(value)) as Json);
      const output = toBody(JSON.parse(bare(answer)) as Json);
      const transcript = { outcome: 'completed', output, toolCalls: [], seed: '' } as const;
      const scored = await scoring.score(
        task,
        transcript,
        new AbortController().signal,
        async () => undefined,
      );
      expect(scored.score, `${strategy} ${value} ${answer}`).toMatchObject({ value: Number(score) });
    }
  });
});

const scoring = createScoring({
  modes: ['golden'],
  ...AT_ONCE,
  tierOf: async () => undefined,
});

const goldenTask = (strategy: string, value: Json): Task => ({
  taskId: asId<TaskId>('example'),
  input: toBody(null),
  expected: { kind: 'golden', match: { strategy: strategy as 'exact', value: toBody(value) } },
});

describe('docs/server.md', () => {
  it.each(dataFences('docs/server.md'))(
    'its configuration in $language is valid: $begins',
    async (sample) => {
      const desk = openTestCli();
      writeFileSync(join(desk.cwd, `touchstone.config.${sample.language}`), sample.text);
      const config = await loadConfig(undefined, desk.cwd).finally(desk.close);
      for (const agent of config.agents) parseAgentSpec(agent, 'operator');
      parseToolSpecs(config.tools);
      expect(config.keys).toHaveLength(1);
    },
  );

  it('names every member a configuration may have', () => {
    const told = read('docs/server.md');
    const members = Object.keys(configShape.properties);
    expect(members.filter((member) => !told.includes(`\`${member}`))).toEqual([]);
  });
});

/** A file of an example is a fence under its name in bold. */
function writeNamedFences(page: string, folder: string): void {
  for (const [, name = '', text = ''] of read(page).matchAll(
    /^\*\*`([^`]+)`\*\*\n\n```\w+\n([\s\S]*?)^```$/gm,
  )) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

describe('docs/agents-and-tools.md', () => {
  const page = 'docs/agents-and-tools.md';
  let desk: TestCli;
  beforeAll(() => {
    desk = openTestCli();
    writeNamedFences(page, desk.cwd);
  });
  afterAll(() => desk.close());

  it.each(['as-module', 'as-command', 'as-script'])('its agent %s passes its suite', async (agent) => {
    const { code, out, err } = await desk.run('run', 'evals', '--agent', `local.demo.${agent}`);
    expect([code, err], out).toEqual([0, '']);
  });

  it('its agent as-http passes its suite', async () => {
    const server = spawn(process.execPath, [join(desk.cwd, 'server.mjs')], {
      env: { ...process.env, PORT: '0' },
    });
    try {
      const [port] = (await once(server.stdout, 'data')) as [Buffer];
      const config = join(desk.cwd, 'touchstone.config.json');
      writeFileSync(config, readFileSync(config, 'utf8').replace('9320', String(port).trim()));
      const { code, out } = await desk.run('run', 'evals', '--agent', 'local.demo.as-http');
      expect(code, out).toBe(0);
    } finally {
      server.kill();
    }
  });

  it('its configuration of tools is valid', () => {
    const samples = fencesOf(page).filter(({ language }) => language === 'json');
    const tools = samples.flatMap(({ text }) => (JSON.parse(text) as { tools?: Json[] }).tools ?? []);
    // A request of the turn protocol lists tools too, without saying where they are.
    const configured = tools.filter((tool) => Object.hasOwn(tool as object, 'url'));
    expect(parseToolSpecs(configured)).toHaveLength(1);
  });
});

describe('docs/quick-start.md', () => {
  const page = 'docs/quick-start.md';
  let desk: TestCli;
  beforeAll(() => {
    desk = openTestCli();
    writeNamedFences(page, desk.cwd);
  });
  afterAll(() => desk.close());

  it.skipIf(!HAS_PYTHON)('its function in Python passes its suite', async () => {
    const { code, out } = await desk.run('run', 'evals/mine.suite.yaml', '--agent', './agent.py');
    expect(code, out).toBe(0);
  });

  it('its mapped service passes its suite, and so do answers that were recorded', async () => {
    const answers: { [question: string]: string } = {
      'Can I send this back?': 'You have 30 days.',
      'Where is order 1042?': 'It comes on Friday.',
    };
    const service = createServer(async (request, response) => {
      const { message } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
        message: string;
      };
      response.end(JSON.stringify({ reply: { text: answers[message] } }));
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    try {
      const config = join(desk.cwd, 'service.config.json');
      const { port } = service.address() as AddressInfo;
      writeFileSync(config, readFileSync(config, 'utf8').replace('${SERVICE_PORT:-8000}', String(port)));
      const run = ['run', 'evals/mine.suite.yaml', '--config', 'service.config.json'];
      const { code, out } = await desk.run(...run, '--agent', 'local.demo.service');
      expect(code, out).toBe(0);
    } finally {
      service.close();
    }
    const rows = ['refunds', 'order-status'].map((taskId, at) =>
      JSON.stringify({ taskId, output: Object.values(answers)[at] }),
    );
    writeFileSync(join(desk.cwd, 'out.jsonl'), rows.join('\n'));
    expect((await desk.run('run', 'evals/mine.suite.yaml', '--answers', 'out.jsonl')).code).toBe(0);
  });
});

describe('docs/contracts.md', () => {
  const page = 'docs/contracts.md';
  const profiles = 'packages/touchstone/src/profiles';
  const source = (file: string): string => readFileSync(join(root, profiles, file), 'utf8');
  const quoted = (text: string): string[] =>
    [...text.matchAll(/'([a-z0-9_]+)'/g)].map(([, word]) => word as string);
  let desk: TestCli;
  beforeAll(() => {
    desk = openTestCli();
    writeNamedFences(page, desk.cwd);
  });
  afterAll(() => desk.close());

  it('its example keeps its contract, and breaks it when more is asked', async () => {
    const kept = await desk.run('run', 'parcel-desk.json', '--json');
    expect(kept.code, kept.err + kept.out).toBe(0);
    const { contract } = JSON.parse(kept.out) as { contract: Json };
    const told = fencesOf(page).find(({ text }) => text.includes('"verdict"'))?.text ?? '';
    expect(steady(contract)).toEqual(steady(JSON.parse(told) as Json));
    const file = join(desk.cwd, 'parcel-desk.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"threshold": 0.75', '"threshold": 0.9'));
    expect((await desk.run('run', 'parcel-desk.json')).code).toBe(1);
  });

  it('its other definitions, profiles and configurations can be read', async () => {
    const samples = dataFences(page).map(({ text }) => text);
    const manifests = samples.filter((text) => text.startsWith('apiVersion'));
    expect(manifests.map((text) => readDefinition(text).agents.length)).toEqual([1]);
    const alone = samples.filter((text) => text.startsWith('golden_dataset_uri'));
    expect(alone.map((text) => readProfile(text).golden_dataset_uri)).toEqual(['evaluation/parcels.jsonl']);
    const configurations = samples.filter((text) => /^\{\n {2}"(providers|datasets)"/.test(text));
    expect(configurations).toHaveLength(3);
    for (const text of configurations) {
      writeFileSync(join(desk.cwd, 'sample.config.json'), text);
      expect((await loadConfig('sample.config.json', desk.cwd)).troubles).toEqual([]);
    }
  });

  it('has every name that is well known, and no other', () => {
    const rules = source('compile/thresholds.ts').split('RULES')[1]?.split(']);')[0] ?? '';
    const known = [...rules.matchAll(/\['([a-z0-9_]+)'/g)].map(([, name]) => name as string);
    const section = read(page).split('\n## Criteria\n')[1]?.split('\n### ')[0] ?? '';
    const names = [...section.matchAll(/^\| ((?:`[a-z0-9_]+`(?:, )?)+) +\|/gm)].flatMap(([, cell = '']) =>
      cell.split(', ').map((name) => bare(name.trim())),
    );
    expect(known.length).toBeGreaterThan(20);
    expect(names.sort()).toEqual(known.sort());
  });

  it('has every code of errors and warnings', () => {
    const compileCodes =
      source('compile/options.ts').split('type CompileCode')[1]?.split('type CompileIssue')[0] ?? '';
    const types = [compileCodes, source('datasets/errors.ts').split('=>')[0] ?? ''];
    const codes = types.flatMap(quoted);
    expect(codes.length).toBeGreaterThan(40);
    expect(codes.filter((code) => !read(page).includes(`\`${code}\``))).toEqual([]);
  });
});

/** What differs from run to run, and from machine to machine, made equal. */
const steady = (value: Json): Json =>
  JSON.parse(
    JSON.stringify(value, (key, member: unknown) => {
      if (key === 'p95Ms') return 0;
      return key === 'runId' || key === 'digest' || key === 'contract' ? typeof member : member;
    }),
  ) as Json;

describe('docs/regression.md', () => {
  const page = 'docs/regression.md';
  const number = (cell = ''): number => Number(cell.replaceAll(/[, ]/g, ''));
  /** The columns of both tables: how many tasks flip by chance. */
  const NOISE = [0, 0.05, 0.2];

  it('says how many tasks it takes to find a drop', () => {
    const rows = rowsOf(page, /^0\.\d\d$/);
    expect(rows).toHaveLength(6);
    for (const [drop, ...needed] of rows)
      for (const [column, tasks] of needed.map(number).entries()) {
        const noise = NOISE[column] as number;
        expect(smallestDetectableDrop(tasks, noise), `${drop}, ${noise}`).toBeLessThanOrEqual(number(drop));
        expect(smallestDetectableDrop(tasks - 1, noise), `${drop}, ${noise}`).toBeGreaterThan(number(drop));
      }
  });

  it('says what drop a suite of some size can show', () => {
    const rows = rowsOf(page, /^(10|20|50|100|500|1,000)$/);
    expect(rows).toHaveLength(6);
    for (const [tasks, ...drops] of rows)
      for (const [column, drop] of drops.entries()) {
        const exact = smallestDetectableDrop(number(tasks), NOISE[column] as number) as number;
        expect(exact.toFixed((drop.split('.')[1] ?? '').length), `${tasks} tasks`).toBe(drop);
      }
  });

  it('has the formula that stands above the code', () => {
    const source = readFileSync(
      join(root, 'packages/touchstone/src/scorecard/statistics/detectable.ts'),
      'utf8',
    );
    const formula = fencesOf(page).find(({ text }) => text.includes('power(drop)'))?.text ?? '';
    const lines = formula.trim().split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(source).toContain(line);
  });
});

describe('docs/deployments.md', () => {
  const page = 'docs/deployments.md';
  const sectionRows = (heading: string, first: RegExp): string[][] =>
    rowsOf(page, first, withoutFences(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '');

  it('its gates can be configured', async () => {
    const samples = fencesOf(page).filter(({ text }) => text.includes('"gates"'));
    expect(samples).toHaveLength(1);
    const desk = openTestCli();
    writeFileSync(join(desk.cwd, 'touchstone.config.json'), samples[0]?.text ?? '');
    const config = await loadConfig(undefined, desk.cwd).finally(desk.close);
    expect(config.gates).toMatchObject([{ gateId: 'release', approval: { quorum: 2 } }]);
  });

  it('has every transition with its scope, and no other', () => {
    const possible = TRANSITIONS.flatMap((transition) =>
      DEPLOYMENT_STATES.flatMap((from) => {
        const to = outcomeOf(transition, from, true);
        const request = { transition, version: asId<Version>('1.0.0') };
        return to === undefined ? [] : [[transition, from, to, scopeOf(request, from)]];
      }),
    );
    const rows = sectionRows('States', /^`[a-z-]+`$/);
    expect(rows.map((row) => row.slice(0, 4).map(bare)).sort()).toEqual(possible.sort());
  });

  it('has every member of a gate, and no other', () => {
    const { members, groups } = membersOf(gateShape as Shape, '');
    const told = sectionRows('Gates', /^`[a-zA-Z.]+`$/).map(([name]) => bare(name));
    expect(members.length).toBeGreaterThan(15);
    expect(members.filter((member) => !told.includes(member))).toEqual([]);
    expect(told.filter((name) => ![...members, ...groups].includes(name))).toEqual([]);
  });

  it('has every reason why a run is no evidence, in the order they are looked for', () => {
    const file = 'packages/touchstone/src/deployments/decide-evidence.ts';
    const checks = readFileSync(join(root, file), 'utf8').matchAll(/^ {2}\['([a-z_]+)', /gm);
    const first = ['agent_revoked', 'no_eval_run', 'not_found', 'not_an_eval'];
    const looked = [...first, ...[...checks].map(([, reason]) => reason)];
    const told = sectionRows('Evidence', /^`[a-z_]+`$/).map(([reason]) => bare(reason));
    expect(told).toEqual(looked);
    expect([...told].sort()).toEqual([...EVIDENCE_REASONS].sort());
  });
});

type Members = { readonly members: readonly string[]; readonly groups: readonly string[] };

/** Names of everything a shape may hold, and apart from them those that only hold others. */
type Shape = { readonly properties?: { readonly [name: string]: Shape } };
function membersOf({ properties = {} }: Shape, prefix: string): Members {
  const parts = Object.entries(properties).map(([name, inner]): Members => {
    const path = `${prefix}${name}`;
    const below = membersOf(inner, `${path}.`);
    return below.members.length === 0
      ? { members: [path], groups: [] }
      : { ...below, groups: [path, ...below.groups] };
  });
  return {
    members: parts.flatMap(({ members }) => members),
    groups: parts.flatMap(({ groups }) => groups),
  };
}

describe.each(['README.md', 'docs/ci.md'])('the jobs in %s', (page) => {
  type Step = { readonly run?: string; readonly uses?: string; readonly env?: { [name: string]: string } };
  type Job = { readonly 'runs-on': string; readonly env?: Step['env']; readonly steps: readonly Step[] };
  const files = fencesOf(page)
    .filter(({ language }) => language === 'yaml')
    .map(({ text }) => parseYaml(text));
  const jobs = files.flatMap(({ value }) =>
    Object.values((value as { jobs?: { [name: string]: Job } } | undefined)?.jobs ?? {}),
  );

  it('can be read, and each step does one thing', () => {
    expect(jobs.length).toBeGreaterThanOrEqual(files.length);
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap(({ issues }) => issues)).toEqual([]);
    for (const job of jobs) {
      expect(job['runs-on']).toBe('ubuntu-latest');
      const odd = job.steps.filter(({ run, uses }) => (run === undefined) === (uses === undefined));
      expect(odd).toEqual([]);
    }
  });

  it('hold no key in clear', () => {
    const given = jobs.flatMap(({ env, steps }) => [env, ...steps.map((step) => step.env)]);
    const keys = given.flatMap((env) => Object.entries(env ?? {})).filter(([name]) => /KEY|TOKEN/.test(name));
    const hidden = /^\$\{\{ (secrets\.[A-Z_]+|github\.token) \}\}$/;
    expect(keys.filter(([, value]) => !hidden.test(value))).toEqual([]);
    const lines = jobs.flatMap(({ steps }) => steps.map(({ run = '' }) => run)).join('\n');
    expect(lines).not.toMatch(/\bts_\w|Bearer (?!\$)|_KEY=[^"$\s]/);
  });
});

describe('docs/webhooks.md', () => {
  const SECRET = '0123456789abcdef0123456789abcdef';
  const BODY = JSON.stringify({ runId: 'run-1', workspaceId: 'main', event: { type: 'run.completed' } });
  let desk: TestCli;
  let receiver: ChildProcess;
  let url: string;

  beforeAll(async () => {
    desk = openTestCli();
    const example = fencesOf('docs/webhooks.md').find(({ language }) => language === 'js')?.text ?? '';
    const file = join(desk.cwd, 'receiver.mjs');
    writeFileSync(
      file,
      example.replace(
        '.listen(9400)',
        ".listen(0, '127.0.0.1', function () { console.log(this.address().port) })",
      ),
    );
    receiver = spawn(process.execPath, [file], { env: { ...process.env, SECRET } });
    const [port] = (await once(receiver.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    url = `http://127.0.0.1:${String(port).trim()}/`;
  });
  afterAll(() => {
    receiver.kill();
    desk.close();
  });

  const post = async (at: number, signed: string, sent = signed): Promise<number> => {
    const hmac = createHmac('sha256', SECRET).update(`${at}.${signed}`).digest('hex');
    const headers = { 'x-openwop-timestamp': String(at), 'x-openwop-signature': `sha256=${hmac}` };
    return (await fetch(url, { method: 'POST', body: sent, headers })).status;
  };

  it('its receiver takes what is signed, and neither what is old nor what was changed', async () => {
    const now = Math.floor(Date.now() / 1_000);
    expect(await post(now, BODY)).toBe(204);
    expect(await post(now - 3_600, BODY)).toBe(401);
    expect(await post(now, BODY, BODY.replace('run-1', 'run-2'))).toBe(401);
  });
});

it('no page names a place of the machine it was written on', () => {
  expect(PAGES.filter((page) => /(?<![\w.])\/(work|tmp|root|home)\//.test(read(page)))).toEqual([]);
});

describe('the pages about the code', () => {
  const folders = ['', 'packages', 'packages/touchstone/src', 'packages/protocol/src', 'packages/sdk/src'];
  const alternatives = (path: string): readonly string[] => {
    const [, before = '', names = '', after = ''] = /^(.*)\{([^}]*)\}(.*)$/.exec(path) ?? [];
    return names === '' ? [path] : names.split(',').map((name) => `${before}${name}${after}`);
  };
  const exists = (path: string): boolean => folders.some((folder) => existsSync(join(root, folder, path)));

  it.each(['docs/ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names files that exist', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const paths = [...text.matchAll(/`([\w-]+\/[\w./{},-]+\.(?:ts|json|mjs))`/g)].map(
      (match) => match[1] ?? '',
    );
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.flatMap(alternatives).filter((path) => !exists(path))).toEqual([]);
  });
});
