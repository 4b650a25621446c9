/** The fields of an event with which a path can begin, besides its properties. */
export const FIELDS = ['eventName', 'userId', 'eventTs', 'eventDate', 'insertId'];

/** The fields that filters name: an answer shows when an event arrived only where that is asked for. */
export const FILTER_FIELDS = [...FIELDS, 'receivedAt'];

/** Completes a path: one that begins with no field of an event begins at its properties. */
export function toWholePath(path: string): string {
  const [root = ''] = path.split('.', 1);
  return path === '' || FILTER_FIELDS.includes(root) || root === 'properties' ? path : `properties.${path}`;
}

/** Completes a typed path, without the spaces around it. */
export const toPath = (typed: string): string => toWholePath(typed.trim());

/** The path of a key below another path. A dot within the key is escaped. */
export function pathBelow(path: string, key: string): string {
  return `${path}.${key.replaceAll('\\', '\\\\').replaceAll('.', '\\.')}`;
}
