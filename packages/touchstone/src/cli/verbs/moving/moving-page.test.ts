import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { openTestCli } from '../../testing/test-cli.js';

const PAGE = readFileSync(new URL('../../../../../../docs/moving.md', import.meta.url), 'utf8');

/** What stands in the code blocks of a section, without the commands. */
function blocksOf(heading: string): readonly string[] {
  const section = PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/```(\w*)\n([\s\S]*?)```/g)].flatMap(([, language, text = '']) =>
    language === 'sh' ? [] : [text],
  );
}

it.each([
  ['promptfoo', 'promptfooconfig.yaml', 'promptfooconfig', []],
  ['OpenAI Evals', 'samples.jsonl', 'samples', ['--class', 'Includes']],
  ['Rows of data', 'questions.csv', 'questions', ['--map', 'tags=topic']],
])('the example of docs/moving.md about %s is true', async (heading, file, name, options) => {
  const [source = '', suite = '', item = ''] = blocksOf(heading);
  const cli = openTestCli();
  cli.write(file, source);
  expect((await cli.run('import', file, ...options)).code).toBe(0);
  expect(parse(cli.read(`${name}.suite.yaml`))).toEqual(parse(suite));
  expect(cli.read('import-report.md')).toContain(item);
  cli.close();
});
