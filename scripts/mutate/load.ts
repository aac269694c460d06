/**
 * Loads before all tests what the library loads when it is needed. Otherwise what runs at its import, such as a table, would
 * count as covered by the first test alone that has loaded it.
 */
import "../../src/ai/stream/open-stream.ts";
import "../../src/flights/booking/outcome.ts";
import "../../src/shared/explain.ts";
import "../../src/transport/errors/response.ts";
import "../../src/transport/refusals/proof.ts";
import "../../src/transport/retries.ts";
