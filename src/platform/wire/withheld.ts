import type { Fields } from './fields.ts'

/** A field that the platform withholds from us, in a response that is good otherwise. */
export type WithheldField = {
  /** From the root of the response, with the places in lists: `nodes.0.order.email`. */
  path: string
  /** The platform's reason. */
  message: string
  /** Of one that is a whole object which was asked for by its id: the type of that. */
  type?: string
}

/** Errors that each say of a field below the root that we may not read it; null if one says something else. */
export function withheldFields(errors: Fields[]): WithheldField[] | null {
  const withheld: WithheldField[] = []
  for (const error of errors) {
    const path = pathOf(error)
    if (!isAccessDenied(error) || path.length < 2) return null
    withheld.push({ path: path.join('.'), message: error.text('message') })
  }
  return withheld
}

export const isAccessDenied = (error: Fields): boolean =>
  error.maybeAt('extensions')?.maybeText('code') === 'ACCESS_DENIED'

/** The keys and places on the way to the field that an error is about; empty for an error of the whole request. */
export function pathOf(error: Fields): string[] {
  const path = error.raw('path')
  return Array.isArray(path) ? path.map(String) : []
}

/** The same with the type of what was asked for by `ids`: a path such as `nodes.0` says nothing of it. */
export function withType(field: WithheldField, ids: unknown): WithheldField {
  const at = /^nodes\.(\d+)$/.exec(field.path)?.[1]
  const id = at !== undefined && Array.isArray(ids) ? ids[Number(at)] : undefined
  const type = /^gid:\/\/[^/]+\/([A-Za-z]+)\//.exec(String(id))?.[1]
  return type === undefined ? field : { ...field, type }
}

/** What is withheld, for people, the same for each object of a list: `nodes.order.email`, or `objects of the type Order`. */
export const nameOfWithheld = ({ path, type }: WithheldField): string =>
  type === undefined
    ? path
        .split('.')
        .filter((key) => !/^\d+$/.test(key))
        .join('.')
    : `objects of the type ${type}`
