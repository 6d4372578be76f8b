// The rows of listed Tables, as text that is kept with the revision: only the ages in them are
// printed anew for each request. A list of a thousand objects is a thousand copies, and no object
// is parsed twice.
import { type Json, type JsonObject } from "homeostat/api";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { CellAges, TablePrinter } from "../../apimachinery/rest/table-printer.ts";
import type { Revision } from "../../storage/store.ts";
import type { Representations } from "./representations.ts";
import { encodeObjectText } from "./stored-json.ts";

/** The text of a row without its object, between the ages that it shows. */
interface RowText {
  readonly parts: readonly string[];
  /** The times whose ages stand between the parts. */
  readonly times: readonly number[];
}

/** The row texts of one server. */
export class TableRows {
  readonly #representations: Representations;
  readonly #kept = new WeakMap<Revision, WeakMap<TablePrinter, RowText>>();
  /** Marks the place of an age; no object can contain it, because nobody knows it. */
  readonly #mark: string;
  readonly #ages: CellAges;
  readonly #places: RegExp;

  /** `secret` is a random text of letters and digits. */
  constructor(representations: Representations, secret: string) {
    this.#representations = representations;
    this.#mark = `age:${secret}:`;
    this.#ages = { since: (thenMs) => `${this.#mark}${thenMs};` };
    this.#places = new RegExp(`${this.#mark}(-?[\\d.e+]+);`);
  }

  /** A row up to the value of `object`, e.g. `{"cells":["web","5m"],"object":`. */
  row(resource: ServedResource, revision: Revision, ages: CellAges): string {
    const { parts, times } = this.#textOf(resource, revision);
    let text = parts[0]!;
    for (let i = 0; i < times.length; i++) text += ages.since(times[i]!) + parts[i + 1]!;
    return text;
  }

  #textOf(resource: ServedResource, revision: Revision): RowText {
    const printer = resource.table;
    let byPrinter = this.#kept.get(revision);
    if (!byPrinter) this.#kept.set(revision, (byPrinter = new WeakMap()));
    let text = byPrinter.get(printer);
    if (!text) {
      const object = this.#representations.object(resource, revision);
      byPrinter.set(printer, (text = this.#split(rowOf(printer, object, this.#ages))));
    }
    return text;
  }

  #split(row: JsonObject): RowText {
    const pieces = `${encodeObjectText(row).slice(0, -1)},"object":`.split(this.#places);
    return {
      parts: pieces.filter((_, i) => i % 2 === 0),
      times: pieces.filter((_, i) => i % 2 === 1).map(Number),
    };
  }
}

/** A row without its object. */
export function rowOf(printer: TablePrinter, object: JsonObject, ages: CellAges): JsonObject {
  const conditions = printer.rowConditions?.(object) ?? [];
  return {
    cells: [...printer.cells(object, ages)] as Json[],
    ...(conditions.length ? { conditions: [...conditions] } : {}),
  };
}
