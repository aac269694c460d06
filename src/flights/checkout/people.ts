import { RequestValidationError } from "../../errors/request.ts";
import { merge } from "../../shared/merge.ts";
import type { Passenger } from "../types/index.ts";

/** Copies the passengers that will be sent: the caller may change the objects while a quote is requested. */
export function copyPassengers<Request extends { readonly passengers: readonly Passenger[] }>(
  request: Request,
): Request {
  return Object.assign(request, { passengers: jsonCopy("passengers", request.passengers) });
}

/** Copies the `extraBody` of a call in the same way: it may hold passengers too. */
export function copyExtraBody<Options extends { readonly extraBody?: object | undefined }>(options: Options): Options {
  if (options.extraBody === undefined) return options;
  return Object.assign(options, { extraBody: jsonCopy("extraBody", options.extraBody) });
}

/** Returns the passengers that are sent: `extraBody` takes precedence. */
export function peopleSent(passengers: readonly Passenger[], extraBody: object | undefined): unknown {
  const extra: unknown =
    extraBody === undefined ? undefined : Object.getOwnPropertyDescriptor(extraBody, "passengers")?.value;
  return extra === undefined ? passengers : merge(passengers, extra);
}

function jsonCopy(name: string, value: object): unknown {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(value));
    if (typeof copy === "object" && copy !== null && Array.isArray(copy) === Array.isArray(value)) return copy;
  } catch {
    // The message of the runtime quotes the fields.
  }
  const message =
    "cannot be serialized as JSON: it has a circular reference or a BigInt, or its toJSON returns another type";
  throw new RequestValidationError({
    message: `trip.book: \`${name}\` ${message}. Nothing was sent.`,
    operation: "flights.book",
    issues: [{ path: [name], message, code: "not_json" }],
  });
}
