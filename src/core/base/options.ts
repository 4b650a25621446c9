/** What an option takes. */
export interface OptionKind {
  /** An expression that gives it, as a program writes it. */
  readonly such: string;
  /** What it is; an object, if this is absent. */
  readonly type?: 'function' | 'string' | 'number';
  /** The fields by which it is known. */
  readonly fields?: readonly string[];
}

/** The options that are the same wherever they are taken. */
const SHARED = {
  api: { such: 'createApi({ stores, resources })', fields: ['handler', 'resources'] },
  clock: { such: 'nodeResources().runtime', fields: ['now'] },
  events: { such: 'memoryEventStore({ resources })', fields: ['append', 'query', 'count', 'eventNames'] },
  resources: { such: 'nodeResources()', fields: ['runtime', 'memory', 'scheduler', 'log', 'meter'] },
  runtime: { such: 'nodeResources().runtime', fields: ['now', 'sleep', 'uuid', 'randomBytes', 'sha256'] },
  stores: { such: 'memoryStores({ resources })', fields: ['events', 'control', 'limits'] },
} satisfies Readonly<Record<string, OptionKind>>;

/**
 * Throws a TypeError that names the options that are missing or something else, and what would be right.
 * Programs without types get it at the call, and not later as an access to a field of `undefined`. `shared`
 * names options that every maker takes alike; `own` describes others.
 */
export function requireOptions<O extends object>(
  maker: string,
  options: O,
  shared: readonly (keyof O & keyof typeof SHARED)[],
  own: Readonly<Record<string, OptionKind>> = {},
): void {
  const given: unknown = options;
  if (given !== undefined && (typeof given !== 'object' || given === null))
    throw new TypeError(`${maker} takes an object of options; got ${nameOf(given)}`);
  const values = (given ?? {}) as Readonly<Record<string, unknown>>;
  const ofShared = shared.map((name) => [name, SHARED[name]] as const);
  const needed: (readonly [string, OptionKind])[] = [...ofShared, ...Object.entries(own)];
  const missing = needed.filter(([name]) => values[name] === undefined);
  if (missing.length > 0) {
    const what = missing.map(([name, { such }]) => `${name}, such as ${such}`).join(', and ');
    const got = Object.keys(values).filter((name) => values[name] !== undefined);
    throw new TypeError(`${maker} needs ${what}; got ${got.join(', ') || 'nothing'}`);
  }
  for (const [name, kind] of needed) {
    const wrong = whatIsWrong(values[name], kind);
    if (wrong !== undefined)
      throw new TypeError(`${maker}: ${name} takes something like ${kind.such}; got ${wrong}`);
  }
}

/** What a value is that an option does not take; undefined if it does. */
function whatIsWrong(value: unknown, { type, fields = [] }: OptionKind): string | undefined {
  if (type !== undefined) return typeof value === type && value !== '' ? undefined : nameOf(value);
  const isFunction = typeof value === 'function';
  if (value === null || (typeof value !== 'object' && !isFunction)) return nameOf(value);
  const missing = fields.filter((name) => (value as Readonly<Record<string, unknown>>)[name] === undefined);
  if (missing.length === 0) return undefined;
  if (isFunction || 'then' in value) return nameOf(value);
  return `an object without ${missing.join(', ')}`;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === '') return 'an empty string';
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return `a ${typeof value}`;
  return 'then' in value ? 'a promise, which has to be awaited' : 'an object';
}
