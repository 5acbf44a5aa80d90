import { readFileSync } from 'node:fs'
import { buildSchema, type GraphQLSchema, isInterfaceType, isObjectType, isUnionType } from 'graphql'
import { checkAccess } from './access.ts'
import type { Resolvers } from './api.ts'
import { gid } from './gid.ts'
import { installScalars } from './scalars.ts'

const SDL = new URL('../schema/admin-2026-07.graphql', import.meta.url)

/**
 * The platform's schema with our resolvers. A field without a resolver is read from its source by name; `id` is the source's id as
 * a gid of its type, `legacyResourceId` the plain number.
 */
export function makeSchema(resolvers: Resolvers): GraphQLSchema {
  // Not validated at every start, which would cost more than parsing; a test validates it.
  const schema = buildSchema(readFileSync(SDL, 'utf8'), { assumeValid: true, assumeValidSDL: true, noLocation: true })
  installScalars(schema)
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName)
    if (!type || !isObjectType(type)) throw new Error(`The schema has no type ${typeName}`)
    for (const [fieldName, resolver] of Object.entries(fields)) {
      const field = type.getFields()[fieldName]
      if (!field) throw new Error(`The schema has no field ${typeName}.${fieldName}`)
      field.resolve = resolver as never
    }
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInterfaceType(type) || isUnionType(type)) {
      type.resolveType = (source: { __typename: string }) => source.__typename
      continue
    }
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    const { id, legacyResourceId } = type.getFields()
    if (id && !id.resolve) id.resolve = (source, _args, api) => gid(api.shop, type.name, source.id)
    if (legacyResourceId && !legacyResourceId.resolve) legacyResourceId.resolve = (source) => source.id
  }
  checkAccess(schema)
  return schema
}
