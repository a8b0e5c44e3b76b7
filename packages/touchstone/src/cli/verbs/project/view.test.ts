import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CompareCli, openCompareCli, TASKS } from '../../testing/compare-cli.js';
import { openTestCli } from '../../testing/test-cli.js';

const links: string[] = [];
let cli: CompareCli;
beforeAll(() => {
  cli = openCompareCli();
  cli.writeSuite(TASKS);
});
afterAll(() => cli.close());

/** Looks at the runs, and ends the command when the work is done. */
async function viewed(argv: readonly string[], work: (link: URL) => Promise<void>): Promise<number> {
  const viewer = openTestCli({ cwd: cli.cwd, openBrowser: async (url) => links.push(url) > 0 });
  const viewing = viewer.run('view', ...argv);
  await Promise.race([viewer.seen('Ctrl-C ends'), viewing]);
  const [, link = ''] = /^open (\S+)$/m.exec(viewer.written.out) ?? [];
  await work(new URL(link)).finally(() => viewer.signal('SIGINT'));
  return (await viewing).code;
}
const signIn = ({ origin, hash }: URL): Promise<Response> =>
  fetch(`${origin}/v1/host/touchstone/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hash.slice(1)}` },
  });

describe('view', () => {
  test('says that there is nothing to look at, and leaves nothing behind', async () => {
    const { code, err } = await cli.run('view');
    expect({ code, err }).toMatchObject({ code: 2 });
    expect(err).toContain('There is no run here yet.');
    expect(cli.has('.touchstone')).toBe(false);
  });

  test('is named under a scorecard, and its link signs in once, on the page of that run', async () => {
    const runId = await cli.runWith({});
    expect(cli.written.out).toContain('touchstone view last --open');
    const ended = await viewed(['last', '--open'], async (link) => {
      expect(links).toEqual([link.href]);
      expect(link.searchParams.get('back')).toBe(`/runs/${runId}`);
      const page = await fetch(link.origin, { headers: { accept: 'text/html' } });
      expect(page.headers.get('content-type')).toContain('text/html');
      const first = await signIn(link);
      const { session } = (await first.json()) as { session: string };
      const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
      const headers = { cookie, 'touchstone-session': session };
      const read = await fetch(`${link.origin}/v1/runs/${runId}`, { headers });
      expect([first.status, read.status, (await signIn(link)).status]).toEqual([200, 200, 401]);
    });
    expect(ended).toBe(0);
    expect((await cli.run('keys', 'list', '--json')).out).toContain('"items": []');
  });

  test('of a run that is not there, or at a port that is taken, is refused', async () => {
    expect((await cli.run('view', 'run-none')).err).toContain('There is no run run-none here.');
    await viewed([], async (link) => {
      const { code, err } = await cli.run('view', '--port', link.port);
      expect({ code, err }).toMatchObject({ code: 2 });
      expect(err).toContain(`Port ${link.port} is taken.`);
    });
  });
});
