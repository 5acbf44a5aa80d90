import { Compile } from 'typebox/schema'

type Schema = Record<string, any>

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
  example?: unknown
}

/** An operation of the published document, with its references resolved. */
export type Operation = {
  id: string
  method: string
  path: string
  scope: string
  parameters: Parameter[]
  body: Schema | null
  /** The example of its JSON body; undefined without one. */
  example: unknown
  /** Whether a JSON value matches the declared response of the status; null if none is declared. */
  fits(status: number, body: unknown, type?: string): boolean | null
}

type Document = { paths: Record<string, Record<string, any>>; components: Record<string, Record<string, any>> }

/**
 * Every operation of an OpenAPI document. Objects in responses are treated as closed: the published schemas allow additional
 * fields, but this service must send only the declared ones.
 */
export function operationsOf(document: Document): Operation[] {
  const components = closed(document.components)
  const follow = <T>(part: T & { $ref?: string }): T => {
    if (part?.$ref === undefined) return part
    const [kind, name] = part.$ref.replace('#/components/', '').split('/') as [string, string]
    const found = components[kind]?.[name]
    if (!found) throw new Error(`The document has no ${part.$ref}`)
    return follow(found)
  }
  const compiled = new Map<string, { Check(value: unknown): boolean }>()
  const validator = (schema: Schema) => {
    const key = JSON.stringify(schema)
    const known = compiled.get(key)
    if (known) return known
    const validate = Compile({ ...closed(schema), components } as never)
    compiled.set(key, validate)
    return validate
  }

  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const parameters = [...(methods.parameters ?? []), ...(operation.parameters ?? [])].map((p) => follow<any>(p))
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        scope: allowedIn(operation),
        parameters: parameters.map((p) => ({ ...p, required: p.required ?? false, schema: follow<any>(p.schema) })),
        body: operation.requestBody
          ? follow<any>(follow<any>(operation.requestBody).content['application/json']?.schema ?? null)
          : null,
        example: operation.requestBody && follow<any>(operation.requestBody).content['application/json']?.example,
        fits(status, body, type = 'application/json') {
          const response = operation.responses[status]
          const schema = response && follow<any>(response).content?.[type]?.schema
          return schema ? validator(schema).Check(body) : null
        }
      }
    })
  )
}

/** Who may call it: the scope that an API key needs, or the declaration of another surface. */
function allowedIn(operation: any): string {
  const [required] = operation.security as Record<string, string[]>[]
  const scopes = Object.values(required ?? {}).flat()
  if (operation['x-allow']) return operation['x-allow']
  if (scopes.length !== 1) throw new Error(`${operation.operationId} names ${scopes.length} scopes`)
  return scopes[0]!
}

function closed<T>(part: T): T {
  if (Array.isArray(part)) return part.map(closed) as T
  if (typeof part !== 'object' || part === null) return part
  const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value)]))
  if (copy.type === 'object' && copy.properties) copy.additionalProperties ??= false
  return copy as T
}

/** The path of an operation of the admin API about things that are not there, so that what may be called changes nothing. */
export const pathOfNothing = ({ path }: Pick<Operation, 'path'>): string =>
  `/admin/api${path.replace(/\{\w+\}/g, 'none')}`
