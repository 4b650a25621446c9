/** A blank, a control character, or one that is not seen, at an end of a name. */
const ENDS_UNSEEN = /^[\p{Z}\p{C}]|[\p{Z}\p{C}]$/u;

/**
 * Says why no database may have a name, as what the name has to be; undefined if one may. Drivers change some
 * names before they open a file, each in its own way: the file that they write is then another one than the
 * one that was made, protected and watched.
 */
export function wrongFileName(name: string): string | undefined {
  if (ENDS_UNSEEN.test(name))
    return (
      `the name of a file without blanks or control characters at its ends, got ${JSON.stringify(name)}; ` +
      'an environment file with Windows line ends adds one'
    );
  if (name === '') return 'the name of a file, got an empty text';
  if (name.includes('\0')) return 'the name of a file, got one with a NUL character';
  if (/^:memory:/i.test(name))
    return `the name of a file, got "${name}": a database in memory is gone when its connection closes`;
  if (/^file:/i.test(name))
    return (
      `the path of a file, got the URL "${name}", which drivers read differently; ` +
      `leave out "file:" and what begins with "?"`
    );
  return undefined;
}

/** Throws an Error for a name that no database may have. */
export function checkFileName(name: string): void {
  const wrong = wrongFileName(name);
  if (wrong !== undefined) throw new Error(`it takes ${wrong}`);
}
