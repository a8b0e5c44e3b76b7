/** A file shows the words alone. */
const None = () => null;

export const KeysIcon = None;
export const ThemeIcon = None;
