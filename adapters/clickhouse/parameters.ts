import type { Statement } from '../sql/index.ts';

/**
 * A server accepts 128 KiB per parameter (`http_max_field_value_size`). A UTF-16 unit takes at most four
 * bytes, escaped or in UTF-8.
 */
const LENGTH_MAX = 30_000;

/** A statement in the client's form, with named parameters. */
export interface NamedStatement {
  readonly query: string;
  readonly query_params: Readonly<Record<string, unknown>>;
}

/** Binds values to the parameters of a statement, `{p1:String}` and so on; long values are split. */
export function nameParameters({ text, values }: Statement): NamedStatement {
  const named: Record<string, unknown> = {};
  const place = (name: string, type: string, value: unknown) => {
    named[name] = value;
    return `{${name}:${type}}`;
  };
  const query = text.replace(
    /\{p(\d{1,6}):(String|Int64|Array\((?:String|Int64)\))\}/g,
    (_, position: string, type: string) => {
      const name = `p${position}`;
      const value = values[Number(position) - 1];
      if (typeof value === 'string') return placeText(name, value, place);
      return Array.isArray(value) ? placeList(name, type, value, place) : place(name, type, value);
    },
  );
  return { query, query_params: named };
}

type BindParameter = (name: string, type: string, value: unknown) => string;

function placeText(name: string, text: string, place: BindParameter): string {
  if (text.length <= LENGTH_MAX) return place(name, 'String', text);
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    // A part never ends within a surrogate pair.
    const isPair = (text.codePointAt(from + LENGTH_MAX - 1) ?? 0) > 0xffff;
    const part = text.slice(from, from + LENGTH_MAX - (isPair ? 1 : 0));
    parts.push(place(`${name}_${parts.length}`, 'String', part));
    from += part.length;
  }
  return `concat(${parts.join(', ')})`;
}

function placeList(name: string, type: string, list: readonly unknown[], place: BindParameter): string {
  const sizes = list.map((each) => String(each).length + 3);
  if (sizes.reduce((sum, size) => sum + size, 0) <= LENGTH_MAX) return place(name, type, list);
  const parts: string[] = [];
  for (let from = 0; from < list.length;) {
    const partName = `${name}_${parts.length}`;
    let to = from;
    for (let room = LENGTH_MAX; to < list.length && sizes[to]! <= room; to++) room -= sizes[to]!;
    parts.push(
      to > from
        ? place(partName, type, list.slice(from, to))
        : `[${placeText(partName, list[from] as string, place)}]`,
    );
    from = Math.max(to, from + 1);
  }
  return parts.length === 1 ? parts[0]! : `arrayConcat(${parts.join(', ')})`;
}
