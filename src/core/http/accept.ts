import { ApiError } from '../base/errors.ts';
import { endOfString } from '../event/json-depth.ts';
import { quote } from '../event/text.ts';

/** A media type that an answer can have, and the parameters by which a client may ask for a variant of it. */
export interface Offer {
  readonly type: string;
  /** The values of each parameter; the first is what a client gets that does not ask. */
  readonly parameters?: Readonly<Record<string, readonly string[]>>;
}

/** The media type that was chosen, with a value for each of its parameters. */
export interface Chosen {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A media range of an `Accept` header. */
interface MediaRange {
  readonly type: string;
  readonly quality: number;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** No client names more media ranges. What stands behind them is not read. */
const RANGES_MAX = 50;

/**
 * Chooses the answer that an `Accept` header prefers (RFC 9110, 12.5.1): the highest `q` decides, then the
 * range that names the type more closely, then the order of the header. A parameter that an offer has and
 * whose value it cannot have rules the offer out; others mean nothing. Throws ApiError (406) where nothing on
 * offer is acceptable.
 */
export function negotiate(accept: string | undefined, offers: readonly Offer[]): Chosen {
  const header = accept?.trim() ?? '';
  if (header === '') return toChosen(offers[0]!, []);
  const ranges = partsOf(header, ',').slice(0, RANGES_MAX).map(toRange);
  let best: (Chosen & { readonly rank: Rank }) | undefined;
  for (const [place, offer] of offers.entries()) {
    const found = closest(ranges, offer);
    if (found === undefined || found.range.quality === 0) continue;
    const rank: Rank = [found.range.quality, found.closeness, -found.at, -place];
    if (best === undefined || isHigher(rank, best.rank))
      best = { ...toChosen(offer, found.range.parameters), rank };
  }
  if (best !== undefined) return best;
  throw new ApiError('notAcceptable', [offers.map(({ type }) => type).join(' or '), quote(header)]);
}

/**
 * Quality, closeness, place in the header, place among the offers: each decides where those before are equal.
 */
type Rank = readonly [number, number, number, number];

function isHigher(a: Rank, b: Rank): boolean {
  const at = a.findIndex((each, i) => each !== b[i]);
  return at !== -1 && a[at]! > b[at]!;
}

/** The range that says most closely what a client thinks of an offer. */
function closest(ranges: readonly MediaRange[], offer: Offer) {
  let found: { range: MediaRange; closeness: number; at: number } | undefined;
  for (const [at, range] of ranges.entries()) {
    const closeness = closenessOf(range, offer);
    if (closeness > (found?.closeness ?? 0)) found = { range, closeness, at };
  }
  return found;
}

/** How closely a range names an offer; 0 where it does not mean it. */
function closenessOf({ type, parameters }: MediaRange, offer: Offer): number {
  if (type === '*/*') return 1;
  if (type === offer.type.replace(/\/.*/, '/*')) return 2;
  if (type !== offer.type) return 0;
  const known = parameters.filter(([name]) => Object.hasOwn(offer.parameters ?? {}, name));
  return known.every(([name, value]) => offer.parameters![name]!.includes(value)) ? 3 + known.length : 0;
}

function toChosen({ type, parameters = {} }: Offer, asked: MediaRange['parameters']): Chosen {
  const values = Object.entries(parameters).map(([name, allowed]) => {
    const [, value = allowed[0]!] = asked.find((each) => each[0] === name) ?? [];
    return [name, value] as const;
  });
  return { type, parameters: Object.fromEntries(values) };
}

/** The parts of a header that say something. A separator within quotes is text. */
function partsOf(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === '"') at = endOfString(text, at);
    else if (at === text.length || text[at] === separator) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return parts.filter((part) => part !== '');
}

function toRange(text: string): MediaRange {
  const [type = '', ...rest] = partsOf(text, ';');
  const parameters = rest.map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim().toLowerCase(), unquote(value.join('=').trim()).toLowerCase()] as const;
  });
  const said = parameters.find(([name]) => name === 'q')?.[1];
  const quality = said === undefined ? 1 : Number(said);
  return { type: type.toLowerCase(), quality: quality >= 0 && quality <= 1 ? quality : 0, parameters };
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
}
