import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Switchboard } from "../switchboard.ts";

/** Everything that lies in an instance's table and mentions a text, as it lies there; indexes and the stream aside. */
export function itemsMentioning({ stateDir }: Switchboard, text: string): string[] {
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
