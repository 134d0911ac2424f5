"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.HeaderValues = void 0;
/** The values of each header, by its name in lower case. */
class HeaderValues {
    #values = new Map();
    constructor(source) {
        const pairs = Symbol.iterator in source ? source : Object.entries(source);
        for (const [name, value] of pairs) {
            if (value === undefined) {
                continue;
            }
            const key = name.toLowerCase();
            const values = typeof value === "string" ? [value] : value;
            this.#values.set(key, [...this.all(key), ...values]);
        }
    }
    all(name) {
        return this.#values.get(name) ?? [];
    }
    first(name) {
        return this.all(name)[0] ?? "";
    }
}
exports.HeaderValues = HeaderValues;
