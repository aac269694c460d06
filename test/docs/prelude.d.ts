/**
 * Names that the blocks of the guides may use without declaring them. Keep it small: a reader has to guess these too.
 */
import type { Conversation, Passenger, QuoteToken, SearchToken, ServiceApi } from "serviceapi";
import type { BookingJournal, Checkout, FareQuoteResult, Money } from "serviceapi/flights";
import type { WebhookHandler, Webhooks } from "serviceapi/webhooks";

declare global {
  const api: ServiceApi;
  const chat: Conversation;
  const trip: Checkout;
  const webhooks: Webhooks;
  const handler: WebhookHandler;
  const offer: FareQuoteResult;
  const journal: BookingJournal;
  const maxTotal: Money;
  const passengers: readonly Passenger[];
  const trace_id: string;
  const token: SearchToken & QuoteToken;
  /** Secrets of the partner panel, the last two while one replaces the other. */
  const secret: string;
  const newSecret: string;
  const oldSecret: string;
  /** Your own vault, session, help desk. */
  const vault: { read(name: string): Promise<string> };
  const session: { trip: string; agreed: string };
  function askTheServiceOperator(reference: string, traceId: string): Promise<string | null>;
  const helpDesk: { open(message: string, reference: string | undefined): Promise<void> };
  /** Your orders and your books. */
  const orders: {
    amountOf(reference: string): number | undefined;
    find(reference: string): Promise<{ amount: string; outcome?: "SUCCESS" | "FAILED" | "REJECTED" } | undefined>;
  };
  const ledger: { credit(reference: string, amount: number): Promise<void>; reverse(reference: string): Promise<void> };
}
