import { expect, it } from 'vitest';
import { createFileWatch } from '../../../../adapters/sqlite/file/watch.ts';
import { newFile, openRaw } from '../fixtures.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A look-up in a file that counts how often it is done, and a connection that no store knows of. */
function watched() {
  const file = newFile();
  const other = openRaw(file);
  other.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)');
  const watch = createFileWatch(openRaw(file));
  const looks: string[] = [];
  const find = watch.remember((key) => {
    looks.push(key);
    return key === 'absent' ? undefined : key;
  });
  return { other, watch, looks, find };
}

it('looks once, until another process has written', async () => {
  const { other, looks, find } = watched();
  for (let i = 0; i < 3; i++) {
    expect(find('key')).toBe('key');
    await nextTurn();
  }
  expect(looks).toEqual(['key']);
  other.exec("INSERT INTO notes VALUES ('x')");
  find('key');
  expect(looks).toEqual(['key', 'key']);
});

it('sees a write of this process at once, by whichever store', () => {
  const { watch, looks, find } = watched();
  const elsewhere = watched().watch;
  find('key');
  watch.changed();
  find('key');
  elsewhere.changed();
  find('key');
  find('key');
  expect(looks).toHaveLength(3);
});

it('does not remember what is not there', () => {
  const { looks, find } = watched();
  expect([find('absent'), find('absent')]).toEqual([undefined, undefined]);
  expect(looks).toHaveLength(2);
});

it('remembers 10,000 keys, and begins anew when there are more', () => {
  const { looks, find } = watched();
  for (let i = 0; i <= 10_000; i++) find(String(i));
  find('0');
  expect(looks.filter((key) => key === '0')).toHaveLength(2);
});
