import { Button, Fieldset, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactNode, useEffect, useRef } from 'react'
import { ChangedMeanwhile } from '../../../shared/forms/changed-meanwhile.ts'
import { FormAlert } from '../../../shared/forms/form-alert.tsx'
import { ownField } from '../../../shared/forms/form-errors.ts'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { useMay } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { useSettingsTexts } from '../texts.ts'
import { FieldInput } from './field-input.tsx'
import { changeOf, type Field, type FieldTexts, keyOf, type Values, valuesOf } from './fields.ts'

type Props = {
  fields: readonly Field[]
  texts: FieldTexts
  /** What is there now, by the paths of the fields. */
  value: unknown
  /** Reads that again. */
  read: () => Promise<unknown>
  save: (change: Record<string, unknown>) => Promise<unknown>
  /** How the API has a flag. */
  flagOf: (isOn: boolean) => unknown
  /** What the API names before the path of a field that it refuses. */
  prefix?: string
  children?: (values: Values) => ReactNode
}

/**
 * A part of the settings, saved on its own. Only what was changed is sent; what somebody else has changed in this part meanwhile is said first.
 * Whoever may not change it sees it.
 */
export function FieldsForm({ fields, texts, value, read, save, flagOf, prefix = '', children }: Props) {
  const mayChange = useMay('manage')
  const { common, errors } = useTexts()
  const { discard } = useSettingsTexts()
  const opened = useRef(valuesOf(fields, value))
  const form = useForm<Values>({ initialValues: opened.current })
  const begin = (values: Values) => {
    opened.current = values
    form.setInitialValues(values)
  }
  const { isDirty, setValues } = form
  // What is read again, such as after a change in another way, is shown where nothing was typed.
  const latest = JSON.stringify(valuesOf(fields, value))
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a value that was read anew counts
  useEffect(() => {
    if (isDirty()) return
    begin(JSON.parse(latest))
    setValues(JSON.parse(latest))
  }, [latest])
  const names = fields.map(({ name }) => name)
  const submit = useSubmit<Values>(form, {
    fields: (field) => {
      const own = field.startsWith(prefix) ? ownField(field.slice(prefix.length), names) : null
      return own === null ? null : keyOf(own)
    },
    done: common.saved,
    send: async (after) => {
      const before = opened.current
      const present = valuesOf(fields, await read())
      if (JSON.stringify(present) !== JSON.stringify(before)) {
        // What somebody else has changed is shown where nothing was typed here: else the next save would undo it.
        for (const name of Object.keys(present)) {
          if (!form.isDirty(name)) form.setFieldValue(name, present[name]!)
        }
        begin(present)
        throw new ChangedMeanwhile(errors.changedMeanwhile)
      }
      const saved = valuesOf(fields, await save(changeOf(fields, { before, after, flagOf })))
      begin(saved)
      form.setValues(saved)
      return saved
    }
  })
  return (
    <form onSubmit={submit.onSubmit} noValidate>
      <Stack>
        <Fieldset disabled={!mayChange} variant="unstyled" p={0} m={0}>
          <Stack>
            {fields.map((field) => (
              <FieldInput key={field.name} field={field} texts={texts} form={form} />
            ))}
          </Stack>
        </Fieldset>
        {children?.(form.values)}
        <FormAlert message={submit.general} />
        {mayChange && (
          <Group>
            <Button type="submit" loading={submit.isPending} disabled={!form.isDirty()}>
              {common.save}
            </Button>
            {form.isDirty() && (
              <Button variant="subtle" onClick={form.reset}>
                {discard}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </form>
  )
}
