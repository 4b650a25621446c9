export { storeCountsRegularly } from './counts.ts';
export { eraseRegularly } from './retention.ts';
export type { SqliteDatabase, SqliteStatement } from '../sqlite/index.ts';
export { serve, type ServeOptions, type ServedFile } from './serve.ts';
