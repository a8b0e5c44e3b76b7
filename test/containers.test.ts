import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readCompose } from './flows/compose-processes.js';
import { listIn, readStages } from './flows/dockerfile.js';

// Goal: the container files keep their promises of docs/containers.md. No engine runs here; that they work is shown by
// test/flows/{compose,image}.slow.test.ts.
const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const textOf = (path: string) => readFileSync(at(path), 'utf8');

describe('the image', () => {
  const stages = readStages();
  const last = stages.at(-1)?.instructions ?? [];
  const named = (name: string) => last.filter((one) => one.name === name).map(({ text }) => text);

  it('is built in two stages on the same slim image, and takes only what was installed from the archive', () => {
    expect(stages.map(({ from }) => from)).toEqual(['node:22-slim', 'node:22-slim']);
    expect(named('COPY')).toEqual(['--from=build /app/node_modules /app/node_modules']);
    expect(last.filter(({ name }) => name === 'ADD')).toEqual([]);
  });

  it('does not run as root, and has no package manager when it runs', () => {
    const names = last.map(({ name }) => name);
    expect(named('USER')).toEqual(['node']);
    expect(names.lastIndexOf('RUN')).toBeLessThan(names.indexOf('USER'));
    expect(named('RUN').join(' ')).toContain('rm -rf /usr/local/lib/node_modules /usr/local/bin/npm');
    expect(named('RUN').join(' ')).not.toMatch(/npm (install|ci)|apt|curl/);
  });

  it('serves on every address by default, keeps everything in /data, and checks its health without another program', () => {
    expect(listIn(named('ENTRYPOINT')[0] ?? '')).toEqual(['touchstone']);
    expect(listIn(named('CMD')[0] ?? '')).toEqual(['serve', '--bind', '0.0.0.0', '--data', '/data']);
    expect(named('VOLUME')).toEqual(['/data']);
    expect(named('HEALTHCHECK')[0]).toMatch(
      /CMD \["node", "-e", "fetch\('http:\/\/127\.0\.0\.1:8787\/healthz'\)/,
    );
  });

  it('is built without what a machine keeps for itself', () => {
    const rules = textOf('.dockerignore').split('\n');
    expect(rules.filter((rule) => rule && !rule.startsWith('#'))[0]).toBe('*');
    for (const rule of ['**/node_modules', '**/.env*', '**/.touchstone']) expect(rules).toContain(rule);
    for (const rule of rules.filter((one) => one.startsWith('!') && !one.includes('*')))
      expect(existsSync(at(rule.slice(1))), rule).toBe(true);
  });
});

describe.each(['compose.yaml', 'compose.fleet.yaml'])('%s', (name) => {
  const { services, secrets = {} } = readCompose(name);
  const entries = Object.entries(services);

  it('gives every process of ours as few rights as it needs', () => {
    for (const [service, { image, ...members }] of entries)
      if (image === 'touchstone')
        expect(members, service).toMatchObject({
          init: true,
          user: 'node',
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
        });
  });

  it('has its secrets in files, and publishes plain HTTP on this machine only', () => {
    for (const [service, { environment = {}, ports = [] }] of entries) {
      for (const variable of Object.keys(environment))
        if (/password|secret|key|token/i.test(variable)) expect(variable, service).toMatch(/_FILE$/);
      for (const port of ports as readonly string[]) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
    for (const { file } of Object.values(secrets)) expect(file).toMatch(/^\.\/secrets\//);
  });

  it('checks the health of all that goes on, and waits longer for an end than the program does', () => {
    for (const [service, { command = [], healthcheck, restart, ...members }] of entries) {
      const drain = Number(command[command.indexOf('--drain') + 1] ?? 0) || 0;
      const grace = Number.parseInt(String(members.stop_grace_period ?? '10s'), 10);
      expect(grace, service).toBeGreaterThan(drain);
      if (restart !== 'no' && service !== 'proxy') expect(healthcheck?.test, service).toBeDefined();
    }
  });
});

describe('the chart', () => {
  it('is of this release', () => {
    const { version } = JSON.parse(textOf('packages/touchstone/package.json')) as {
      readonly version: string;
    };
    expect(parse(textOf('deploy/chart/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('holds no secret, and wants one that exists', () => {
    const values = parse(textOf('deploy/chart/values.yaml')) as { readonly existingSecret: string };
    expect(values.existingSecret).toBe('');
    expect(textOf('deploy/chart/templates/serve.yaml')).not.toContain('kind: Secret');
  });
});
