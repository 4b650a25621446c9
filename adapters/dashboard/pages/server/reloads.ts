/** Where a window notes the file for want of which it has loaded the pages again. */
const KEY = 'event-query-reloaded';

/** The storage of a window; undefined where the browser allows none. */
export type Notes =
  | {
      getItem(key: string): string | null;
      setItem(key: string, value: string): void;
      removeItem(key: string): void;
    }
  | undefined;

/**
 * Whether the pages may be loaded again by themselves for want of a file. The time after that it is up to the
 * user, so that a file that is never there does not make the pages load forever, whatever else loads
 * meanwhile.
 */
export function mayReload(notes: Notes, file: string): boolean {
  try {
    // Without storage, it cannot be known.
    if (notes === undefined) return false;
    const isFirst = notes.getItem(KEY) !== file;
    if (isFirst) notes.setItem(KEY, file);
    else notes.removeItem(KEY);
    return isFirst;
  } catch {
    return false;
  }
}

/** Notes that a file is there again. */
export function noteLoaded(notes: Notes, file: string): void {
  try {
    if (notes?.getItem(KEY) === file) notes.removeItem(KEY);
  } catch {
    // Nothing was noted.
  }
}
