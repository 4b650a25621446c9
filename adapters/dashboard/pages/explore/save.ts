/** A file that comes piece by piece. */
export type Chunks = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Lets a page write into a file that the user chooses; the types of browsers lack it. */
interface Picker {
  readonly showSaveFilePicker?: (options: {
    readonly suggestedName: string;
  }) => Promise<FileSystemFileHandle>;
}
const { showSaveFilePicker: pick } = window as Picker;

/** Whether what is saved goes into the file as it comes, and the browser keeps none of it. */
export const keepsNothing = pick !== undefined;

interface Name {
  readonly name: string;
  readonly type: string;
}

/**
 * Saves what `read` gives. Where the browser can, it goes into a file that is chosen first, and that is there
 * once it is whole; else the browser keeps it until then. Throws what `read` and what it gives throw, and a
 * DOMException `AbortError` where nobody chose a file.
 */
export async function saveAs(as: Name, read: () => Promise<Chunks>): Promise<void> {
  if (pick === undefined) return download(as, await collect(await read(), as.type));
  // A browser asks for a file only as long as the click is fresh: before anything is waited for.
  const file = await pick({ suggestedName: as.name });
  const chunks = await read();
  // A file that does not become whole is left as it was.
  await chunks.pipeTo(await file.createWritable());
}

/** How much is put into one piece: the browser keeps pieces out of the page's memory, some on disk. */
const PIECE_BYTES = 8_000_000;

/** Reads a file to its end, piece by piece. */
async function collect(chunks: Chunks, type: string): Promise<Blob> {
  const pieces: Blob[] = [];
  let open: Uint8Array<ArrayBuffer>[] = [];
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
  // The browser has taken it when it comes back.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
