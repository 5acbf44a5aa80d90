import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { compileValidator } from '../shared/validation.ts'

/** Checks the parameters of a query that a route declares, and ignores any other: the app proxy adds its own, and themes may. */
export const declaredParameters: FastifySchemaCompiler<TSchema> = (part) => {
  const check = compileValidator(part)
  if (part.httpPart !== 'querystring') return check
  const names = Object.keys((part.schema as { properties?: object }).properties ?? {})
  return (query: Record<string, unknown>) =>
    check(Object.fromEntries(names.flatMap((name) => (Object.hasOwn(query, name) ? [[name, query[name]]] : []))))
}
