/** The contract of a journal, in a few lines: the built-in ones are held to it, and the world of the explorer has it. */
import type { ClaimOptions, JournalRow } from "../../../src/flights/index.ts";
import type { OpenBookingState } from "../../../src/flights/journal/journal.ts";

export class JournalModel {
  readonly #rows: Map<string, JournalRow>;

  constructor(rows: Iterable<[string, JournalRow]> = []) {
    this.#rows = new Map(rows);
  }

  copy(): JournalModel {
    return new JournalModel(this.#rows);
  }

  /** All rows, in the order in which they were claimed. */
  get rows(): readonly JournalRow[] {
    return [...this.#rows.values()];
  }

  /** The rows that conflict with this one. */
  conflicts(row: JournalRow, { force }: ClaimOptions): readonly JournalRow[] {
    return this.rows.filter((other) => {
      if (other.state === "rejected") return false;
      if (other.clientReferenceId === row.clientReferenceId) return true;
      const areRead = row.fingerprint !== "" && other.fingerprint !== "";
      const offerOf = (one: JournalRow) =>
        JSON.stringify([one.traceId, one.searchToken, areRead ? flightsOf(one) : one.result]);
      const isSameJourney = row.fingerprint !== "" && other.fingerprint === row.fingerprint;
      const isSameParty = flightsOf(row) !== "" && flightsOf(other) === flightsOf(row) && other.traceId === row.traceId;
      const isOpen = other.state === "sent" || other.state === "unknown";
      if (force === true) return false;
      return other.token === row.token || offerOf(other) === offerOf(row) || isSameJourney || (isOpen && isSameParty);
    });
  }

  /** Returns the rows that refuse the claim, of which a journal names one; none if it was granted. */
  claim(row: JournalRow, options: ClaimOptions): readonly JournalRow[] {
    const [conflicts, own] = [this.conflicts(row, options), this.#rows.get(row.attemptId)];
    const others = conflicts.length === 0 && own !== undefined ? [own] : conflicts;
    if (others.length === 0) this.#rows.set(row.attemptId, row);
    return others;
  }

  settle(row: JournalRow, from: OpenBookingState): boolean {
    const isOpen = this.#rows.get(row.attemptId)?.state === from;
    if (isOpen) this.#rows.set(row.attemptId, row);
    return isOpen;
  }

  get(attemptId: string): JournalRow | undefined {
    return this.#rows.get(attemptId);
  }

  find(clientReferenceId: string): readonly JournalRow[] {
    return oldestFirst(this.rows.filter((row) => row.clientReferenceId === clientReferenceId));
  }

  pending(): readonly JournalRow[] {
    return oldestFirst(this.rows.filter(({ state }) => state === "sent" || state === "unknown"));
  }
}

const flightsOf = ({ fingerprint }: JournalRow) => fingerprint.split(".")[0];

function oldestFirst(rows: readonly JournalRow[]): readonly JournalRow[] {
  return rows.toSorted((a, b) => a.sentAt - b.sentAt);
}
