import { Type } from 'typebox'
import { OrNull } from '#resources'
import { oneOf } from './fields.ts'

/** Of an import whose file is carried out as it is sent: only to see what it would do. */
export const DryRun = Type.Optional(
  oneOf(['true', 'false'], {
    meaning: 'Only reports what the import would do; `false` by default',
    examples: ['true']
  })
)

/** The rows of its file that are wrong. */
export const ImportProblems = Type.Array(
  Type.Object({
    line: Type.Integer({ description: 'The line of the file' }),
    field: OrNull(Type.String({ description: 'The field at fault' })),
    message: Type.String({ description: 'What is wrong with the row' })
  }),
  { description: 'The first 1,000 rows that are wrong' }
)
