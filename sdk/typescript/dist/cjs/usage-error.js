"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.UsageError = exports.idRule = void 0;
exports.idRule = "the id must be 1 to 256 printable ASCII characters, without space and full stop";
const sentences = {
    no_secret: "no secret: give at least one, as the sender showed it",
    cannot_sign: "the secret only verifies: sign with a whsec_ secret of at least 24 bytes or a whsk_ key",
    not_symmetric: "the scheme takes symmetric secrets only: use one that begins with whsec_",
    bad_id: exports.idRule,
    bad_timestamp: "the timestamp must be after 1970 and before 5138: give the time of this attempt",
    parsed_body: "the body is no longer the bytes that arrived: something parsed it first, such as express.json(). " +
        "Mount the webhook's route before body parsers, or use express.raw({ type: \"*/*\" }) for it",
};
/** A mistake in the program that uses this package; `reason` is stable. */
class UsageError extends Error {
    reason;
    name = "UsageError";
    constructor(reason, message) {
        super(message ?? (reason === "bad_option" ? reason : sentences[reason]));
        this.reason = reason;
    }
}
exports.UsageError = UsageError;
