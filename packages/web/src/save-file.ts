/** Gives the reader a file. A link to the host would not do: it cannot send the session's header. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text]));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
