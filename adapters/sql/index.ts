export { whileAwaited } from './awaited.ts';
export { breakDownBySql, type AskedBreakdown } from './breakdown.ts';
export {
  COLUMNS,
  createDraft,
  EVERYTHING,
  KEYS_BYTES_MAX,
  NEWEST_FIRST,
  writePage,
  writeWhere,
  type Bind,
  type Dialect,
  type Draft,
  type NumberDialect,
  type ParameterType,
  type PropertyTree,
  type Statement,
  type TestWriters,
  type TreeDialect,
} from './compile.ts';
export { integerTests } from './integer-tests.ts';
export { measureBySql, type AskedMeasuring } from './measuring.ts';
export { codeOf, toPlainError } from './plain-error.ts';
export { keyOf, planBatch, resultOf, type Known, type AppendPlan } from './plan.ts';
export type { AskRows, Row } from './property-levels.ts';
export { propertiesBySql, type AskedProperties } from './properties.ts';
export {
  selectCount,
  selectPage,
  selectTop,
  storedPageOf,
  type AskedTop,
  type PageRow,
} from './stored-page.ts';
export { relay } from './relay.ts';
export { streamsBySql, type ReadPieces, type SqlStreams } from './streams.ts';
export { eachTextTest, textTests, type TextOperator, type TextSearch, type TextTest } from './text-tests.ts';
