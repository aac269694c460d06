import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Passenger, SearchToken, ServiceApi } from "serviceapi";
import type { Emulator } from "serviceapi/emulator";
import { nodeHandler } from "serviceapi/node";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";
import { done, heading, note, paint, rows } from "./paint.ts";

export async function lookUpNumber(api: ServiceApi, mobile: string, consent: string): Promise<void> {
  heading("UPI verification", "api.verification.findVpas");
  const result = await api.verification.findVpas({ vpa_mobile: mobile, consent });
  rows({ mobile, name: result.name, account: result.accountStatus, primary: result.vpa });
  for (const vpa of result.vpaList) done(vpa);
}

export async function talk(api: ServiceApi, question: string): Promise<void> {
  heading("AI response, streamed", "api.ai.stream");
  const stream = api.ai.stream({ user: { text: question } });
  process.stdout.write("  ");
  for await (const text of stream.textStream) process.stdout.write(text.replaceAll("\n", "\n  "));
  const { context_token } = await stream.finalResponse();

  heading("A follow-up, in one response", "api.ai.createResponse");
  const response = await api.ai.createResponse({ user: { text: "And in one sentence?" }, context_token });
  console.log(`  ${response.system.text.replaceAll("\n", "\n  ")}`);
  rows({ "chained to": response.parent_context_token === context_token ? "the response above" : "nothing" });
}

export async function bookFlight(
  api: ServiceApi,
  { trace_id, token }: { trace_id: string; token: SearchToken },
  { book }: { book: boolean },
): Promise<void> {
  heading("Fare quote", "api.flights.fareQuote");
  const { data } = await api.flights.fareQuote({ trace_id, token });
  const [offer] = data.result;
  if (offer === undefined) return note("The quote is empty. Search again.");
  for (const { airline_code, flight_number, origin, destination } of offer.segments) {
    const from = `${origin.airport_code} ${origin.departure_time.slice(0, 16)}`;
    console.log(
      `  ${`${airline_code} ${flight_number}`.padEnd(8)} ${from} → ${destination.airport_code} ${destination.arrival_time.slice(11, 16)}`,
    );
  }
  rows({
    total: `${offer.fare.currency} ${offer.fare.total_fare}`,
    refundable: offer.refundable ? "yes" : "no",
    baggage: offer.segments[0]?.baggage.checked_baggage,
  });

  heading("Fare rule", "api.flights.fareRule");
  const rules = await api.flights.fareRule({ trace_id, token });
  for (const { origin, destination, fare_rules } of rules.data.result) {
    rows({ [`${origin}-${destination}`]: `${fare_rules.length} characters of rules` });
  }

  heading("Booking", "api.flights.book");
  if (!book) return note("Not booked. Add --book to make a real booking.");
  const booked = await api.flights.book({ trace_id, token: offer.token, passengers: [traveller] });
  const { pnr, booking_id, fare, last_ticket_date } = booked.data.result;
  done(`PNR ${paint("bold", pnr)}, booking ${booking_id}, ${fare.currency} ${fare.total_fare}`);
  note(`Issue the ticket before ${last_ticket_date}: a booking is a reservation (§3.4).`);
}

/** An invented passenger: nobody has the number 600000000x. */
export const traveller: Passenger = {
  title: "Mr",
  fname: "RAVI",
  lname: "SAMPLE",
  mobile: "6000000001",
  email: "traveller@example.in",
  passenger_type: "adult",
  dob: "1988-07-14",
  gender: "M",
  address: "11 Placeholder Road",
  city: "Samplepur",
  country: "India",
  country_code: "IN",
};

export async function receiveWebhook(emulator: Emulator): Promise<void> {
  heading("Payout webhook", "api.webhooks.handler");
  const signature = hmac({ header: "x-signature", secrets: [randomBytes(32).toString("hex")] });
  const credited = new Map<string, number>();
  const webhooks = new Webhooks({ auth: [signature], store: memoryStore(), findOrder: () => 8500 });
  const handler = webhooks.handler({
    SUCCESS: (event) => credited.set(event.client_referenceId, event.txn_amount),
    FAILED: () => {},
    REJECTED: () => {},
  });

  const server = createServer(nodeHandler(handler));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  emulator.deliverTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/payouts`, { auth: [signature] });

  const reference = "demo-order-17";
  for (const delivery of ["first delivery", "redelivery"]) {
    const { attempts } = await emulator.payout({ client_referenceId: reference, amount: 8500, outcome: "SUCCESS" });
    const [attempt] = attempts;
    rows({ [delivery.padEnd(14)]: `acknowledged ${attempt?.status} in ${attempt?.duration} ms` });
  }
  done(`credited once: ${[...credited].map(([order, amount]) => `${order} ₹${amount}`).join(", ")}`);
  server.close();
  server.closeAllConnections();
}
