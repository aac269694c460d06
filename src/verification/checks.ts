// Generated from the zod schemas by scripts/generate-checks.ts: do not edit.
import { hasOnlyFields, isListOf, isNumber, isObject, isString } from "../shared/checks.ts";
import { countsVpas, isVpa } from "./rules.ts";

function isFindVpasParamsClientData(value: unknown): boolean {
  return (
    isObject(value) && isString(value.client_id) && value.client_id.length > 0 && hasOnlyFields(value, ["client_id"])
  );
}

export function isFindVpasParams(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.vpa_mobile) &&
    value.consent === "Y" &&
    (value.clientData === undefined || isFindVpasParamsClientData(value.clientData)) &&
    hasOnlyFields(value, ["vpa_mobile", "consent", "clientData"])
  );
}

function isVpaResultClientData(value: unknown): boolean {
  return isObject(value) && isString(value.client_id) && isString(value.mobile);
}

export function isVpaResult(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.status) &&
    isString(value.statusCode) &&
    isString(value.partner_id) &&
    isString(value.name) &&
    isString(value.vpa) &&
    value.vpa.length > 0 &&
    isVpa(value.vpa) &&
    isListOf(value.vpaList, (element) => isString(element) && isVpa(element)) &&
    isNumber(value.count) &&
    isString(value.description) &&
    isString(value.accountStatus) &&
    isVpaResultClientData(value.clientData) &&
    isString(value.message) &&
    countsVpas(value)
  );
}
