import type { RequestOptions } from "../options.ts";
import type { ApiCall } from "../transport/call.ts";
import type { Transport } from "../transport/transport.ts";
import { findVpas } from "./operations.ts";
import type { FindVpasParams, VpaResult } from "./types.ts";

/** UPI verification: from a mobile number to the UPI addresses (VPAs) that are linked to it. */
export class Verification {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Finds the UPI addresses that are linked to a mobile number (§4.1).
   *
   * @param params - `vpa_mobile`, ten digits in any common spelling, and `consent: "Y"`.
   * @param options - Options of this call.
   * @returns The result of §2.2.
   * @throws {@link RequestValidationError} before anything is sent, when the number or the consent is not right.
   * @throws {@link NotFoundError} when no UPI ID is linked to the number.
   * @throws {@link RequestInProgressError} when the service answers that it is still looking.
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
    return this.#transport.send(findVpas, params, options);
  }
}
