import { useState } from 'preact/hooks';

/** What makes the head of a column something that can be dragged, and dropped on. */
export function useColumnDrag(onMoveColumn: ((key: string, to: string) => void) | undefined) {
  const [dragged, setDragged] = useState<string>();
  const [over, setOver] = useState<string>();
  if (!onMoveColumn) return () => ({});
  const end = (): void => {
    setDragged(undefined);
    setOver(undefined);
  };
  return (key: string) => ({
    draggable: true,
    'data-column': key,
    'data-over': dragged !== undefined && dragged !== key && over === key ? true : undefined,
    onDragStart: (event: DragEvent): void => {
      event.dataTransfer?.setData('text/plain', key);
      setDragged(key);
    },
    onDragOver: (event: DragEvent): void => {
      if (dragged === undefined) return;
      event.preventDefault();
      setOver(key);
    },
    onDrop: (event: DragEvent): void => {
      if (dragged === undefined) return;
      event.preventDefault();
      if (dragged !== key) onMoveColumn(dragged, key);
      end();
    },
    onDragEnd: end,
  });
}
