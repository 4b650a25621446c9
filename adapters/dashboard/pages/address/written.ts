/** Characters that leave no ink, end a line, or change the direction of the text around them. */
const UNSEEN = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** The joiners, which belong to the spelling of some scripts and to emoji of several parts. */
const JOINER = /^[\u200c\u200d]$/;
/** The scripts that use them, and the parts of emoji. */
const JOINED = [
  /[\p{sc=Arab}\p{sc=Syrc}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}]/u,
  /[\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{Extended_Pictographic}]/u,
];
/** What changes the look of an emoji and stands behind it. */
const EMOJI_MODIFIER = /[\p{EMod}\ufe0f]/u;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text of others in which what cannot be seen, and what changes the direction of texts, is written out. */
export function seen(text: string): string {
  return text.replace(UNSEEN, (sign, at: number) => {
    if (JOINER.test(sign) && isJoining(text, at)) return sign;
    const code = sign.codePointAt(0)!.toString(16);
    return SHORT[sign] ?? (code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`);
  });
}

/** Whether the signs around a place of a text are of a script that joins them. */
function isJoining(text: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
  const [after = ''] = text.slice(at + 1, at + 3);
  return (isJoined(before) || EMOJI_MODIFIER.test(before)) && isJoined(after);
}

const isJoined = (sign: string) => JOINED.some((pattern) => pattern.test(sign));

/** A text of others of at most so many characters, and a sign that there are more. */
export function cut(text: string, most: number): string {
  const shown = seen(text.slice(0, most + 1));
  return shown.length > most ? `${shown.slice(0, most)}…` : shown;
}

/** About how many characters of a value are written at most. What shows it cuts it further. */
const WRITTEN_MAX = 2_000;

/**
 * A value for people to read, distinct from values of other types: a text that looks like a number, a boolean
 * or JSON is in quotes. Of a long value it is the beginning.
 */
export function written(value: unknown, most = WRITTEN_MAX): string {
  const part = beginningOf(value, { left: most });
  if (typeof part !== 'string') return seen(JSON.stringify(part));
  return seen(readsAsJson(part) ? JSON.stringify(part) : part);
}

/** As much of a value as makes so many characters of JSON. The rest is not looked at. */
function beginningOf(value: unknown, room: { left: number }): unknown {
  room.left -= 1;
  if (typeof value === 'string') {
    const part = value.slice(0, Math.max(0, room.left));
    room.left -= part.length;
    return part.toWellFormed();
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const part: unknown[] = [];
    for (const each of value as readonly unknown[]) {
      if (room.left <= 0) break;
      part.push(beginningOf(each, room));
    }
    return part;
  }
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    if (room.left <= 0) break;
    const name = beginningOf(key, room) as string;
    entries.push([name, beginningOf((value as Readonly<Record<string, unknown>>)[key], room)]);
  }
  return Object.fromEntries(entries);
}

function readsAsJson(text: string): boolean {
  // Most texts look like none of these, and this check is faster than parsing all texts of a page.
  if (!/^\s*(?:[-\d"[{]|(?:true|false|null)\s*$)/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
