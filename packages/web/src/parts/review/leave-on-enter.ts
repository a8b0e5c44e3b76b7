/** Enter ends the text, and the next Enter saves: nothing is sent from within a field. */
export const leaveOnEnter = (event: KeyboardEvent): void => {
  if (event.key !== 'Enter' && event.key !== 'Escape') return;
  event.preventDefault();
  (event.currentTarget as HTMLElement).blur();
};
