import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type FieldProblem, invalidBody, Refusal } from '#kit/refusal'

type Field = {
  name: string
  required: boolean
  integer: boolean
  accepts: string
  fits: (value: unknown) => boolean
  /** Of an object whose fields are checked one by one, and of a list of such objects. */
  inner?: (given: unknown) => { value: unknown } | { problems: FieldProblem[] }
}

/** So many of what is wrong in a list are named. */
const MAX_PROBLEMS = 10

/**
 * Checks bodies, query strings and path parameters field by field. The `description` of a field says what it must be; a
 * refusal names the field and repeats it. The fields of an object without a description are checked one by one, such as
 * `dunning.on_failure`, also in a list: `items[0].quantity`. What is not declared is refused too. In the body of a POST null stands for a field that is left
 * out; in a PATCH it is a value.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, method, httpPart }) => {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, TSchema>; required?: string[] }
  const fields = Object.entries(properties).map(([name, field]): Field => {
    const { type } = field as { type?: string }
    const description = acceptedBy(field)
    if (!description && type === 'object') return groupOf(name, field, { required: required.includes(name), method })
    if (!description) throw new Error(`The schema of ${name} has no description of what it accepts`)
    const ofList = type === 'array' ? (field as { items?: TSchema & { type?: string } }).items : undefined
    if (ofList?.type === 'object') {
      return listOf(name, field, ofList, { required: required.includes(name), accepts: description, method })
    }
    const check = Compile(field)
    return {
      name,
      required: required.includes(name),
      integer: type === 'integer',
      accepts: description,
      fits: (value) => check.Check(value)
    }
  })
  const isText = httpPart !== 'body'
  const leavesOutNulls = !isText && method === 'POST'

  return (input: unknown) => {
    // A body that may be empty may be missing.
    const isMissing = !isText && (input ?? null) === null && required.length === 0
    if (!isText && !isMissing && !isPlainObject(input)) return { error: notAnObject(fields, input) }
    const given = (input ?? {}) as Record<string, unknown>
    const value: Record<string, unknown> = {}
    const problems: FieldProblem[] = []
    for (const { name, required, integer, accepts, fits, inner } of fields) {
      const present = Object.hasOwn(given, name) ? given[name] : undefined
      if (present === undefined || (present === null && leavesOutNulls && !required && !fits(null))) {
        if (required) problems.push({ field: name, code: 'required', message: `is required and must be ${accepts}` })
        continue
      }
      if (inner) {
        const checked = inner(present)
        if ('value' in checked) value[name] = checked.value
        else problems.push(...checked.problems)
        continue
      }
      const read = isText && integer ? integerOf(present) : present
      if (fits(read)) value[name] = read
      else
        problems.push(
          invalidValue(name, isText && Array.isArray(present) ? 'is given more than once' : `must be ${accepts}`)
        )
    }
    problems.push(...unknownFields(given, fields, isText))
    return problems.length > 0 ? { error: invalid(problems) } : { value }
  }
}

/** Of one that may be null, what it is otherwise says so. */
function acceptedBy(field: TSchema): string | undefined {
  const { description, anyOf = [] } = field as {
    description?: string
    anyOf?: { description?: string; type?: string }[]
  }
  const parts = anyOf.map((part) => part.description ?? (part.type === 'null' ? 'null' : undefined))
  return description ?? (parts.length > 0 && !parts.includes(undefined) ? parts.join(' or ') : undefined)
}

function groupOf(name: string, schema: TSchema, { required, method }: { required: boolean; method: string }): Field {
  const check = compileValidator({ schema, method, url: '', httpPart: 'body' })
  const accepts = `an object with any of ${Object.keys((schema as { properties?: object }).properties ?? {}).join(', ')}`
  return {
    name,
    required,
    integer: false,
    accepts,
    fits: isPlainObject,
    inner(given) {
      if (!isPlainObject(given)) return { problems: [invalidValue(name, `must be ${accepts}`)] }
      const checked = check(given) as { value: unknown } | { error: Refusal }
      if ('value' in checked) return checked
      return { problems: checked.error.details.map((problem) => ({ ...problem, field: `${name}.${problem.field}` })) }
    }
  }
}

function listOf(
  name: string,
  schema: TSchema,
  item: TSchema,
  { required, accepts, method }: { required: boolean; accepts: string; method: string }
): Field {
  // How many there may be; what each must be is checked one by one.
  const list = Compile({ ...schema, items: {} } as TSchema)
  const one = groupOf(name, item, { required: true, method })
  return {
    name,
    required,
    integer: false,
    accepts,
    fits: Array.isArray,
    inner(given) {
      if (!list.Check(given)) return { problems: [invalidValue(name, `must be ${accepts}`)] }
      const checked = (given as unknown[]).map((value) => one.inner!(value))
      const problems = checked.flatMap((found, i) =>
        'problems' in found
          ? found.problems.map((problem) => ({ ...problem, field: `${name}[${i}]${problem.field.slice(name.length)}` }))
          : []
      )
      if (problems.length > 0) return { problems: problems.slice(0, MAX_PROBLEMS) }
      return { value: checked.map((found) => ('value' in found ? found.value : null)) }
    }
  }
}

/** Query strings hold texts. Only plain digits are an integer: not `1e2`, not ` 5`, not an empty text. */
function integerOf(text: unknown): unknown {
  return typeof text === 'string' && /^-?[0-9]{1,15}$/.test(text) ? Number(text) : text
}

function unknownFields(given: Record<string, unknown>, fields: Field[], isText: boolean): FieldProblem[] {
  const known = fields.map(({ name }) => name)
  const [kind, taker] = isText ? ['parameter', 'this route'] : ['field', 'this body']
  const message = `is not a ${kind} here; ${taker} accepts ${known.length > 0 ? known.join(', ') : `no ${kind}s`}`
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .slice(0, 10)
    .map((name) => ({ field: name.slice(0, 100), code: 'unknown', message }))
}

/** The refusal of a request in which these fields or parameters are wrong. */
export function invalid(problems: FieldProblem[]): Refusal {
  const message = problems.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new Refusal('invalid_request', message, problems)
}

function notAnObject(fields: Field[], input: unknown): Refusal {
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  const needed = required.length > 0 ? ` with ${required.join(', ')}` : ''
  return invalidBody(`must be a JSON object${needed}`, (input ?? null) === null ? 'required' : 'invalid')
}

const invalidValue = (field: string, message: string): FieldProblem => ({ field, code: 'invalid', message })

const isPlainObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
