import * as ai from "../../src/ai/operations.ts";
import * as flights from "../../src/flights/operations.ts";
import { isOperation, type Operation } from "../../src/operation.ts";
import * as verification from "../../src/verification/operations.ts";

/** The operations of the service: all that the areas define. */
export const operations = Object.values<unknown>({ ...verification, ...ai, ...flights }).filter(
  (value): value is Operation<object, unknown> => isOperation(value),
);
