import type { paths } from "./openapi.js";

// What the OpenAPI document says of each operation, so that a path, a parameter
// or an answer that the server does not have does not compile.

export type Method = "get" | "post" | "patch" | "delete";
export type Path = keyof paths;
export type Operation<P extends Path, M extends Method> = NonNullable<paths[P][M]>;

type Success = 200 | 201 | 202 | 204;
type Content<T> = T extends { content: { "application/json": infer JSON } } ? JSON : undefined;

/** What a success answers; undefined where there is nothing. */
export type Reply<O> = O extends { responses: infer R }
  ? { [S in keyof R & Success]: Content<R[S]> }[keyof R & Success]
  : never;

export type Body<O> = O extends { requestBody?: infer B } ? Content<NonNullable<B>> : never;

export type Query<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;

/** A list's filters: its cursor is for the iteration to say. */
export type Filter<P extends Path> = Omit<Query<Operation<P, "get">>, "cursor">;

export type Params<O> = O extends { parameters: { path?: infer P } } ? NonNullable<P> : never;
