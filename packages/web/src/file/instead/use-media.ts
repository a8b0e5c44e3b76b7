/** As the window is when the page is drawn. */
export const useMedia = (query: string): boolean => matchMedia(query).matches;
