import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { importInto } from '../../testing/import-checks.js';
import { openTestCli } from '../../testing/test-cli.js';

const PAGE = readFileSync(new URL('../../../../../../docs/moving.md', import.meta.url), 'utf8');
const fence = (section: string, language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(PAGE.split(`\n## ${section}\n`)[1] ?? '')?.[1] ??
  '';

test.each([
  ['Inspect', 'capitals.json', 'capitals'],
  ['ADK', 'desk.evalset.json', 'desk'],
  ['Traces', 'traces.json', 'traces'],
])(
  'the example of docs/moving.md about %s becomes the suite that the page shows',
  async (section, file, name) => {
    const cli = openTestCli();
    try {
      cli.write(file, fence(section, 'json'));
      await importInto(cli, file);
      expect(parse(cli.read(`out/${name}.suite.yaml`))).toEqual(parse(fence(section, 'yaml')));
    } finally {
      cli.close();
    }
  },
);
