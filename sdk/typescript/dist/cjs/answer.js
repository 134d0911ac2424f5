"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.refuse = refuse;
exports.refuseVerify = refuseVerify;
exports.refuseBody = refuseBody;
exports.later = later;
exports.failed = failed;
exports.writeAnswer = writeAnswer;
const status_error_js_1 = require("./status-error.js");
const usage_error_js_1 = require("./usage-error.js");
const verify_error_js_1 = require("./verify-error.js");
/** The sentences for the sender; a VerifyError brings its own. */
const details = {
    method_not_allowed: "send webhooks with POST",
    body_too_large: "the body is larger than this receiver accepts",
    body_unreadable: "the body broke off: send as many bytes as Content-Length says",
    body_already_parsed: "the receiver is set up so that it cannot see the body's bytes; its log says how to mend it",
    in_progress: "an earlier request with this webhook-id is still being handled: send it again later",
    store_unavailable: "the receiver cannot tell whether it has seen this webhook-id: send it again later",
    handler_failed: "the receiver could not handle the webhook",
};
const titles = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    410: "Gone",
    413: "Request Entity Too Large",
    422: "Unprocessable Entity",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
};
/** How long a sender should wait for another request to finish, in seconds. */
const retrySoon = 5;
function refuse(status, code, error) {
    return { outcome: "refused", status, code, error };
}
/** Refuses what a VerifyError says; anything else is the receiver's own failure. */
function refuseVerify(error) {
    if (!(error instanceof verify_error_js_1.VerifyError)) {
        return failed(error);
    }
    const { reason, message } = error;
    const status = reason === "missing_header" || reason === "malformed" ? 400 : 401;
    return { outcome: "refused", status, code: reason, detail: message, error };
}
/** Refuses a body that broke off; that something else took it is the receiver's own failure. */
function refuseBody(error) {
    if (error instanceof usage_error_js_1.UsageError) {
        return { outcome: "failed", status: 500, code: "body_already_parsed", error };
    }
    return refuse(400, "body_unreadable", error);
}
function later(outcome, code, error) {
    return { outcome, status: 503, code, retryAfter: retrySoon, error };
}
function failed(error) {
    const chosen = error instanceof status_error_js_1.StatusError ? error : undefined;
    const status = chosen && chosen.status >= 400 && chosen.status <= 599 ? chosen.status : 500;
    return { outcome: "failed", status, code: "handler_failed", retryAfter: chosen?.retryAfter, error };
}
function writeAnswer(answer, id) {
    const { outcome, status, code, retryAfter } = answer;
    if (status === 200) {
        return {
            status,
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ id, duplicate: outcome === "duplicate" }),
        };
    }
    const detail = answer.detail ?? details[code];
    const headers = { "content-type": "application/problem+json" };
    if (retryAfter !== undefined && retryAfter > 0) {
        headers["retry-after"] = String(Math.ceil(retryAfter));
    }
    if (code === "method_not_allowed") {
        headers["allow"] = "POST";
    }
    const title = titles[status] ?? "";
    return { status, headers, body: JSON.stringify({ type: "about:blank", title, status, detail, code }) };
}
