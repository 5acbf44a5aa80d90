import { type TSchema, Type } from 'typebox'
import { type FieldProblem, invalidFields } from '#kit/refusal'

/** The filters of a list of loyalty: of these types, and of one status. `what`: rules or coupons. */
export const filterParameters = (what: string, types: readonly string[]) =>
  Type.Object({
    type: Type.Optional(
      Type.Union(types.map((name) => Type.Literal(name)) as TSchema[], {
        description: `one of ${types.join(', ')}`,
        meaning: `Only ${what} of this type`,
        examples: [types[1]!]
      })
    ),
    status: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1,
        description: '1 or 0',
        meaning: `Only ${what} that are active (1), or that are not (0)`,
        examples: [1]
      })
    )
  })

/** Reads them from a query, whose other parameters are ignored: the app proxy adds its own, and themes may. Refuses all that is wrong at once. */
export function readFilters<T extends string>(
  { type, status }: Record<string, unknown>,
  types: readonly T[]
): { type: T | null; status: 0 | 1 | null } {
  const problems: FieldProblem[] = []
  const check = (field: string, given: unknown, accepted: readonly string[], accepts: string) => {
    if (given === undefined || accepted.includes(given as string)) return
    const message = Array.isArray(given) ? 'is given more than once' : `must be ${accepts}`
    problems.push({ field, code: 'invalid', message })
  }
  check('type', type, types, `one of ${types.join(', ')}`)
  check('status', status, ['0', '1'], '1 or 0')
  if (problems.length > 0) throw invalidFields(problems)
  return { type: (type as T | undefined) ?? null, status: status === undefined ? null : status === '1' ? 1 : 0 }
}
