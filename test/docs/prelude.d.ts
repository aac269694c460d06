/** What the blocks of the guides may speak of without declaring it. Keep it small: a reader has to guess these too. */
import type { Passenger, QuoteToken, SearchToken, ServiceApi } from "serviceapi";
import type { BookingJournal, Checkout, FareQuoteResult, JournalRow, Money } from "serviceapi/flights";
import type { WebhookHandler, Webhooks } from "serviceapi/webhooks";

declare global {
  const api: ServiceApi;
  const trip: Checkout;
  const webhooks: Webhooks;
  const handler: WebhookHandler;
  const offer: FareQuoteResult;
  const journal: BookingJournal;
  const maxTotal: Money;
  const passengers: readonly Passenger[];
  const trace_id: string;
  const token: SearchToken & QuoteToken;
  /** A secret of the partner panel. */
  const secret: string;
  /** Your own session, help desk, database. */
  const session: { trip: string };
  const helpDesk: { open(message: string, reference: string | undefined): Promise<void> };
  const sql: Sql;
  function write(into: Sql, row: JournalRow): Promise<void>;
  interface Sql {
    <Rows = { row: JournalRow }[]>(text: TemplateStringsArray, ...values: unknown[]): Promise<Rows>;
    begin<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  }
  /** Your orders and your books. */
  const orders: { amountOf(reference: string): number | undefined };
  const ledger: { credit(reference: string, amount: number): Promise<void>; reverse(reference: string): Promise<void> };
}
