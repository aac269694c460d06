/** Text that is one of the listed values today and may be another tomorrow. */
type Open<Known extends string> = Known | (string & {});

/** Request of `findVpas` (§4.1), less what the library fills in. */
export interface FindVpasParams {
  /**
   * The mobile number to look up: ten digits from 6 to 9. `+91`, `0091`, a leading `0`, spaces and dashes are stripped
   * (option `mobile: "asGiven"` sends it untouched).
   */
  readonly vpa_mobile: string;
  /** The account holder's consent, in as many words. It is never filled in for you. */
  readonly consent: "Y";
  /** Client reference data. Filled in with the credential's client id where absent. */
  readonly clientData?:
    | {
        /** Unique client identifier; echoed in the answer (§2.1). */
        readonly client_id: string;
      }
    | undefined;
}

/** The VPAs linked to a mobile number (§2.2). */
export interface VpaResult {
  /** `success` on success. */
  readonly status: Open<"success">;
  /** `101` on success. */
  readonly statusCode: Open<"101">;
  /** Unique transaction identifier. */
  readonly partner_id: string;
  /** Name of the account holder tied to the mobile number. May be empty. */
  readonly name: string;
  /** Primary VPA, `<mobile>@<handle>`. */
  readonly vpa: string;
  /** All VPAs linked to the mobile number. */
  readonly vpaList: readonly string[];
  /** Number of VPAs found. */
  readonly count: number;
  /** Status description. */
  readonly description: string;
  /** Account validation status. `VALID` is the value shown; others are not enumerated. */
  readonly accountStatus: Open<"VALID">;
  /** Echo of the client data (§2.1). */
  readonly clientData: {
    /** Unique client identifier, as sent. */
    readonly client_id: string;
    /** The mobile number that was looked up. */
    readonly mobile: string;
  };
  /** Success message. */
  readonly message: string;
}
