import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import { useChange } from '../api/use-change.ts'
import { useTexts } from '../texts/language.tsx'
import { formErrors } from './form-errors.ts'

/**
 * Sends a form. What is refused is shown at the fields that it names, and the rest in `general`, above them; what was typed stays. `fields`: which names of the
 * API the form has, when they are not those of its values.
 */
export function useSubmit<Values extends Record<string, unknown>, Output = unknown>(
  form: UseFormReturnType<Values>,
  {
    send,
    done,
    onDone,
    fields
  }: {
    send: (values: Values) => Promise<Output>
    done?: string | ((output: Output) => string)
    onDone?: (output: Output) => void
    fields?: readonly string[]
  }
) {
  const { errors } = useTexts()
  const [general, setGeneral] = useState<string | null>(null)
  const { start, isPending } = useChange<Values, Output>({
    change: send,
    inForm: true,
    ...(done && { done }),
    ...(onDone && { onDone }),
    onRefused: (err) => {
      const refused = formErrors(err, fields ?? Object.keys(form.getValues()), errors.unreachable)
      form.setErrors(refused.fields)
      setGeneral(refused.general)
    }
  })
  const onSubmit = form.onSubmit((values) => {
    setGeneral(null)
    start(values)
  })
  return { onSubmit, isPending, general }
}
