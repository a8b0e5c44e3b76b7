import { useEffect, useState } from 'preact/hooks';

/** A tab that nobody looks at paints nothing. */
const UNSEEN_MS = 200;

/** Calls back once what is in the document now has been painted. The answer gives it up. */
function afterPaint(call: () => void): () => void {
  let timer = setTimeout(call, UNSEEN_MS);
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    timer = setTimeout(call);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/** Whether people see what they came for. What is less urgent waits until then: it would only make it later. */
export function usePainted(isThere: boolean): boolean {
  const [isPainted, setPainted] = useState(false);
  useEffect(() => (isThere && !isPainted ? afterPaint(() => setPainted(true)) : undefined), [isThere]);
  return isPainted;
}
