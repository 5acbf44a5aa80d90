import { type TObject, type TOptional, type TProperties, type TSchema, Type } from 'typebox'

type Change<Field extends TSchema> = TOptional<TObject<{ from: Field; to: Field }>>

/** The `changes` of an event: each of these fields that changed, before and after. */
export function changesOf<Fields extends TProperties>(fields: Fields) {
  const entries = Object.entries(fields).map(([name, field]) => [name, change(field)])
  return Type.Object(Object.fromEntries(entries) as { [Name in keyof Fields]: Change<Fields[Name]> }, {
    description: 'Each changed field, before and after; the others are left out'
  })
}

const change = (field: TSchema & { description?: string }) =>
  Type.Optional(
    Type.Object(
      {
        from: { ...field, description: 'What it was' } as TSchema,
        to: { ...field, description: 'What it is' } as TSchema
      },
      { description: field.description }
    )
  )
