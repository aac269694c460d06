/** What the blocks of the guides may speak of without declaring it. Keep it small: a reader has to guess these too. */
import type { Passenger, QuoteToken, SearchToken, ServiceApi } from "serviceapi";
import type { Checkout, FareQuoteResult } from "serviceapi/flights";
import type { WebhookHandler, Webhooks } from "serviceapi/webhooks";

declare global {
  const api: ServiceApi;
  const trip: Checkout;
  const webhooks: Webhooks;
  const handler: WebhookHandler;
  const offer: FareQuoteResult;
  const passengers: readonly Passenger[];
  const trace_id: string;
  const token: SearchToken & QuoteToken;
  /** A secret of the partner panel. */
  const secret: string;
  /** Your orders and your books. */
  const orders: { amountOf(reference: string): number | undefined };
  const ledger: { credit(reference: string, amount: number): Promise<void>; reverse(reference: string): Promise<void> };
}
