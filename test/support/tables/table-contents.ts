import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Switchboard } from "../switchboard.ts";

/** Returns all rows of an instance's table that contain a text, without indexes and the stream. */
export function findItemsContaining({ stateDir }: Switchboard, text: string): string[] {
  const database = new DatabaseSync(join(stateDir, "table.db"), { readOnly: true, timeout: 5_000 });
  try {
    const names = database.prepare("SELECT table_name AS name FROM _tables").all();
    return names.flatMap(({ name }) =>
      database
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .map((row) => JSON.stringify(row))
        .filter((row) => row.includes(text)),
    );
  } finally {
    database.close();
  }
}
