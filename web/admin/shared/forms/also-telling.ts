import type { ChangeEvent } from 'react'

/** The properties of a field that a form gives, which also tell what is typed: for what is shown beside it. */
export function alsoTelling<Field extends Record<string, unknown>>(field: Field, tell: (typed: string) => void) {
  const change = field.onChange as (event: ChangeEvent<HTMLInputElement>) => void
  return {
    ...field,
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      tell(event.currentTarget.value)
      change(event)
    }
  }
}
