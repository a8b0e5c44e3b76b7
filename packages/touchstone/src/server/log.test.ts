import { asId, HostError, type Id } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { createLog, type LogLevel } from './log.js';

const name = asId<Id<'x'>>;
async function written(
  level: LogLevel | undefined,
  use: (log: Awaited<ReturnType<typeof createLog>>) => void,
) {
  const lines: string[] = [];
  use(await createLog(level, { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as { [member: string]: unknown });
}

it('is quiet about what went well unless asked', async () => {
  const all = (log: Awaited<ReturnType<typeof createLog>>) => {
    log.info('one', { n: 1 });
    log.warn('two', { name: name('x') });
    log.error('three');
  };
  expect((await written(undefined, all)).map(({ event }) => event)).toEqual(['two', 'three']);
  expect((await written('info', all)).map(({ event }) => event)).toEqual(['one', 'two', 'three']);
});

it('tells of a cause by its kind and place, and not by its words unless they are ours', async () => {
  const [foreign, ours] = await written('warn', (log) => {
    log.error('failed', {}, new SyntaxError('Unexpected token tulip\nsecond line of tulips'));
    log.error('failed', {}, new HostError('unavailable', 'The store is closed.'));
  });
  expect(foreign).toMatchObject({
    event: 'failed',
    cause: { name: 'SyntaxError', frames: expect.arrayContaining([expect.stringMatching(/^at /)]) },
  });
  expect(JSON.stringify(foreign)).not.toContain('tulip');
  expect(ours).toMatchObject({ message: 'The store is closed.' });
});
