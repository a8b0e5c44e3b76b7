import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 8_000;

/** Says once what has been done, and goes away. */
export function useToast(): readonly [ComponentChildren, (text: ComponentChildren) => void] {
  const [text, setText] = useState<ComponentChildren>();
  useEffect(() => {
    if (text === undefined) return undefined;
    const timer = setTimeout(() => setText(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const toast = (
    <div role="status">
      {text !== undefined && (
        <p class="toast" data-testid="toast">
          {text}
        </p>
      )}
    </div>
  );
  return [toast, setText];
}
