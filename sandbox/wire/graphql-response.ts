import {
  type DocumentNode,
  execute,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate
} from 'graphql'
import type { Api } from './api.ts'
import type { Buckets } from './buckets.ts'
import { actualCost, requestedCost } from './cost.ts'
import { variableErrors, withDefaults } from './errors.ts'
import { staticErrors, type WireError } from './static-errors.ts'

const DOCUMENTATION = 'https://shopify.dev/api/usage/rate-limits'
const MAX_COST = 1000
const REMEMBERED_DOCUMENTS = 500
/** Longer documents are not cached; those of our client have a few thousand characters. */
const REMEMBERED_LENGTH = 20_000

export type GraphqlRequest = { query?: unknown; variables?: unknown; operationName?: unknown }
export type GraphqlResponse = { data?: unknown; errors?: WireError[]; extensions?: unknown }

type Parsed = { document: DocumentNode; fragments: Map<string, FragmentDefinitionNode> } | { errors: WireError[] }

/** Executes GraphQL requests as the platform does. Parsed documents are cached, since a client repeats the same few. */
export class GraphqlHandler {
  readonly #schema: GraphQLSchema
  readonly #buckets: Buckets
  readonly #onBug: (err: unknown) => void
  readonly #parsed = new Map<string, Parsed>()

  constructor(schema: GraphQLSchema, buckets: Buckets, onBug: (err: unknown) => void) {
    this.#schema = schema
    this.#buckets = buckets
    this.#onBug = onBug
  }

  async respond(api: Api, request: GraphqlRequest): Promise<GraphqlResponse> {
    const parsed = this.#parse(String(request.query))
    if ('errors' in parsed) return { errors: parsed.errors }
    const given = (request.variables ?? {}) as Record<string, unknown>
    const operation = getOperationAST(parsed.document, request.operationName as string | undefined)
    if (!operation) return { errors: [{ message: 'No operation with that name' }] }
    const wrong = variableErrors(this.#schema, operation, given)
    if (wrong.length > 0) return { errors: wrong }

    const variables = withDefaults(this.#schema, operation, given)
    const requested = requestedCost(this.#schema, operation, parsed.fragments, variables)
    if (requested > MAX_COST) return tooExpensive(requested)
    const size = { capacity: api.shop.costCapacity, restoreRate: api.shop.costRestoreRate }
    const { taken, status } = this.#buckets.take(api.shop.storeId, requested, size)
    if (!taken) return throttled(requested, status)

    const result = await this.#run(api, parsed.document, operation, given)
    const actual = Math.min(
      requested,
      actualCost(this.#schema, operation, parsed.fragments, variables, result.data ?? undefined)
    )
    return {
      ...(result.data !== undefined && { data: result.data }),
      ...(result.errors && { errors: result.errors }),
      extensions: {
        cost: {
          requestedQueryCost: requested,
          actualQueryCost: actual,
          throttleStatus: this.#buckets.giveBack(api.shop.storeId, requested - actual, size)
        }
      }
    }
  }

  async #run(api: Api, document: DocumentNode, operation: OperationDefinitionNode, given: Record<string, unknown>) {
    const result = await execute({
      schema: this.#schema,
      document,
      contextValue: api,
      variableValues: given,
      operationName: operation.name?.value
    })
    return {
      data: result.data,
      errors: result.errors?.map((err): WireError => {
        const { message, locations, path, extensions, originalError } = err
        // Intended errors of resolvers have a code; any other error is a bug.
        if (!extensions.code) {
          this.#onBug(originalError ?? err)
          return {
            message: 'Internal error. Looks like something went wrong on our end.',
            locations,
            path,
            extensions: { code: 'INTERNAL_SERVER_ERROR' }
          }
        }
        return { message, locations, path, extensions }
      })
    }
  }

  #parse(query: string): Parsed {
    const known = this.#parsed.get(query)
    if (known) return known
    const parsed = this.#read(query)
    if (query.length > REMEMBERED_LENGTH) return parsed
    if (this.#parsed.size >= REMEMBERED_DOCUMENTS) this.#parsed.clear()
    this.#parsed.set(query, parsed)
    return parsed
  }

  #read(query: string): Parsed {
    let document: DocumentNode
    try {
      document = parse(query, { maxTokens: 20_000 })
    } catch (err) {
      if (!(err instanceof GraphQLError)) throw err
      return { errors: [{ message: `syntax error, ${err.message}`, locations: err.locations }] }
    }
    const errors = validate(this.#schema, document)
    if (errors.length > 0) return { errors: staticErrors(this.#schema, document, errors) }
    const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
    return { document, fragments: new Map(fragments.map((fragment) => [fragment.name.value, fragment])) }
  }
}

function tooExpensive(cost: number): GraphqlResponse {
  return {
    errors: [
      {
        message: `Query cost is ${cost}, which exceeds the single query max cost limit (${MAX_COST}).\n\nSee ${DOCUMENTATION} for more information on how the\ncost of a query is calculated.`,
        extensions: { code: 'MAX_COST_EXCEEDED', cost, maxCost: MAX_COST, documentation: DOCUMENTATION }
      }
    ]
  }
}

function throttled(requestedQueryCost: number, throttleStatus: unknown): GraphqlResponse {
  return {
    errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED', documentation: DOCUMENTATION } }],
    extensions: { cost: { requestedQueryCost, actualQueryCost: null, throttleStatus } }
  }
}
