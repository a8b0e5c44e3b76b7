import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { manualClock } from '../agents/fixtures/manual-clock.js';
import { temporaryFolder } from '../agents/fixtures/temporary-folder.js';
import { candidatesOf, createDns, parseSearch } from './dns.js';
import { type DnsAnswer, startDnsServer } from './testing/dns-server.js';

/** Waits for an event, however busy the machine is. */
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000 });

async function open(answer: (name: string) => DnsAnswer, resolvConf = '') {
  const server = await startDnsServer(answer, 7);
  onTestFinished(() => server.close());
  const clock = manualClock();
  const path = join(await temporaryFolder(), 'resolv.conf');
  await writeFile(path, resolvConf);
  return { server, clock, ask: createDns({ clock, servers: [server.address], resolvConf: path }) };
}

describe('a question to a DNS server', () => {
  it('yields the addresses of both families, IPv4 first, and how long they hold', async () => {
    const { ask } = await open(() => ['2606:4700:0:0:0:0:0:1', '192.0.2.7']);
    expect(await ask('agent.example')).toEqual({
      addresses: [
        { address: '192.0.2.7', family: 4 },
        { address: '2606:4700::1', family: 6 },
      ],
      ttlMs: 7_000,
    });
  });

  it('about a name that does not exist says so', async () => {
    const { ask } = await open(() => 'absent');
    await expect(ask('agent.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('that is not answered ends after five seconds, and it is not said that the name does not exist', async () => {
    const { ask, clock, server } = await open(() => 'silent');
    const answer = ask('agent.example');
    await until(() => expect(server.asked).toContain('agent.example'));
    clock.advance(await clock.asleep(5_000));
    await expect(answer).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  });

  it('about a short name is completed with the domains that the machine searches', async () => {
    const known = (name: string): DnsAnswer => (name === 'agent.web.svc' ? ['10.0.0.7'] : 'absent');
    const { ask, server } = await open(known, 'nameserver 192.0.2.1\nsearch team.svc web.svc\n');
    expect(await ask('agent')).toMatchObject({ addresses: [{ address: '10.0.0.7' }] });
    expect(server.asked).toEqual(['agent.team.svc', 'agent.web.svc']);
  });
});

describe('the search list of resolv.conf', () => {
  const search = parseSearch(
    'domain old.example\nsearch a.example. b.example # two\noptions rotate ndots:2\n',
  );

  it.each([
    ['agent', ['agent.a.example', 'agent.b.example', 'agent']],
    ['agent.web', ['agent.web.a.example', 'agent.web.b.example', 'agent.web']],
    ['api.agent.web', ['api.agent.web', 'api.agent.web.a.example', 'api.agent.web.b.example']],
    ['agent.', ['agent.']],
  ])('%s', (host, names) => expect(candidatesOf(host, search)).toEqual(names));

  it('is empty in an empty file', () => {
    expect(candidatesOf('agent', parseSearch(''))).toEqual(['agent']);
  });
});
