import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** The files that are sent often and get smaller; the page itself is completed by the server. */
const COMPRESSED = /\.(?:js|css|svg)$/;

/** Writes a compressed copy beside each file of the pages, so that a server compresses nothing. */
export function compressPages(folder = 'dist/dashboard'): void {
  for (const name of readdirSync(folder).filter((each) => COMPRESSED.test(each))) {
    const file = join(folder, name);
    const bytes = readFileSync(file);
    const forms = {
      br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
      gz: gzipSync(bytes, { level: 9 }),
    };
    for (const [end, form] of Object.entries(forms))
      if (form.length < bytes.length) writeFileSync(`${file}.${end}`, form);
  }
}
