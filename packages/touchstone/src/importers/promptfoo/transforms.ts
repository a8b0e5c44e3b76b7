const PATH =
  /^(?:output|json|JSON\.parse\(\s*output\s*\))((?:\.[A-Za-z_$][\w$]*|\[\d+\]|\[["'][^"'\]]+["']\])*)$/;

/** The pointer that a transform stands for; undefined when it is other code. */
export function transformPointer(code: string): string | undefined {
  const trimmed = code
    .trim()
    .replace(/^return\s+/, '')
    .replace(/;$/, '');
  const [whole, path = ''] = PATH.exec(trimmed) ?? [];
  if (whole === undefined) return undefined;
  const steps = path.split(/\.|\[["']?|["']?\]/).filter((step) => step !== '');
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
