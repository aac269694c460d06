/** The bodies that are sent and read, so that each contestant works on the same bytes. */
import { readFileSync } from "node:fs";
import type { FareQuote } from "serviceapi";

const samples = new URL("../src/emulator/samples/", import.meta.url);

/** Reads a sample of the emulator. */
export function sampleOf<Sample>(path: string): Sample {
  return JSON.parse(readFileSync(new URL(path, samples), "utf8")) as Sample;
}

/** The bytes of the response to a small POST of the client `bench`. One to another client would bring a warning each time. */
export const smallResponse = () =>
  Buffer.from(
    readFileSync(new URL("verification/success-multiple.json", samples), "utf8").replace("demo-client-0001", "bench"),
  );

export const trace = "00000000-aaaa-4bbb-8ccc-000000000005";

/** Returns a valid fare quote of about that many kilobytes: the result of a family's round trip, repeated. */
export function quoteOf(kilobytes: number): FareQuote {
  const quote = sampleOf<FareQuote>("flight/fare_quote/success-international-roundtrip-family.json");
  const [result] = quote.data.result;
  if (result === undefined) throw new Error("the sample has no result");
  const bytesOfOne = JSON.stringify(result).length;
  const length = Math.max(1, Math.round((kilobytes * 1024) / bytesOfOne));
  return { ...quote, data: { ...quote.data, result: Array.from({ length }, () => result) } };
}

/** Returns a valid fare quote with one result of that many segments. */
export function quoteWithSegments(segments: number): FareQuote {
  const quote = quoteOf(1);
  const [result] = quote.data.result;
  const [segment] = result?.segments ?? [];
  if (result === undefined || segment === undefined) throw new Error("the sample has no segment");
  const long = { ...result, segments: Array.from({ length: segments }, () => segment) };
  return { ...quote, data: { ...quote.data, result: [long] } };
}

const token = "svc_660ee05a705a4b965f2dd7b28065999c6da55ad2";
const initiated = {
  status: "PENDING",
  status_code: "102",
  message: "Response generation initiated.",
  event: "response_initiated",
  response_status: "initiated",
  context_token: token,
  parent_context_token: null,
  system: [],
};

/** Returns the events of a stream: `count` chunks of text between a first event and a last one. */
export function* eventsOf(count: number, chunk = "word "): Generator<object> {
  yield initiated;
  for (let sequence_no = 1; sequence_no <= count; sequence_no += 1) yield output(sequence_no, chunk);
  yield completed(chunk.repeat(count));
}

export function output(sequence_no: number, text_chunk: string): object {
  const system = { msg_id: "msg_d583bb70c8a6b5be37ee3962", text_chunk };
  return { status: "PROCESSING", status_code: "206", event: "response_output", sequence_no, system };
}

export function completed(text: string): object {
  return {
    ...initiated,
    status: "SUCCESS",
    status_code: "200",
    message: "Response generation successful.",
    event: "response_completed",
    response_status: "completed",
    system: { msg_id: "msg_d583bb70c8a6b5be37ee3962", text },
  };
}
