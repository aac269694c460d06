/**
 * Sends event streams: `/events/<n>` at once, `/open` one event and then silence, `/bytes/<n>` about that many bytes.
 * All contestants read the same bytes, except that `?name=<event>` adds the name that a client requires to each event.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

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

function output(sequence_no: number, text_chunk: string): object {
  const system = { msg_id: "msg_d583bb70c8a6b5be37ee3962", text_chunk };
  return { status: "PROCESSING", status_code: "206", event: "response_output", sequence_no, system };
}

function completed(text: string): object {
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

const server = createServer((request, response) => {
  request.resume();
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://bench");
  const [, what, size] = pathname.split("/");
  const name = searchParams.get("name");
  const frame = (event: object) => `${name === null ? "" : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(frame(initiated));
  if (what === "events") sendEvents(response, Number(size), frame);
  else if (what === "bytes") sendBytes(response, Number(size), frame);
});

/** Writes one event at a time, as a service that generates them. */
function sendEvents(response: ServerResponse, events: number, frame: (event: object) => string): void {
  for (let i = 1; i <= events; i++) response.write(frame(output(i, "word ")));
  response.end(frame(completed("word ".repeat(events))));
}

function sendBytes(response: ServerResponse, bytes: number, frame: (event: object) => string): void {
  const text = "x".repeat(4_000);
  let sent = 0;
  let sequence = 0;
  const pump = () => {
    while (sent < bytes) {
      const data = frame(output(++sequence, text));
      sent += data.length;
      if (!response.write(data)) return;
    }
    response.off("drain", pump);
    response.end(frame(completed("")));
  };
  response.on("drain", pump);
  pump();
}

server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
