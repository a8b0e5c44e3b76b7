import { HostResponseError } from '@touchstone/sdk';
import { fetchFrom } from './source.js';

/** Saves an answer as a file. A link cannot send this page's half of the session. */
export async function download(path: string, mediaType: string, fileName: string): Promise<void> {
  const response = await fetchFrom(path, { headers: { accept: mediaType } });
  if (!response.ok) throw new HostResponseError(response.status, await response.json());
  save(await response.blob(), fileName);
}

export function save(content: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
