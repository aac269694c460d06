/**
 * Names that the parts of programs in the guides may use without declaring them. Keep it small: a reader has to guess
 * these too. Blocks that are marked `ts run` declare all that they use.
 */
import type { Conversation, Passenger, SearchToken } from "serviceapi";
import { ServiceApi } from "serviceapi";
import type { BookingJournal, Checkout, FareQuoteResult, Money } from "serviceapi/flights";
import { checkout, memoryJournal } from "serviceapi/flights";
import { hmac, memoryStore, type WebhookHandler, Webhooks } from "serviceapi/webhooks";

interface Order {
  readonly amount: string;
  readonly outcome?: "SUCCESS" | "FAILED" | "REJECTED";
}

declare global {
  var api: ServiceApi;
  var chat: Conversation;
  var trip: Checkout;
  var webhooks: Webhooks;
  var handler: WebhookHandler;
  var offer: FareQuoteResult;
  var journal: BookingJournal;
  var maxTotal: Money;
  var passengers: readonly Passenger[];
  var trace_id: string;
  var token: SearchToken;
  /** Secrets of the partner panel, the last two while one replaces the other. */
  var secret: string;
  var newSecret: string;
  var oldSecret: string;
  /** Your own vault, session, help desk. */
  var vault: { read(name: string): Promise<string> };
  var session: { trip: string; agreed: string; quoteId: string };
  /** The form that a browser sent. */
  var sent: FormData;
  var askTheServiceOperator: (reference: string, traceId: string) => Promise<string | null>;
  var helpDesk: { open(message: string, reference: string | undefined): Promise<void> };
  /** Your orders and your books. */
  var orders: {
    amountOf(reference: string): number | undefined;
    find(reference: string): Promise<Order | undefined>;
  };
  var ledger: {
    credit(reference: string, amount: number): Promise<void>;
    reverse(reference: string): Promise<void>;
  };
}

const amounts = new Map([
  ["order-17", 8500],
  ["po-1", 8500],
]);

globalThis.api = new ServiceApi();
globalThis.chat = api.ai.conversation();
globalThis.trace_id = process.env.TRACE_ID ?? "";
globalThis.token = (process.env.TOKEN ?? "") as SearchToken;
globalThis.secret = "the-secret-of-the-panel";
globalThis.newSecret = "the-next-secret";
globalThis.oldSecret = "the-secret-before";
globalThis.journal = memoryJournal();
globalThis.trip = checkout(api, { trace_id, token }, { journal });
const quote = await trip.quote();
globalThis.session = { trip: JSON.stringify(trip), agreed: JSON.stringify(quote), quoteId: "quote-1" };
globalThis.sent = new FormData();
sent.set("quoteId", "quote-1");
const [first] = quote.data.result;
if (first === undefined) throw new Error("The emulator has no offer.");
globalThis.offer = first;
globalThis.maxTotal = { amount: "7600.00", currency: "INR" };
globalThis.passengers = [
  {
    title: "Ms",
    fname: "ASHA",
    lname: "EXAMPLE",
    mobile: "6000000001",
    email: "asha@example.in",
    passenger_type: "adult",
    dob: "1990-02-28",
    gender: "F",
    address: "1 Placeholder Road",
    city: "Pune",
    country: "India",
    country_code: "IN",
  },
];
globalThis.vault = { read: async () => "demo-secret-of-the-guides" };
globalThis.askTheServiceOperator = async () => null;
globalThis.helpDesk = { open: async (message, reference) => console.log("help desk:", reference, message) };
globalThis.orders = {
  amountOf: (reference) => amounts.get(reference),
  async find(reference) {
    const amount = amounts.get(reference);
    return amount === undefined ? undefined : { amount: String(amount) };
  },
};
globalThis.ledger = {
  credit: async (reference, amount) => console.log("credited", reference, amount),
  reverse: async (reference) => console.log("reversed", reference),
};
globalThis.webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature", secrets: [secret] })],
  store: memoryStore(),
  findOrder: orders.amountOf,
});
globalThis.handler = webhooks.handler({
  SUCCESS: (event) => ledger.credit(event.client_referenceId, event.txn_amount),
  FAILED: (event) => ledger.reverse(event.client_referenceId),
  REJECTED: (event) => ledger.reverse(event.client_referenceId),
});
