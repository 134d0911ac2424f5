import type { components } from "./openapi.js";

// The API's objects, by short names; /docs of a running Malote explains them.

type Schemas = components["schemas"];

export type ApiKey = Schemas["Key"];
export type Attempt = Schemas["Attempt"];
export type Delivery = Schemas["Delivery"];
export type Discarded = Schemas["Discarded"];
export type Endpoint = Schemas["Endpoint"];
export type EndpointPatch = Schemas["EndpointPatch"];
export type EndpointSecret = Schemas["Secret"];
export type Event = Schemas["Event"];
export type EventPage = Schemas["EventList"];
export type GapReport = Schemas["GapReport"];
export type Lag = Schemas["Lag"];
export type NewEndpoint = Schemas["NewEndpoint"];
export type NewPortalLink = Schemas["NewPortalLink"];
export type NewPolicy = Schemas["NewPolicy"];
export type NewSource = Schemas["NewSource"];
export type NewTenant = Schemas["NewTenant"];
export type Policy = Schemas["Policy"];
export type PortalLink = Schemas["PortalLink"];
export type Published = Schemas["Published"];
export type Recovery = Schemas["Recovery"];
export type Rejection = Schemas["Rejection"];
export type ReplayResult = Schemas["ReplayResult"];
export type Replayed = Schemas["Replayed"];
export type Schedule = Schemas["Schedule"];
export type Signal = Schemas["Signal"];
export type Source = Schemas["Source"];
export type SourceProvider = Schemas["SourceProvider"];
export type SourceSecret = Schemas["SourceSecret"];
export type Tenant = Schemas["Tenant"];
export type TenantPatch = Schemas["TenantPatch"];
export type TestResult = Schemas["TestResult"];
