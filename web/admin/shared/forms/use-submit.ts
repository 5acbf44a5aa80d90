import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import { useChange } from '../api/use-change.ts'
import { useTexts } from '../texts/language.tsx'
import { ChangedMeanwhile } from './changed-meanwhile.ts'
import { type FieldNames, formErrors } from './form-errors.ts'

/**
 * Sends a form. What is refused is shown at the fields that it names, and the rest in `general`, above them; what was typed stays. `fields`: which names of the
 * API the form has, when they are not those of its values. `unlessChanged`: what was there when the form was opened, and how it is read again; where somebody
 * has changed it meanwhile, the form says so and sends nothing, until it is submitted once more.
 */
export function useSubmit<Values extends Record<string, unknown>, Output = unknown>(
  form: UseFormReturnType<Values>,
  {
    send,
    done,
    onDone,
    fields,
    unlessChanged
  }: {
    send: (values: Values) => Promise<Output>
    done?: string | ((output: Output) => string)
    onDone?: (output: Output) => void
    fields?: FieldNames
    unlessChanged?: { opened: unknown; read: () => Promise<unknown> }
  }
) {
  const { errors } = useTexts()
  const [general, setGeneral] = useState<string | null>(null)
  // As it was when it was opened, so that a form is not affected by what is read again behind it.
  const [known, setKnown] = useState(() => JSON.stringify(unlessChanged?.opened))
  const { start, isPending } = useChange<Values, Output>({
    change: async (values) => {
      if (unlessChanged) {
        const present = JSON.stringify(await unlessChanged.read())
        setKnown(present)
        if (present !== known) throw new ChangedMeanwhile(errors.changedMeanwhile)
      }
      return send(values)
    },
    inForm: true,
    isReadFirst: unlessChanged !== undefined,
    ...(done && { done }),
    ...(onDone && { onDone }),
    onRefused: (err) => {
      const refused = formErrors(err, fields ?? Object.keys(form.getValues()), errors)
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
