import { createServer, type IncomingMessage, type Server } from "node:http";
import { buffer } from "node:stream/consumers";

/** An event of API Gateway v2 (payload format 2.0), in the fields that do not name an account of AWS. */
export interface GatewayEvent {
  readonly version: "2.0";
  readonly routeKey: string;
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestContext: {
    readonly http: {
      readonly method: string;
      readonly path: string;
      readonly protocol: string;
      readonly sourceIp: string;
      readonly userAgent: string;
    };
  };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

interface GatewayResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** A server that does what API Gateway v2 does: a request becomes an event, the function's result the response. */
export function createGateway(invoke: (event: GatewayEvent) => Promise<GatewayResult>): Server {
  return createServer(async (request, response) => {
    // An event and a result cross as JSON.
    const event: GatewayEvent = JSON.parse(JSON.stringify(await eventFrom(request)));
    const result: GatewayResult = JSON.parse(JSON.stringify(await invoke(event)));
    response.writeHead(result.statusCode, result.headers);
    response.end(Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8"));
  });
}

async function eventFrom(request: IncomingMessage): Promise<GatewayEvent> {
  const { pathname, search } = new URL(request.url ?? "/", "http://gateway");
  const headers = headersOf(request);
  const method = request.method ?? "";
  const body = await buffer(request);
  return {
    version: "2.0",
    routeKey: `${method} ${pathname}`,
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers,
    requestContext: {
      http: {
        method,
        path: pathname,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? "",
        userAgent: headers["user-agent"] ?? "",
      },
    },
    ...(body.length > 0 && { body: body.toString("base64") }),
    isBase64Encoded: body.length > 0,
  };
}

/** Names in lower case; the values of a header that came more than once, joined by a comma. */
function headersOf({ headersDistinct }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(",")]));
}
