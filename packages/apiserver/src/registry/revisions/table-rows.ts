// The rows of listed Tables, as bytes that are kept with the revision: only the ages in them are
// printed anew for each request. A list of a thousand objects is a thousand copies, and no object
// is parsed twice.
import { type Json, type JsonObject } from "homeostat/api";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { BodyParts } from "../../apimachinery/body-parts.ts";
import { agesAt, type CellAges, type TablePrinter } from "../../apimachinery/rest/table-printer.ts";
import type { Revision } from "../../storage/store.ts";
import type { Representations } from "./representations.ts";
import { encodeObjectText } from "./stored-json.ts";

const encoder = new TextEncoder();

/** A row without its object, with places for the ages that it shows. */
interface RowText {
  readonly bytes: Uint8Array;
  /** Where the ages stand, in order. */
  readonly places: readonly number[];
  /** The times whose ages these are. */
  readonly times: readonly number[];
}

/** Ages as bytes; those of one request, in which many rows are of one age. */
export class AgeTexts {
  readonly #ages: CellAges;
  readonly #made = new Map<number, Uint8Array>();

  constructor(nowMs: number) {
    this.#ages = agesAt(nowMs);
  }

  since(thenMs: number): Uint8Array {
    let text = this.#made.get(thenMs);
    if (!text) this.#made.set(thenMs, (text = Buffer.from(this.#ages.since(thenMs))));
    return text;
  }
}

/** The row texts of one server. */
export class TableRows {
  readonly #representations: Representations;
  readonly #kept = new WeakMap<TablePrinter, WeakMap<Revision, RowText>>();
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

  /** Adds a row up to the value of `object`, e.g. `{"cells":["web","5m"],"object":`. */
  addRow(parts: BodyParts, resource: ServedResource, revision: Revision, ages: AgeTexts): void {
    const { bytes, places, times } = this.#textOf(resource, revision);
    let from = 0;
    for (const [i, place] of places.entries()) {
      parts.add(bytes.subarray(from, place));
      parts.add(ages.since(times[i]!));
      from = place;
    }
    parts.add(from === 0 ? bytes : bytes.subarray(from));
  }

  #textOf(resource: ServedResource, revision: Revision): RowText {
    const printer = resource.table;
    let byRevision = this.#kept.get(printer);
    if (!byRevision) this.#kept.set(printer, (byRevision = new WeakMap()));
    let text = byRevision.get(revision);
    if (!text) {
      const object = this.#representations.object(resource, revision);
      byRevision.set(revision, (text = this.#split(rowOf(printer, object, this.#ages))));
    }
    return text;
  }

  #split(row: JsonObject): RowText {
    const pieces = `${encodeObjectText(row).slice(0, -1)},"object":`.split(this.#places);
    const texts = pieces.filter((_, i) => i % 2 === 0);
    const places: number[] = [];
    let at = 0;
    for (const text of texts.slice(0, -1)) places.push((at += Buffer.byteLength(text)));
    return {
      bytes: encoder.encode(texts.join("")),
      places,
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
