"use client";
import { useState } from "react";
import { isServiceApiError } from "serviceapi";
import { normalizeMobile } from "serviceapi/verification";

/** A page that uses the package in the browser. */
export default function Page() {
  const [error] = useState<unknown>();
  return (
    <p>
      {normalizeMobile("+91 60000 00001")} {isServiceApiError(error) ? error.kind : "ready"}
    </p>
  );
}
