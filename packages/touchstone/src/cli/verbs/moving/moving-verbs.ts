import { Argument, type Command, Option } from 'commander';
import { examples, type Start, several, wholeNumber } from '../../verb-options.js';

/** The formats, in the order of the help. Loading them would load everything that reads them. */
export const FORMAT_NAMES: readonly string[] = [
  'promptfoo',
  'openai-evals',
  'inspect',
  'adk',
  'otel',
  'langsmith',
  'braintrust',
  'langfuse',
  'deepeval',
  'rows',
];

function addImport(program: Command, start: Start): void {
  program
    .command('import')
    .usage('[format] <files...> [options]')
    .summary('make a suite of the tests of another tool')
    .description(
      'Makes a suite, a configuration and a report of the files of another tool, of traces, or of rows of data. The report lists everything that was lost or means something else now, each with its line. Runs no code of these files and uses no network.',
    )
    .addArgument(
      new Argument(
        '<files...>',
        'the files, and before them the name of their format; without a name their shape decides',
      )
        .choices(FORMAT_NAMES)
        .argParser(several),
    )
    .option('-o, --out <dir>', 'folder to write to', '.')
    .option('--id <suiteId>', 'id of the suite, such as acme.shop.evals.desk (default: by the file)')
    .option(
      '--map <columns>',
      'of rows: which column or pointer is what, e.g. input=question,expected=answer,id=key,tags=topic,context=docs',
    )
    .addOption(
      new Option(
        '--expect <check>',
        'of rows: what the expected value becomes (default: by its shape); of traces: trajectory (default), judge or none',
      ).choices(['exact', 'contains', 'json', 'judge', 'overlap', 'none', 'trajectory']),
    )
    .option('--class <name>', 'of openai-evals: the class of rows without a registry entry, such as Match')
    .option(
      '--eval <file>',
      'of openai-evals: the eval object of the hosted product, with its testing criteria',
    )
    .option('--scorer <name>', 'of an Inspect dataset: the scorer of its task, such as match')
    .option('--limit <n>', 'of traces: at most so many tasks', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option('--where <key=value>', 'of traces: only spans with this attribute; may be repeated', several)
    .option('--strict', 'end with 1 when anything was lost')
    .option('--force', 'overwrite files that are there')
    .action(start(() => import('./import.js'), 'importCommand'))
    .addHelpText(
      'after',
      examples(
        'import promptfooconfig.yaml -o evals',
        'import rows questions.csv --map input=question,expected=answer',
        'import langsmith dataset.jsonl --expect judge',
        'import openai-evals eval_items.jsonl --eval eval.json --strict',
        'import logs/2026-11-17_capitals.eval -o evals',
        'import adk desk.evalset.json -o evals',
        'import otel traces.jsonl --where service.name=desk --limit 100',
      ),
    );
}

export const MOVING_VERBS = [addImport];
