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
      .prepare("SELECT * FROM sqlite_schema WHERE name = 'names_of_document'")
      .raw()
      .get() as unknown[];
    database.exec("DELETE FROM sqlite_schema WHERE name = 'names_of_document'");
  });
  // The index does not learn of what is written while it is not in the schema.
  withSchema((database) => {
    database.exec("INSERT INTO document_names (kind, name, document) VALUES ('key', 'unindexed', 99)");
    database.prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)').run(...hidden);
  });
}
