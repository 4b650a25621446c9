import { isJsonObject, parsePath, refuseRounded, setOwn } from '../../../src/internal.ts';
import { quote } from '../../../src/transport-kit.ts';
import { misuse } from '../process/errors.ts';

/** Like a path of a filter, a key may have dots that separate levels. */
const PROPERTY_PATTERN = /^([^=]*?)(:?)=(.*)$/s;

/** Properties of an event, or of one level of them. */
type Level = Record<string, unknown>;

/**
 * Makes the properties of an event from the values of `--property`: `plan=pro` is a text, `total:=64` is
 * JSON, and `device.type=phone` is a key below another. Throws an Error that names the wrong one.
 */
export function toProperties(texts: readonly string[]): object {
  const properties: Level = {};
  for (const text of texts) {
    const where = `--property ${quote(text)}`;
    const match = PROPERTY_PATTERN.exec(text);
    if (match === null || match[1] === '')
      throw misuse(`${where}: takes KEY=TEXT, or KEY:=JSON for anything but a text: plan=pro, total:=64`);
    const [, path = '', isJson, value = ''] = match;
    if (path.startsWith('properties.'))
      throw misuse(`${where}: a key is below properties already: write ${path.slice(11)}=…`);
    const { segments } = parsePath(`properties.${path}`, where);
    put(properties, segments, isJson === '' ? value : parseJson(value, where), where);
  }
  return properties;
}

function put(properties: Level, segments: readonly string[], value: unknown, where: string): void {
  let level = properties;
  for (const key of segments.slice(0, -1)) {
    const below: unknown = Object.hasOwn(level, key) ? level[key] : setOwn(level, key, {});
    if (!isJsonObject(below))
      throw misuse(`${where}: ${quote(key)} has a value already, so nothing can be below it`);
    level = below;
  }
  const last = segments.at(-1)!;
  if (Object.hasOwn(level, last)) throw misuse(`${where}: ${quote(last)} has a value already`);
  setOwn(level, last, value);
}

function parseJson(text: string, where: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw misuse(`${where}: ${quote(text)} is not JSON; for a text write = instead of :=`);
  }
  const rounded = refuseRounded(text);
  if (rounded !== undefined) throw misuse(`${where}: ${rounded.message}`);
  return value;
}
