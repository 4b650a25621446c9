import { compileLate, guard, type SqliteDatabase } from './database.ts';
import { fileOf } from './identity.ts';
import { explain } from './trouble.ts';

/** Opens a connection whose errors name its file and what to do; also returns the path of the file. */
export function connectExplained(connect: () => SqliteDatabase): {
  readonly database: SqliteDatabase;
  readonly file: string;
} {
  const connection = guard(connect);
  const file = fileOf(connection);
  return { database: compileLate(connection, (error) => explain(error, file)), file };
}
