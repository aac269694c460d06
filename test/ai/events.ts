import type { ResponseCompleted, ResponseInitiated, ResponseOutput } from "../../src/ai/types.ts";

/** The events of §6.1 as the document shows them, with other fields laid over. */
export function initiated(fields: Partial<ResponseInitiated> = {}): ResponseInitiated {
  return {
    status: "PENDING",
    status_code: "102",
    message: "Response generation initiated.",
    event: "response_initiated",
    response_status: "initiated",
    context_token: "svc_1",
    parent_context_token: null,
    system: [],
    ...fields,
  };
}

export function chunk(sequence_no: number, text_chunk = `${sequence_no} `): ResponseOutput {
  return {
    status: "PROCESSING",
    status_code: "206",
    event: "response_output",
    sequence_no,
    system: { msg_id: "msg_1", text_chunk },
  };
}

export function completed(text: string, fields: Partial<ResponseCompleted> = {}): ResponseCompleted {
  return {
    status: "SUCCESS",
    status_code: "200",
    message: "Response generation successful.",
    event: "response_completed",
    response_status: "completed",
    context_token: "svc_1",
    parent_context_token: null,
    system: { msg_id: "msg_1", text },
    ...fields,
  };
}

/** A body of server-sent events that ends after the last one, or stays open. */
export function sseBody(events: readonly object[], after: "end" | "stay" = "end"): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      controller.enqueue(new TextEncoder().encode(text));
      if (after === "end") controller.close();
    },
  });
}
