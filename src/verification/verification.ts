import { type Client, transportOf } from "../client.ts";
import type { RequestOptions } from "../options.ts";
import type { ApiCall } from "../transport/call.ts";
import { findVpas } from "./operations.ts";
import type { FindVpasParams, VpaResult } from "./types.ts";

/** UPI verification: finds the UPI IDs (VPAs) that are linked to a mobile number. */
export class Verification {
  readonly #client: Client;

  /**
   * @param client - The client that sends the requests.
   * @throws {@link ConfigurationError} if it is not a client.
   */
  constructor(client: Client) {
    transportOf(client, "new Verification()");
    this.#client = client;
  }

  /**
   * Finds the UPI IDs (VPAs) that are linked to a mobile number (§4.1).
   *
   * @param params - `vpa_mobile`, ten digits in any common spelling, and `consent: "Y"`.
   * @param options - Options of this call.
   * @returns The linked VPAs (§2.2).
   * @throws {@link RequestValidationError} if the number or the consent is invalid. Nothing was sent.
   * @throws {@link NotFoundError} if no UPI ID is linked to the number.
   * @throws {@link RequestInProgressError} if the service is still looking.
   *
   * @example
   * ```ts
   * import { NotFoundError, ServiceApi } from "serviceapi";
   *
   * const api = new ServiceApi();
   * try {
   *   const { name, vpaList } = await api.verification.findVpas({ vpa_mobile: "+91 60000 00001", consent: "Y" });
   *   console.log(name, vpaList);
   * } catch (error) {
   *   if (!NotFoundError.isInstance(error)) throw error;
   *   console.log("no UPI ID is linked to this number");
   * }
   * ```
   */
  findVpas(params: FindVpasParams, options?: RequestOptions): ApiCall<VpaResult> {
    return this.#client.send(findVpas, params, options);
  }
}
