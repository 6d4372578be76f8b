// What upstream's client makes of a response that is not 2xx: the Status in its body, or one by the
// status code. Pure.
// Upstream: k8s.io/client-go/rest/request.go (newUnstructuredResponseError, Result.Error),
// k8s.io/apimachinery/pkg/api/errors/errors.go (NewGenericServerResponse).
import { isObject, type Json, type Status } from "homeostat/api";
import { quoteGo } from "../apimachinery/errors/field-error.ts";

/** Reason and message by status code; `undefined` for the response's own text. */
const byCode: Readonly<Record<number, readonly [reason: string, message: string | undefined]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  403: ["Forbidden", undefined],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  406: ["NotAcceptable", undefined],
  409: ["AlreadyExists", "the server reported a conflict"],
  415: ["UnsupportedMediaType", undefined],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: [
    "TooManyRequests",
    "the server has received too many requests and has asked us to try again later",
  ],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: [
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
};

const maxText = 2048;

/** The failure that a response stands for. */
export function responseFault(code: number, contentType: string, body: Uint8Array): Status {
  const text = Buffer.from(body).toString("utf8");
  return (
    statusIn(text) ?? generic(code, isText(contentType) ? text.slice(0, maxText).trim() : "unknown")
  );
}

const isText = (contentType: string): boolean => /^\s*(?:text\/|$)/.test(contentType);

/** A Status that reports a failure; its version may be left out. */
function statusIn(text: string): Status | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { kind, apiVersion = "v1", status } = value;
  if (kind !== "Status" || apiVersion !== "v1" || status !== "Failure") return undefined;
  return value as unknown as Status;
}

function generic(code: number, text: string): Status {
  const [reason, message] = byCode[code] ?? unnamed(code, text);
  const own =
    reason === "NotAcceptable" && (text === "" || text === "unknown") ? unacceptable : text;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: message ?? own,
    reason,
    details: { causes: [{ reason: "UnexpectedServerResponse", message: text }] },
    code,
  } as Status;
}

const unacceptable =
  "the server was unable to respond with a content type that the client supports";

const unnamed = (code: number, text: string): readonly [string, string] =>
  code >= 500
    ? [
        "InternalError",
        `an error on the server (${quoteGo(text)}) has prevented the request from succeeding`,
      ]
    : ["", `the server responded with the status code ${code} but did not return more information`];
