import { Type } from 'typebox'
import { OrNull } from '#resources'
import { jsonValue } from './fields.ts'

/** A key of an object that is entered, from which documents and forms are made. */
export const DescribedKeyBody = Type.Object({
  key: Type.String({ description: 'Its name, with a dot before a key inside an object' }),
  accepts: Type.String({ description: 'What it accepts' }),
  meaning: Type.String({ description: 'What it does' }),
  default: OrNull(Type.String({ description: 'What it is where it is left out, as JSON; null: it has to be given' })),
  schema: jsonValue('The JSON Schema of its value, for forms')
})
