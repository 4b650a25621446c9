/** What stands in the place of `src/core/columns/log/sizes.ts` where segments are to be small. */
export const SEGMENT_ROWS = 8;
export const BLOCK_ROWS = 6;
export const BLOCK_ROWS_FIRST = 2;
export const PRUNED_ROWS_MIN = 2 * SEGMENT_ROWS;
export const ZONE_BITS_MAX = 128;
export const SOUGHT_CODES_MAX = 2;
export const FEW_IDS = 3;
export const FEW_ERASED = 2;
export const UNORDERED_ROWS_MIN = SEGMENT_ROWS;
export const STEP_ROWS = 5;
export const COUNTED_MAX = 10;
export const READ_LOOKS = 1;
export const PAGE_SHARE = 1;
export const TESTED_FIRST = 3;
export const SCANNED_FIRST = 4;
