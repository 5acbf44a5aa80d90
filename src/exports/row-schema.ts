import type { Field, FieldFormat } from './endpoint.ts'

type Schema = { type: string; description: string; pattern?: string }

const FORMATS: Record<FieldFormat, Omit<Schema, 'description'>> = {
  text: { type: 'string' },
  minute: { type: 'string', pattern: '^([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2})?$' },
  day: { type: 'string', pattern: '^([0-9]{4}-[0-9]{2}-[0-9]{2})?$' },
  decimal: { type: 'string', pattern: '^(-?[0-9]+(\\.[0-9]+)?)?$' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' }
}

/**
 * The JSON Schema (2020-12) of a row with these fields. A field without a value is an empty string, which the patterns allow. Rows of
 * members have `<integration>_points` besides.
 */
export function rowSchema(
  { name, meaning, fields }: { name: string; meaning: string; fields: readonly Field[] },
  more: 'points' | 'nothing' = name === 'members' ? 'points' : 'nothing'
) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: name,
    description: meaning,
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field): [string, Schema] => [
        field.name,
        { ...FORMATS[field.format], description: descriptionOf(field) }
      ])
    ),
    ...(more === 'points'
      ? {
          patternProperties: {
            '^[a-z][a-z0-9_]*_points$': {
              type: 'string',
              description:
                'The balance of an active integration of reward points, in digits; empty when it is not known, ` - ` when the shop hides it'
            }
          }
        }
      : {}),
    required: fields.filter(({ optional }) => !optional).map((field) => field.name),
    additionalProperties: false
  }
}

const HOW: Partial<Record<FieldFormat, string>> = {
  minute: '`Y-m-d H:i` in the time zone of the shop',
  day: '`Y-m-d` in the time zone of the shop',
  decimal: 'a decimal as text'
}

const descriptionOf = ({ meaning, format }: Field): string => {
  const how = HOW[format]
  return how ? `${meaning} (${how})` : meaning
}
