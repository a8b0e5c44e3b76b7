/** There is nothing to choose in a file. */
export const ColumnsMenu = (): null => null;
