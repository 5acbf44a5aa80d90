import { type JsonField, scalar } from './field.ts'

const TRUE = [1, '1', true, 'true']
const FALSE = [0, '0', false, 'false']

/** Flags are read in every way in which they are found: 0 and 1, "0" and "1", true and false. */
function flagOf(given: unknown): boolean | undefined {
  if (TRUE.some((one) => one === given)) return true
  return FALSE.some((one) => one === given) ? false : undefined
}

/** A flag that is written 0 or 1. */
export const flag = (): JsonField<boolean> =>
  scalar({
    accepts: '0 or 1 (or false or true)',
    schema: { type: 'integer', enum: [0, 1] },
    write: Number,
    parse: flagOf
  })

/** A flag that is written true or false. */
export const trueOrFalse = (): JsonField<boolean> =>
  scalar({ accepts: 'true or false', schema: { type: 'boolean' }, write: (value) => value, parse: flagOf })

/** A flag that is written 1, or "" where it is off. */
export const oneOrEmpty = (): JsonField<boolean> =>
  scalar({
    accepts: '1 or ""',
    schema: { enum: [1, ''] },
    write: (value) => (value ? 1 : ''),
    parse: (given) => (given === '' || given === null ? false : flagOf(given))
  })

/** A flag that is written "on", and left out where it is off. */
export const onOrAbsent = (): JsonField<boolean> => ({
  ...scalar({
    accepts: '"on", or left out',
    schema: { type: 'string', enum: ['on'] },
    write: (value: boolean) => (value ? 'on' : undefined),
    parse: (given) =>
      given === 'on' ? true : given === 'off' || given === '' || given === null ? false : flagOf(given)
  }),
  otherwise: { value: false }
})

/** A flag that is written "on" or "off". */
export const onOrOff = (): JsonField<boolean> =>
  scalar({
    accepts: '"on" or "off"',
    schema: { type: 'string', enum: ['on', 'off'] },
    write: (value) => (value ? 'on' : 'off'),
    parse: (given) => (given === 'on' ? true : given === 'off' ? false : flagOf(given))
  })

/** A field that nobody uses: it is written "", and whatever it holds is read as nothing. */
export const unused = (): JsonField<null> => ({
  ...scalar({ accepts: 'anything', schema: { const: '' }, write: () => '', parse: () => null }),
  otherwise: { value: null }
})
