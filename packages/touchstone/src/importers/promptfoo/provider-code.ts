/** Programs that call a provider of promptfoo as it expects to be called. */

const WARNING = 'Calls a provider of promptfoo. Read its code before you run it.';

const JS_RENDER = `
const render = (text, vars) =>
  text.replace(/\\{\\{-?\\s*([\\w$]+)\\s*-?\\}\\}/g, (_, name) => {
    const value = vars?.[name] ?? '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
`;

export const javascriptProvider = (file: string, prompt: string, config: unknown): string => `// ${WARNING}
import * as module from ${JSON.stringify(`./${file}`)};

const PROMPT = ${JSON.stringify(prompt)};
const CONFIG = ${JSON.stringify(config ?? {})};
const theirs = module.default?.default ?? module.default;
const isClass = typeof theirs?.prototype?.callApi === 'function';
const provider = isClass ? new theirs({ config: CONFIG }) : theirs;
${JS_RENDER}
export default async (input) => {
  const context = { vars: input };
  const prompt = render(PROMPT, input);
  const call = provider.callApi?.bind(provider) ?? provider;
  const result = await call(prompt, context, { config: CONFIG });
  if (result?.error) throw new Error(String(result.error));
  return result?.output ?? result;
};
`;

export const pythonProvider = (
  file: string,
  name: string,
  prompt: string,
  config: unknown,
): string => `# ${WARNING}
import importlib.util
import json
import os
import re

PROMPT = ${JSON.stringify(prompt)}
CONFIG = json.loads(${JSON.stringify(JSON.stringify(config ?? {}))})
_path = os.path.join(os.path.dirname(os.path.abspath(__file__)), ${JSON.stringify(file)})
_spec = importlib.util.spec_from_file_location("theirs", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)


def render(text, variables):
    def value(match):
        found = variables.get(match.group(1), "") if isinstance(variables, dict) else ""
        return found if isinstance(found, str) else json.dumps(found)

    return re.sub(r"\\{\\{-?\\s*(\\w+)\\s*-?\\}\\}", value, text)


def answer(given):
    result = _module.${name}(render(PROMPT, given), {"config": CONFIG}, {"vars": given})
    if isinstance(result, dict):
        if result.get("error"):
            raise RuntimeError(str(result["error"]))
        return result.get("output")
    return result
`;

/** The command gets the prompt as its last argument but two, and prints the answer. */
export const execProvider = (
  words: readonly string[],
  prompt: string,
  config: unknown,
): string => `// ${WARNING}
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const PROMPT = ${JSON.stringify(prompt)};
const CONFIG = ${JSON.stringify(config ?? {})};
const [command, ...words] = ${JSON.stringify(words)};
${JS_RENDER}
const { input } = JSON.parse(readFileSync(0, 'utf8'));
const context = { vars: input };
const typed = [...words, render(PROMPT, input), JSON.stringify({ config: CONFIG }), JSON.stringify(context)];
const output = execFileSync(command, typed, { encoding: 'utf8' }).trim();
process.stdout.write(JSON.stringify({ output }));
`;
