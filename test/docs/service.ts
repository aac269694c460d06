import { serve } from "@hono/node-server";
import { createEmulator } from "../../src/emulator/emulator.ts";

/** The emulator over HTTP, with operations that the document leaves out and the guides define. */
export interface Service {
  readonly url: string;
  /** The environment variables of a program: the client's own, and those of a flight search. */
  environment(): Record<string, string>;
  close(): Promise<void>;
}

export async function startService(): Promise<Service> {
  const emulator = createEmulator({ pace: 0 });
  const service = await emulator.listen();
  const own: Readonly<Record<string, () => object>> = {
    "/flight/search": () => {
      const { trace_id, token } = emulator.seedSearch();
      return { status: "SUCCESS", status_code: "200", data: { trace_id, result: [{ token, total_fare: 7480 }] } };
    },
    "/flight/booking_status": () => ({ status: "SUCCESS", status_code: "200", data: { pnr: null } }),
    "/payout/create": () => ({ status: "PENDING", statusCode: "202", transactionId: "TXN1" }),
    "/payout/status": () => ({
      status: "SUCCESS",
      statusCode: "200",
      transactionId: "TXN1",
      client_referenceId: "order-17",
      txn_amount: 8500,
      acknowledged: "1",
      utr: "000000000001",
      description: "Amount settled",
    }),
  };

  const respond = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const response = own[pathname]?.();
    if (response !== undefined) return Response.json(response);
    const { method, headers, signal } = request;
    const body = await request.arrayBuffer();
    return fetch(new URL(pathname, service.url), { method, headers: forwarded(headers), body, signal });
  };
  const front = serve({ fetch: respond, port: 0, hostname: "127.0.0.1", overrideGlobalObjects: false });
  await new Promise((resolve) => front.once("listening", resolve));
  const address = front.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return {
    url,
    environment() {
      const { trace_id, token } = emulator.seedSearch();
      return { TRACE_ID: trace_id, TOKEN: token, SERVICEAPI_BASE_URL: url };
    },
    async close() {
      await new Promise((resolve) => front.close(resolve));
      await service.close();
    },
  };
}

function forwarded(headers: Headers): Headers {
  const copy = new Headers(headers);
  for (const name of ["host", "connection", "content-length", "transfer-encoding"]) copy.delete(name);
  return copy;
}
