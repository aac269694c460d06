import { type Issue, ServiceApiError } from "../../errors/base.ts";
import { BookingAlreadySentError, JournalError } from "../errors.ts";
import { type BookingJournal, type BookingState, type JournalRow, standsInTheWay } from "../journal.ts";

/**
 * The journal's side of one booking: what is written before and after it, in the journal of the application and among the rows
 * that are saved with the trip.
 */
export class Attempt {
  readonly #journal: BookingJournal;
  readonly #own: Map<string, JournalRow>;
  readonly #force: boolean;
  readonly #now: () => number;
  #row: JournalRow;

  constructor(
    journal: BookingJournal,
    own: Map<string, JournalRow>,
    row: JournalRow,
    force: boolean,
    now: () => number,
  ) {
    this.#journal = journal;
    this.#own = own;
    this.#row = row;
    this.#force = force;
    this.#now = now;
  }

  get clientReferenceId(): string {
    return this.#row.clientReferenceId;
  }

  /** Writes down what is intended, then does what must be done before it can be sent. */
  async prepare<T>(work: () => Promise<T>): Promise<T> {
    await this.#claim(this.#row);
    try {
      return await work();
    } catch (error) {
      await this.failed(error);
      throw error;
    }
  }

  /** Writes down that it is on its way. What throws here has sent nothing. */
  async send(token: string): Promise<void> {
    const at = this.#now();
    await this.#claim({ ...this.#row, token, state: "sent", at, sentAt: at });
  }

  /** Writes down that it exists. It exists all the same when that fails: the failure comes back as a warning. */
  async booked(pnr: string, bookingId: string): Promise<Issue | undefined> {
    try {
      await this.#settle({ ...this.#row, state: "booked", at: this.#now(), pnr, bookingId });
      return undefined;
    } catch {
      const message = "is booked, but the journal could not write it down: settle its row by hand";
      return { path: ["journal", this.clientReferenceId], message, code: "custom" };
    }
  }

  /** Writes down how it failed; a journal that fails as well must not hide that. */
  async failed(error: unknown): Promise<void> {
    await this.#settle({ ...this.#row, ...endingOf(error, this.#row.state), at: this.#now() }).catch(() => {});
  }

  async #claim(row: JournalRow): Promise<void> {
    const mine = this.#force ? undefined : [...this.#own.values()].find((other) => standsInTheWay(other, row));
    const other = mine ?? (await this.#journal.claim(row, this.#force).catch((error) => unwritten(error, row)));
    if (other !== undefined) throw alreadySent(other, row);
    this.#row = row;
    this.#own.set(row.clientReferenceId, row);
  }

  async #settle(row: JournalRow): Promise<void> {
    this.#row = row;
    this.#own.set(row.clientReferenceId, row);
    await this.#journal.settle(row);
  }
}

/** Once sent, only a plain no is a no: a duplicate may be booked already (policy 30), and so may what failed in a way of its own. */
function endingOf(error: unknown, before: BookingState): Pick<JournalRow, "state" | "reason"> {
  const known = ServiceApiError.isInstance(error) ? error : undefined;
  const certain = known !== undefined && known.outcome !== "unknown" && known.kind !== "duplicate";
  return { state: before === "intent" || certain ? "rejected" : "unknown", reason: known?.kind ?? "unknown" };
}

function unwritten(cause: unknown, { clientReferenceId }: JournalRow): never {
  throw new JournalError({
    message: "The journal could not write the booking down, so that it was not sent. Nothing is booked.",
    operation: "flights.book",
    clientReferenceId,
    cause,
  });
}

const whatIsKnown: Partial<Record<BookingState, string>> = {
  booked: "is booked already",
  sent: "was sent already, and its answer is still to come or was lost",
  unknown: "was sent already, and nobody knows yet whether it is booked",
};

function alreadySent(other: JournalRow, row: JournalRow): BookingAlreadySentError {
  return new BookingAlreadySentError({
    message:
      `This offer ${whatIsKnown[other.state]}, under client_referenceId ${other.clientReferenceId}. Nothing was sent now. ` +
      "Look it up, close it with reconcile(), and book again only if it is not booked.",
    operation: "flights.book",
    clientReferenceId: row.clientReferenceId,
    row: other,
  });
}
