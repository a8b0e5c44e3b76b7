import { type Issue, isHostError, type JsonObject, type Owner, validationError } from '@touchstone/protocol';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { createSlots } from '../../net/index.js';
import { INVOICES, POLICIES } from '../../profiles/definition/testing/definitions.js';
import type { DefinitionAgent } from '../../profiles/types.js';
import { type CompiledDefinition, compileDefinition, inSlots, profiledAgent } from './compile-definition.js';
import type { CompiledProfile, ProfileRequest, Profiles } from './profiles.js';

const OWNER: Owner = { tenant: 'acme', workspace: 'main' };
const invoices = JSON.parse(INVOICES) as JsonObject;

/** Keeps what it was asked to do, and finds one thing worth telling. */
function recordingDesk() {
  const refuse = () => Promise.reject(new Error('Nobody over the network replaces anything.'));
  const asked: ProfileRequest[] = [];
  const kept: unknown[] = [];
  const compiled = { warnings: [{ code: 'of_the_compiler', message: '' }] } as unknown as CompiledProfile;
  const desk: Profiles = {
    async compile(request) {
      asked.push(request);
      return compiled;
    },
    write: () => Promise.reject(new Error('Nothing is written for somebody on the network.')),
    async install(_, one) {
      kept.push(one);
      return 'created';
    },
    replace: refuse,
    replacePlain: refuse,
  };
  return { desk, asked, kept };
}

describe('compiling what a tenant sends', () => {
  it('reads its dataset under the rules for tenants, and installs only when asked to', async () => {
    const { desk, asked, kept } = recordingDesk();
    const result = await compileDefinition(desk, OWNER, { definition: invoices, rows: [{ input: 1 }] });
    expect(asked).toMatchObject([{ from: { trust: 'tenant', tenant: 'acme' }, rows: [{ input: 1 }] }]);
    expect(asked[0]?.from).not.toHaveProperty('baseDir');
    expect(asked[0]).not.toHaveProperty('allowUnpinned');
    expect(result).not.toHaveProperty('installed');
    expect(kept).toEqual([]);
    const wish = { definition: invoices, install: true, targetAgentId: 'local.acme.x' };
    expect((await compileDefinition(desk, OWNER, wish)).installed).toBe('created');
    expect(asked[1]).toMatchObject({ options: { targetAgentId: 'local.acme.x' } });
  });

  it('tells what was worth telling when reading, and then when compiling', async () => {
    const bare = {
      ...(parse(POLICIES) as { readonly definitions: { readonly [id: string]: object } } & JsonObject),
    };
    const agent = bare.definitions['policy-summariser'] as { readonly interface: object };
    const loose = { ...agent, interface: { ...agent.interface, outputs: { summary: { type: 'string' } } } };
    const definition = { ...bare, definitions: { 'policy-summariser': loose } } as unknown as JsonObject;
    const { warnings } = await compileDefinition(recordingDesk().desk, OWNER, { definition });
    expect(warnings.map(({ code }) => code)).toEqual(['bare_properties', 'of_the_compiler']);
  });

  it('names its suite as it is told, and shows a wrong name where it stands in the request', async () => {
    const { desk, asked } = recordingDesk();
    const wish = { definition: invoices, scope: 'vendor', org: 'acme', suiteName: 'second' };
    await compileDefinition(desk, OWNER, wish);
    expect(asked[0]?.options).toEqual({ scope: 'vendor', org: 'acme', name: 'second' });
    const strict: Profiles = {
      ...desk,
      compile: () =>
        Promise.reject(
          validationError([
            { pointer: '/options/name', message: 'No.' },
            { pointer: '/options/targetAgentId', message: 'No.' },
            { pointer: '/evaluation', message: 'No.' },
          ]),
        ),
    };
    await expect(compileDefinition(strict, OWNER, wish)).rejects.toMatchObject({
      details: {
        field: 'suiteName',
        issues: [{ pointer: '/suiteName' }, { pointer: '/targetAgentId' }, { pointer: '/evaluation' }],
      },
    });
  });

  it('is named as the member that is wrong when it is no definition at all', async () => {
    await expect(compileDefinition(recordingDesk().desk, OWNER, { definition: {} })).rejects.toMatchObject({
      details: { field: 'definition', issues: [{ pointer: '/definition' }] },
    });
  });

  it('follows no reference to a file', async () => {
    const definition = { ...(parse(POLICIES) as JsonObject), definitions: { a: { $ref: 'a.yaml' } } };
    const { desk, asked } = recordingDesk();
    await expect(compileDefinition(desk, OWNER, { definition })).rejects.toMatchObject({
      code: 'validation_error',
    });
    expect(asked).toEqual([]);
  });
});

describe('the agent that is meant', () => {
  const agent = (id: string, hasProfile: boolean): DefinitionAgent =>
    ({ id, ...(hasProfile && { evaluation: {} }) }) as unknown as DefinitionAgent;
  const agents = [agent('a', true), agent('b', false), agent('c', true)];
  const pointerOf = (wanted?: string, among = agents): unknown => {
    try {
      return profiledAgent(among, wanted).id;
    } catch (error) {
      const { issues } = (isHostError(error) && error.details) as { readonly issues: readonly Issue[] };
      return issues[0]?.pointer;
    }
  };

  it('is the one with a profile, or the one that is named', () => {
    expect(pointerOf(undefined, agents.slice(0, 2))).toBe('a');
    expect([pointerOf('c'), pointerOf('b')]).toEqual(['c', 'b']);
    expect([pointerOf(), pointerOf(undefined, agents.slice(1, 2)), pointerOf('z')]).toEqual([
      '/definition',
      '/definition',
      '/agent',
    ]);
  });
});

it('a tenant has a few definitions compiled at a time, and another tenant does not wait for them', async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const compile = inSlots(createSlots({ perTenant: 2 }), ({ tenant }) => {
    begun.push(tenant);
    return new Promise((resolve) => ends.push(() => resolve({} as CompiledDefinition)));
  });
  const rival = { tenant: 'rival', workspace: 'main' };
  const all = Array.from({ length: 3 }, () => compile(rival, { definition: {} }));
  all.push(compile(OWNER, { definition: {} }));
  const until = (check: () => void) => vi.waitFor(check, { timeout: 60_000 });
  await until(() => expect(begun).toEqual(['rival', 'rival', 'acme']));
  ends[0]?.();
  await until(() => expect(begun).toEqual(['rival', 'rival', 'acme', 'rival']));
  for (const end of ends) end();
  await Promise.all(all);
});
