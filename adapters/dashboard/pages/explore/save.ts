import type { Chunk } from './chunk.ts';

/** A file that arrives in pieces. */
export type Chunks = ReadableStream<Chunk>;

/** Lets a page write to a file that the user chooses. TypeScript's DOM types lack it. */
interface Picker {
  readonly showSaveFilePicker?: (options: {
    readonly suggestedName: string;
  }) => Promise<FileSystemFileHandle>;
}
const { showSaveFilePicker: pick } = window as Picker;

/** Whether the browser can write to the file directly, without keeping the pieces. */
export const keepsNothing = pick !== undefined;

interface Name {
  readonly name: string;
  readonly type: string;
}

/**
 * Saves the stream that `read` returns. Where the browser supports it, the user first chooses a file, which
 * appears once it is complete; otherwise the browser keeps the pieces until the end. Rejects with the errors
 * of `read` and of its stream, and with a DOMException `AbortError` if the user chooses no file.
 */
export async function saveAs(as: Name, read: () => Promise<Chunks>): Promise<void> {
  if (pick === undefined) return download(as, await collect(await read(), as.type));
  // A browser opens the file dialog only soon after a click, so this comes before any other await.
  const file = await pick({ suggestedName: as.name });
  const chunks = await read();
  // If the stream fails, the chosen file keeps its old content.
  await chunks.pipeTo(await file.createWritable());
}

/** Saves a text as `saveAs` does. */
export async function saveText(as: Name, text: string): Promise<void> {
  return saveAs(as, () => Promise.resolve(new Blob([text]).stream()));
}

/**
 * The size of a Blob piece in bytes. The browser keeps Blobs outside the page's memory, some of them on disk.
 */
const PIECE_BYTES = 8_000_000;

/** Reads a stream to its end into one Blob. */
async function collect(chunks: Chunks, type: string): Promise<Blob> {
  const pieces: Blob[] = [];
  let open: Chunk[] = [];
  let size = 0;
  const put = () => {
    pieces.push(new Blob(open));
    [open, size] = [[], 0];
  };
  for (const reader = chunks.getReader(); ;) {
    const { value, done } = await reader.read();
    if (done) break;
    open.push(value);
    size += value.length;
    if (size >= PIECE_BYTES) put();
  }
  put();
  return new Blob(pieces, { type });
}

function download({ name }: Name, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // After a minute, the browser has read the Blob.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
