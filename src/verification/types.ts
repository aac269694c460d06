/** One of the known values, or another string. */
type Open<Known extends string> = Known | (string & {});

/** The parameters of `findVpas` (§4.1). */
export interface FindVpasParams {
  /**
   * The mobile number to look up: ten digits, the first from 6 to 9. `+91`, `0091`, `091`, `91` on twelve digits, a
   * leading `0`, spaces, dashes, dots and parentheses are removed. The option `validation.mobile: "asGiven"` sends it unchanged.
   */
  readonly vpa_mobile: string;
  /** The account holder's consent, given explicitly: anything but `Y` is refused. It is never filled in for you. */
  readonly consent: Open<"Y">;
  /** Client reference data. @default the client ID of the credentials */
  readonly clientData?:
    | {
        /** Unique client identifier; echoed in the response (§2.1). */
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
  /** Validation status of the account. Only `VALID` is documented. */
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
