import { describe, expect, it } from 'vitest';
import { toPlaces } from '../../../../adapters/cli/stores/places.ts';
import {
  hideSecrets,
  BACKENDS,
  parseStoreUrl,
  showStoreUrl,
  type StoreRole,
} from '../../../../adapters/cli/stores/store-url.ts';

describe('an address', () => {
  it.each<[StoreRole, string, string, string]>([
    ['events', 'sqlite:./a b.db', 'sqlite', './a b.db'],
    ['events', 'postgres://u:p@h:5/d?sslmode=require', 'postgres', 'postgres://u:p@h:5/d?sslmode=require'],
    ['control', 'postgresql://h/d', 'postgres', 'postgresql://h/d'],
    ['events', 'clickhouse://h:8123/d', 'clickhouse', 'clickhouse://h:8123/d'],
    ['events', 'clickhouses://h', 'clickhouse', 'clickhouses://h'],
    ['limits', 'redis://h', 'redis', 'redis://h'],
    ['limits', 'rediss://h:1', 'redis', 'rediss://h:1'],
    ['limits', 'memory:', 'memory', ''],
  ])('of %s may be %s', (kept, text, kind, address) => {
    expect(parseStoreUrl(kept, text)).toEqual({ kind, address });
  });

  it.each<[StoreRole, string, string]>([
    ['events', '', 'sqlite:FILE | postgres://user@host/database | clickhouse://user@host:8123/database'],
    ['events', 'redis://h', 'sqlite:FILE | '],
    ['control', 'clickhouse://h', 'sqlite:FILE | postgres://user@host/database'],
    ['limits', 'clickhouse://h', 'memory: | sqlite:FILE | '],
    ['limits', 'memory:x', 'memory:'],
    ['events', 'sqlite:', 'sqlite:FILE'],
    ['events', './events.db', 'sqlite:FILE | '],
    ['events', 'constructor:x', 'sqlite:FILE | '],
    ['events', 'postgres://u:hidden@', 'postgres://user@host/database'],
    ['events', 'postgres:x', 'postgres://user@host/database'],
  ])('of %s is not %s', (kept, text, forms) => {
    const parse = () => parseStoreUrl(kept, text);
    expect(parse).toThrow(`--${kept} takes ${forms}`);
    expect(parse).not.toThrow('hidden');
  });

  it('is shown without its secrets', () => {
    const shown = (text: string) => showStoreUrl(parseStoreUrl('events', text));
    expect(shown('postgres://u:p@h:5/d?password=q')).toBe('postgres://u@h:5/d');
    expect(shown('clickhouse://h')).toBe('clickhouse://h');
    expect(shown('sqlite:a.db')).toBe('sqlite:a.db');
  });
});

describe('the error of a driver about a URL', () => {
  it('is shown without the password and the values of the query', () => {
    const place = parseStoreUrl('events', 'postgres://u:p%40ss%20word@h/d?sslmode=hidden&x=a%20key');
    const said = 'p%40ss%20word, p@ss word, hidden, a key, a%20key';
    expect(hideSecrets(place, said)).toBe('…, …, …, …, …');
    expect(hideSecrets(parseStoreUrl('events', 'sqlite:a.db'), 'a.db is locked')).toBe('a.db is locked');
  });

  it('shows no rest of a secret that begins with another', () => {
    const place = parseStoreUrl('events', 'postgres://u:secret@h/d?x=secret-and-more');
    expect(hideSecrets(place, 'no secret-and-more')).toBe('no …');
  });
});

describe('what is not said', () => {
  const kinds = (flags: Partial<Record<StoreRole, string>>) => {
    const told = Object.entries(flags).map(([kept, text]) => [kept, parseStoreUrl(kept as StoreRole, text)]);
    const places = toPlaces({ db: 'a.db', ...(Object.fromEntries(told) as object) });
    return (Object.keys(BACKENDS) as StoreRole[]).map((kept) => places[kept].kind);
  };

  it.each<[Partial<Record<StoreRole, string>>, string]>([
    [{}, 'sqlite sqlite sqlite'],
    [{ events: 'postgres://h/d' }, 'postgres postgres postgres'],
    [{ events: 'clickhouse://h' }, 'clickhouse sqlite sqlite'],
    [{ events: 'clickhouse://h', control: 'postgres://h/d' }, 'clickhouse postgres postgres'],
    [{ control: 'postgres://h/d' }, 'sqlite postgres postgres'],
    [{ limits: 'redis://h' }, 'sqlite sqlite redis'],
  ])('is kept with what it belongs to: %o', (flags, expected) => {
    expect(kinds(flags).join(' ')).toBe(expected);
  });
});
