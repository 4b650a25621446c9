import { endOf } from './scan.ts';

/** Where a text is not what it should be, and what would be right there. */
export interface Fault {
  /** The index of the first wrong character. */
  readonly at: number;
  readonly right: string;
}

const BLANKS = /\s*/y;
/** Numbers, `true`, `false` and `null`. */
const OTHER_SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;
const STRING_PART = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const WORD = /[^\s,()[\]"]+/y;

const TAKES = 'takes a text in double quotes, a number, true or false';

/**
 * Finds the first fault of an operand that is no JSON: a scalar, or a list of them in brackets. The messages
 * of `JSON.parse` differ between versions of Node, and not all of them name a place.
 */
export function findFault(text: string): Fault {
  const start = endOf(BLANKS, text, 0);
  const opening = text[start];
  const isList = opening === '[' || opening === '(';
  const end = isList ? readList(text, start, opening === '[' ? ']' : ')') : readScalar(text, start);
  if (typeof end !== 'number') return end;
  const rest = endOf(BLANKS, text, end);
  const isJoined = /^(?:and|or|&&|\|\|)(?!\w)/i.test(text.slice(rest));
  return {
    at: rest,
    right: isJoined
      ? 'a filter ends here; for "and" repeat --filter, for "or" use --body with anyOf'
      : 'a filter ends here; in a list, separate values by commas: in ("a", "b")',
  };
}

/** Where the list that begins at `start` ends, or its fault. */
function readList(text: string, start: number, closing: string): number | Fault {
  let at = endOf(BLANKS, text, start + 1);
  if (text[at] === closing) return at + 1;
  for (;;) {
    const end = readScalar(text, at);
    if (typeof end !== 'number') return end;
    at = endOf(BLANKS, text, end);
    if (text[at] === closing) return at + 1;
    if (text[at] !== ',') return { at, right: `takes a comma or ${closing}` };
    at = endOf(BLANKS, text, at + 1);
  }
}

/** Where the scalar that begins at `start` ends, or its fault. */
function readScalar(text: string, start: number): number | Fault {
  if (text[start] === '"') return readString(text, start);
  const end = endOf(OTHER_SCALAR, text, start);
  if (end > start) return end;
  const word = text.slice(start, endOf(WORD, text, start));
  if (word === '' || /^[-+.\d]/.test(word)) return { at: start, right: TAKES };
  const bare = word.replace(/^'|'$/g, '');
  return { at: start, right: `put text in double quotes: ${JSON.stringify(bare)}` };
}

function readString(text: string, start: number): number | Fault {
  const end = endOf(STRING_PART, text, start + 1);
  if (text[end] === '"') return end + 1;
  if (end === text.length) return { at: start, right: 'this text has no closing quote' };
  return { at: end, right: 'a text is written as in JSON: \\" for a quote, \\\\ for \\, \\n for a new line' };
}
