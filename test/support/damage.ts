import Database from 'better-sqlite3';

/** Damages a file by meaning: each page is sound, and an index lacks a row that its table has. */
export function breakIndex(file: string): void {
  const withSchema = (work: (database: Database.Database) => void) => {
    const database = new Database(file);
    database.unsafeMode(true);
    database.pragma('writable_schema = ON');
    work(database);
    database.close();
  };
  let hidden: unknown[] = [];
  withSchema((database) => {
    hidden = database
      .prepare("SELECT * FROM sqlite_schema WHERE name = 'key_secrets_of_key'")
      .raw()
      .get() as unknown[];
    database.exec("DELETE FROM sqlite_schema WHERE name = 'key_secrets_of_key'");
  });
  // The index does not learn of what is written while it is not in the schema.
  withSchema((database) => {
    database.exec("INSERT INTO key_secrets (hash, key_id, created_at) VALUES ('unindexed', 'k', 1)");
    database.prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)').run(...hidden);
  });
}
