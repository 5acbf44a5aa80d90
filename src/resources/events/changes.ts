import { type TObject, type TOptional, type TProperties, type TSchema, Type } from 'typebox'

type Change<Field extends TSchema> = TOptional<TObject<{ from: Field; to: Field }>>

/** The `changes` of an event: each of these fields that changed, before and after. */
export function Changes<Fields extends TProperties>(fields: Fields) {
  const entries = Object.entries(fields).map(([name, field]) => [name, change(field)])
  return Type.Object(Object.fromEntries(entries) as { [Name in keyof Fields]: Change<Fields[Name]> }, {
    description: 'The changed fields, each with its value before and after the change'
  })
}

type Described = { description?: string; anyOf?: Described[] }

/** What a field is; of one that may be null, its schema beside null says it. */
const descriptionOf = ({ description, anyOf = [] }: Described) =>
  description ?? anyOf.find((option) => option.description)?.description

const change = (field: TSchema & Described) =>
  Type.Optional(
    Type.Object(
      {
        from: { ...field, description: 'The value before the change' } as TSchema,
        to: { ...field, description: 'The value after the change' } as TSchema
      },
      { description: descriptionOf(field) }
    )
  )
