/**
 * The sizes of groups of rows. They are constants, so that the JIT compiles them into the loops over rows.
 * Tests replace this file by one with smaller sizes, so that logs of a few hundred events cross every
 * boundary.
 */

/** How many rows a chunk has. Local row numbers fit 16 bits. */
export const SEGMENT_ROWS = 32_768;

/** Rows of a block: their selections stay in the processor's first cache. */
export const BLOCK_ROWS = 8192;

/** The first block of a page is small, since most pages are full after a few rows. */
export const BLOCK_ROWS_FIRST = 64;

/** Fewer rows are scanned without a look at the zone maps. */
export const PRUNED_ROWS_MIN = 2 * SEGMENT_ROWS;

/**
 * The most bits of a zone, a power of two. They take a sixteenth of the memory that the widest codes of a
 * chunk take.
 */
export const ZONE_BITS_MAX = 65_536;

/** Up to so many codes are looked up in a zone one by one. */
export const SOUGHT_CODES_MAX = 16;

/** So many ids of a segment are read one by one, and then all together. */
export const FEW_IDS = 256;
