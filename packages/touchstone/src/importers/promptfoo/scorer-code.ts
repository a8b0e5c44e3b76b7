/** Programs around the code of an assertion, in the words of this host. */

const warning = (mark: string): string =>
  `${mark} Made from an assertion of promptfoo. Read it before you run it: it is code of whoever wrote the assertion.`;

const JS_VERDICT = `
const partOf = (output, at) => {
  if (at === undefined) return output;
  const steps = at.split('/').slice(1).map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce((value, step) => value?.[step], typeof output === 'string' ? JSON.parse(output) : output);
};

const verdict = (result, { threshold, not } = {}) => {
  const met = isMet(result, threshold);
  if (met === undefined) return result;
  const score = typeof result === 'object' ? (result.score ?? (met ? 1 : 0)) : Number(result);
  const inside = Math.min(1, Math.max(0, score));
  return { score: not ? 1 - inside : inside, met: met !== Boolean(not), ...(result.reason && { reason: String(result.reason) }) };
};

const isMet = (result, threshold) => {
  if (typeof result === 'boolean') return result;
  if (typeof result === 'number') return threshold === undefined ? result > 0 : result >= threshold;
  return typeof result?.pass === 'boolean' ? result.pass : undefined;
};
`;

const jsEntry = (theirs: string): string => `
export default async ({ input, output, config = {} }) =>
  verdict(await ${theirs}(partOf(output, config.at), { vars: input, config: config.config }), config);
`;

/** One line is an expression, unless it begins like a statement; several lines are the body of a function. */
export function inlineJavascript(code: string): string {
  const body = code.trimEnd();
  const isBody = body.includes('\n') || /^\s*(?:return|const|let|var|if|throw|try|for)\b/.test(body);
  const lines = isBody ? body : `return (${body.replace(/;\s*$/, '')});`;
  return `${warning('//')}\nasync function theirs(output, context) {\n${lines}\n}\n${jsEntry('theirs')}${JS_VERDICT}`;
}

/** `name` is the function of a file that lies beside the program. */
export const fileJavascript = (file: string, name: string | undefined): string =>
  `${warning('//')}\nimport * as module from ${JSON.stringify(`./${file}`)};\n\nconst all = { ...module.default, ...module };\nconst theirs = ${
    name === undefined
      ? "typeof module.default === 'function' ? module.default : module.default?.default"
      : `all[${JSON.stringify(name)}]`
  };\n${jsEntry('theirs')}${JS_VERDICT}`;

const PY_VERDICT = `
def part_of(output, at):
    if at is None:
        return output
    value = json.loads(output) if isinstance(output, str) else output
    for step in at.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def is_met(result, threshold):
    if isinstance(result, bool):
        return result
    if isinstance(result, (int, float)):
        return result > 0 if threshold is None else result >= threshold
    if isinstance(result, dict):
        met = result.get("pass", result.get("pass_"))
        return met if isinstance(met, bool) else None
    return None


def score(given):
    config = given.get("config") or {}
    context = {"vars": given["input"], "config": config.get("config")}
    result = theirs(part_of(given.get("output"), config.get("at")), context)
    met = is_met(result, config.get("threshold"))
    if met is None:
        return result
    found = result.get("score", 1 if met else 0) if isinstance(result, dict) else float(result)
    inside = min(1, max(0, found))
    inverse = bool(config.get("not"))
    answer = {"score": 1 - inside if inverse else inside, "met": met != inverse}
    if isinstance(result, dict) and result.get("reason"):
        answer["reason"] = str(result["reason"])
    return answer
`;

export function inlinePython(code: string): string {
  const body = code.trimEnd();
  const lines = body.includes('\n') ? body.split('\n') : [`return ${body.trim()}`];
  const indented = lines.map((line) => (line === '' ? '' : `    ${line}`)).join('\n');
  return `${warning('#')}\nimport json\n\n\ndef theirs(output, context):\n${indented}\n\n${PY_VERDICT}`;
}

export const filePython = (file: string, name = 'get_assert'): string =>
  `${warning('#')}
import importlib.util
import json
import os

_path = os.path.join(os.path.dirname(os.path.abspath(__file__)), ${JSON.stringify(file)})
_spec = importlib.util.spec_from_file_location("theirs", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
theirs = _module.${name}

${PY_VERDICT}`;
