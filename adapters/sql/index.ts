export {
  COLUMNS,
  createDraft,
  NEWEST_FIRST,
  writePage,
  writeWhere,
  type Bind,
  type Dialect,
  type Draft,
  type ParameterType,
  type Statement,
  type TestWriters,
} from './compile.ts';
export { textTests, type TextSearch } from './text-tests.ts';
