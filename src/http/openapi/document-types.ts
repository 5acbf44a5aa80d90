import type { RouteOptions } from 'fastify'
import type { Refusal } from '#kit/refusal'
import type { RateLimited } from '../rate-limits/rate-limited.ts'
import type { JsonSchema } from '../shared/json-schema.ts'
import type { ErrorDialect } from '../shared/surface.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** What the operation is called in clients that are made from the document: `pauseSubscription`. */
    operationId?: string
    /** A few words without a full stop. */
    summary?: string
    /** What a caller needs to know, in Markdown. */
    description?: string
    /** How the object in the example of the response differs from the example of its schema. */
    responseExample?: Record<string, unknown>
    /** Whether it accepts an `Idempotency-Key`, where a surface does not accept one on every writing route. */
    isIdempotent?: boolean
    /** Types of a body that is a file, each with an example; without them a body is JSON. */
    consumes?: Record<string, string>
    /** The type of a body with fields that is not JSON. */
    bodyType?: string
    /** Whether it may be removed, in favour of another. */
    deprecated?: true
    /** Types of a response that is not JSON; its schema is that of one line. */
    produces?: string[]
  }
}

/** A route as it was registered. */
export type DocumentedRoute = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

export type Reference = { $ref: string }
export type Header = { description: string; schema: JsonSchema; example?: unknown }
type Media = { schema: JsonSchema; example: unknown }
/** JSON nearly always; where it is a file or a stream, the types that `consumes` and `produces` name. */
export type MediaTypes = Record<string, Media> & { 'application/json': Media }
export type OperationResponse = {
  description: string
  headers?: Record<string, Header | Reference>
  content?: MediaTypes
}

export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  deprecated?: true
  security: Record<string, string[]>[]
  /** The scope that an API key needs. */
  'x-required-scope'?: string
  /** Who may call it, on the other surfaces. */
  'x-allow'?: string
  parameters?: (Parameter | Reference)[]
  requestBody?: { required: boolean; description?: string; content: MediaTypes }
  responses: Record<string, OperationResponse | Reference>
}

export type Tag = { name: string; description: string }

/** An OpenAPI 3.1 document, as far as ours goes. */
export type OpenApiDocument = {
  openapi: string
  info: Record<string, unknown>
  servers: { url: string; description: string }[]
  tags: Tag[]
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, OperationResponse>
    parameters: Record<string, Parameter>
    headers: Record<string, Header>
    securitySchemes: Record<string, object>
  }
}

/** The document of the direct API has the webhooks too. */
export type RestDocument = OpenApiDocument & Required<Pick<OpenApiDocument, 'webhooks'>>

/** One way in which a surface refuses. */
export type ErrorKind = {
  meaning: string
  /** A refusal that the surface really answers with; null is a bug of ours. */
  refusal: Refusal | RateLimited | null
  /** Headers of the response beside those of every response. */
  headers?: string[]
  /** Which operations can refuse so; all without it. */
  isFor?: (route: DocumentedRoute) => boolean
}

/** What the document of one surface has that others have not. */
export type DocumentDialect = {
  prefix: string
  /** Which paths below the prefix are the surface's, where others have it too. */
  has?: (path: string) => boolean
  info: { title: string; summary: string; description: string }
  /** By the key that `tagOf` finds in a path. */
  tags: Record<string, Tag>
  tagOf: (path: string) => string
  securitySchemes: Record<string, object>
  /** What an operation says about who may call it; `note` is added to its description. */
  accessOf: (allow: string) => Pick<Operation, 'security' | 'x-required-scope' | 'x-allow'> & { note?: string }
  /** Whether an operation accepts an `Idempotency-Key`. */
  isIdempotent: (route: DocumentedRoute) => boolean
  headersOfEveryResponse: string[]
  headers: Record<string, Header>
  errors: Record<string, ErrorKind>
  errorSchema: JsonSchema
  wordErrors: ErrorDialect
  /** The description and the example of a success. */
  successOf: (
    schema: JsonSchema,
    changes: Record<string, unknown> | undefined
  ) => { description: string; example: unknown }
}
