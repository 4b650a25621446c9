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

/** So many erased rows of a segment are subtracted from a count sooner than left out of a selection. */
export const FEW_ERASED = 512;

/** So many ids of a segment are read one by one, and then all together. */
export const FEW_IDS = 256;

/**
 * Without the order of so many rows a question may be answered from the rows of its time alone. The order of
 * fewer is built at once.
 */
export const UNORDERED_ROWS_MIN = SEGMENT_ROWS;

/** How many rows are listed in order of time between two pauses. */
export const STEP_ROWS = 8192;

/** Up to so many events of a range are counted in one statement, which then takes some milliseconds. */
export const COUNTED_MAX = 262_144;

/** How many rows are found in the time in which what a question needs of one row is read. */
export const READ_LOOKS = 8;

/** The part of the rows that are left to find that a page may take, since it may find too little. */
export const PAGE_SHARE = 4;

/** How many rows are first looked at for a page of which each has to be tested. */
export const TESTED_FIRST = 256;

/** The same, where all instants are looked at to find them. */
export const SCANNED_FIRST = 2048;
