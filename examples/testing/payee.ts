/** The code that the tests of `examples/testing-*` test. */
import { NotFoundError, ServiceApi } from "serviceapi";

/** Returns the name and VPA that a mobile number can be paid at; undefined if none is linked to it. */
export async function findPayee(mobile: string, api = new ServiceApi()) {
  try {
    const { name, vpa } = await api.verification.findVpas({ vpa_mobile: mobile, consent: "Y" });
    return { name, vpa };
  } catch (error) {
    if (NotFoundError.isInstance(error)) return undefined;
    throw error;
  }
}
