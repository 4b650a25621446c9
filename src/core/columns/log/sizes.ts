/**
 * How much is taken at a time where rows come in groups. They are constants, since the loops over rows are
 * compiled with them; the tests put smaller ones in the place of this file, so that logs of some hundred
 * events cross every boundary.
 */

/** How many rows a chunk has. Local row numbers fit 16 bits. */
export const CHUNK_ROWS = 32_768;

/** Rows of a block: their selections stay in the processor's first cache. */
export const BLOCK_ROWS = 8192;

/** The first block of a page is small, since most pages are full after a few rows. */
export const BLOCK_ROWS_FIRST = 256;

/** Fewer rows are scanned without a look at the zone maps. */
export const PRUNED_ROWS_MIN = 2 * CHUNK_ROWS;

/**
 * The most bits of a zone, a power of two. They take a sixteenth of the memory that the widest codes of a
 * chunk take.
 */
export const ZONE_BITS_MAX = 65_536;

/** Up to so many codes are looked up in a zone one by one. */
export const SOUGHT_CODES_MAX = 16;

/** How many ids are read together. */
export const ID_BLOCK_ROWS = 2048;

/** How many such blocks are remembered. */
export const ID_BLOCKS_MAX = 512;
