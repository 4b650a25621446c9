import type { Random } from '../../support/random.ts';

/** One call that the recorder saw: see record.c for the kinds. */
export interface DiskRecord {
  readonly kind: 'W' | 'T' | 'S' | 'C' | 'U' | 'D' | 'X';
  readonly name: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

/** What a disk holds: the bytes of each file by its name. */
export type Files = ReadonlyMap<string, Buffer>;

/** A disk stores these whole or not at all. */
const SECTOR_BYTES = 512;

const HEAD_BYTES = 32;

/** Takes a recording apart. */
export function parseRecords(log: Buffer): DiskRecord[] {
  const records: DiskRecord[] = [];
  for (let at = 0; at < log.length;) {
    const [kind, nameLength, offset, length] = [0, 8, 16, 24].map((i) => Number(log.readBigUInt64LE(at + i)));
    const nameEnd = at + HEAD_BYTES + nameLength!;
    records.push({
      kind: String.fromCharCode(kind!) as DiskRecord['kind'],
      name: log.toString('utf8', at + HEAD_BYTES, nameEnd),
      offset: offset!,
      bytes: log.subarray(nameEnd, nameEnd + length!),
    });
    at = nameEnd + length!;
  }
  return records;
}

/** A file on a disk: what is safe, and what was asked for since. */
interface DiskFile {
  safe: Buffer;
  length: number;
  pending: DiskRecord[];
}

/** A disk that takes the calls one by one and can lose its power after any of them. */
export interface Disk {
  take(record: DiskRecord): void;
  /** How many calls a loss of power now could undo. */
  readonly unsafe: number;
  /**
   * What may be left: everything that was synced, and of the rest what chance picks, call by call; of some
   * writes only some sectors. A file that was made or removed is there or not as long as its folder was not
   * synced.
   */
  losePower(random: Random): Files;
}

/** A disk with some files on it, all of them safe. */
export function createDisk(files: Files): Disk {
  const begin = (bytes: Buffer): DiskFile => ({
    safe: Buffer.from(bytes),
    length: bytes.length,
    pending: [],
  });
  /** By name: the files that it has named since the folder was synced, the safe one first. */
  const named = new Map<string, (DiskFile | undefined)[]>();
  for (const [name, bytes] of files) named.set(name, [begin(bytes)]);

  const fileOf = (name: string) => named.get(name)?.at(-1);

  function take(record: DiskRecord): void {
    const { kind, name } = record;
    if (kind === 'D') {
      for (const [each, history] of named) named.set(each, history.slice(-1));
    } else if (kind === 'C' || kind === 'U') {
      const history = named.get(name) ?? [undefined];
      history.push(kind === 'C' ? begin(Buffer.alloc(0)) : undefined);
      named.set(name, history);
    } else if (kind === 'S') {
      const file = fileOf(name);
      if (file === undefined) return;
      for (const each of file.pending) apply(file, each);
      file.pending = [];
    } else {
      fileOf(name)?.pending.push(record);
    }
  }

  function losePower(random: Random): Files {
    const left = new Map<string, Buffer>();
    const luck = pickLuck(random);
    for (const [name, history] of named) {
      const file = history[luck.keepsNames ? history.length - 1 : random.between(0, history.length - 1)];
      if (file !== undefined) left.set(name, whatIsLeft(file, luck, random));
    }
    return left;
  }

  return {
    take,
    get unsafe() {
      return [...named.values()].reduce((sum, history) => sum + (history.at(-1)?.pending.length ?? 0), 0);
    },
    losePower,
  };
}

/** How kind a loss of power is: how many of the calls it keeps, and of how many it keeps some sectors. */
interface Luck {
  readonly kept: number;
  readonly torn: number;
  readonly keepsNames: boolean;
}

function pickLuck(random: Random): Luck {
  return {
    kept: random.pick([0, 0.1, 0.5, 0.9, 0.98, 1]),
    torn: random.pick([0, 0, 0.2, 0.6]),
    keepsNames: random.next() < 0.5,
  };
}

function whatIsLeft(file: DiskFile, { kept, torn }: Luck, random: Random): Buffer {
  const left: DiskFile = { safe: Buffer.from(file.safe), length: file.length, pending: [] };
  for (const record of file.pending) {
    if (random.next() < torn && record.kind === 'W') {
      for (const sector of sectorsOf(record)) if (random.next() < 0.5) apply(left, sector);
    } else if (random.next() < kept) {
      apply(left, record);
    }
  }
  return left.safe.subarray(0, left.length);
}

function sectorsOf({ kind, name, offset, bytes }: DiskRecord): DiskRecord[] {
  const sectors: DiskRecord[] = [];
  for (let from = 0; from < bytes.length;) {
    const to = Math.min(bytes.length, from + SECTOR_BYTES - ((offset + from) % SECTOR_BYTES));
    sectors.push({ kind, name, offset: offset + from, bytes: bytes.subarray(from, to) });
    from = to;
  }
  return sectors;
}

function apply(file: DiskFile, { kind, offset, bytes }: DiskRecord): void {
  if (kind === 'T') {
    if (offset < file.length) file.safe.fill(0, offset, file.length);
    grow(file, offset);
    file.length = offset;
    return;
  }
  const end = offset + bytes.length;
  grow(file, end);
  bytes.copy(file.safe, offset);
  file.length = Math.max(file.length, end);
}

function grow(file: DiskFile, length: number): void {
  if (length <= file.safe.length) return;
  const wider = Buffer.alloc(Math.max(length, file.safe.length * 2));
  file.safe.copy(wider, 0, 0, file.length);
  file.safe = wider;
}
