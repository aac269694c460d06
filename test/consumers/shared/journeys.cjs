/**
 * What an application's own tests do with the package, as functions that reject if it fails. Each runner imports the
 * package in its own way and hands over what it got; `options` are more options of the client.
 */
exports.journeysWith = ({ serviceapi, flights, webhooks, emulator: { createEmulator }, options = {} }) => {
  const { ServiceApi, NotFoundError, ServiceApiError } = serviceapi;

  function start(more) {
    const emulator = createEmulator({ pace: 0 });
    const credentials = { baseUrl: "https://emulator.example", clientId: "any", clientSecret: "any" };
    return { emulator, api: new ServiceApi({ ...credentials, fetch: emulator.fetch, ...options, ...more }) };
  }

  async function findVpas() {
    const { api } = start();
    const { vpaList } = await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
    equal(vpaList.length, 3);
    const error = await rejection(api.verification.findVpas({ vpa_mobile: "6000000404", consent: "Y" }));
    equal(NotFoundError.isInstance(error) && error instanceof ServiceApiError, true);
  }

  async function readStream() {
    const { api } = start();
    let text = "";
    const stream = api.ai.stream({ user: { text: "/framing:ndjson /bytes:3 Fünf ₹ नमस्ते" } });
    for await (const event of stream) if (event.event === "response_output") text += event.system.text_chunk;
    equal(text.includes("₹ नमस्ते"), true);
    equal(await stream.finalText(), text);
  }

  async function bookFlight() {
    const { api, emulator } = start();
    const trip = flights.checkout(api, emulator.seedSearch("domestic-oneway-lcc"), {
      journal: flights.memoryJournal(),
    });
    const { data } = await trip.quote();
    equal(data.result.length, 1);
    const { pnr } = await trip.book({ passengers: [passenger] });
    equal(pnr, emulator.bookings[0].pnr);
  }

  async function receivePayout() {
    const { emulator } = start();
    const auth = [webhooks.hmac({ header: "x-signature", secrets: ["of this test"] })];
    const credited = [];
    const receiver = new webhooks.Webhooks({ auth, store: webhooks.memoryStore(), findOrder: () => 8500 });
    const POST = receiver.handler({
      SUCCESS: (event) => credited.push(event.client_referenceId),
      FAILED: () => {},
      REJECTED: () => {},
    });
    emulator.deliverTo((request) => POST(request), { auth });
    const payout = { client_referenceId: "order-17", amount: 8500 };
    equal((await emulator.payout(payout)).attempts[0].status, "SUCCESS");
    equal((await emulator.payout(payout)).attempts[0].status, "DUPLICATE");
    equal(credited.join(), "order-17");
  }

  /** The first retry loads a part of the package. */
  async function retry() {
    const { api, emulator } = start({ retryDelay: () => 0 });
    emulator.on("*", "unavailable", { times: 1 });
    const { attempts } = await api.flights.fareQuote(emulator.seedSearch()).withResponse();
    equal(attempts, 2);
  }

  /** With the runtime's own `fetch`, over a socket. */
  async function overHttp() {
    const server = await createEmulator({ pace: 0 }).listen({ port: 0 });
    try {
      const api = new ServiceApi({ baseUrl: server.url, clientId: "any", clientSecret: "any", ...options });
      const { vpaList } = await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
      equal(vpaList.length, 3);
      const text = await api.ai.stream({ user: { text: "Hello" } }).finalText();
      equal(text.includes("Hello"), true);
    } finally {
      await server.close();
    }
  }

  /**
   * A retry whose pause is on a faked clock. `advance` moves it by a minute and lets what is due run.
   *
   * @param {(milliseconds: number) => Promise<unknown>} advance
   */
  async function retryOnFakeClock(advance) {
    const { api, emulator } = start({ retryDelay: () => 20_000 });
    emulator.on("*", "unavailable", { times: 2 });
    const response = api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }).withResponse();
    let isSettled = false;
    const settled = response.finally(() => {
      isSettled = true;
    });
    // The retries are loaded with the first one, in real time.
    while (!isSettled) await advance(60_000);
    equal((await settled).attempts, 3);
  }

  return { findVpas, readStream, bookFlight, receivePayout, retry, overHttp, retryOnFakeClock };
};

function equal(actual, expected) {
  if (actual !== expected) throw new Error(`expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`);
}

async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("expected a rejection");
}

const passenger = {
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
