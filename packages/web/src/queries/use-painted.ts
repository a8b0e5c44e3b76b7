import { useEffect, useState } from 'preact/hooks';

/** A tab that nobody looks at paints nothing. */
const UNSEEN_MS = 200;

/** Other processes of the browser bring a picture to the screen. What began at once would take the processors from them. */
const SETTLE_MS = 80;

/** Calls back once what is in the document now has been painted. The answer gives it up. */
function afterPaint(call: () => void): () => void {
  let timer = setTimeout(call, UNSEEN_MS);
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    timer = setTimeout(call, SETTLE_MS);
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
