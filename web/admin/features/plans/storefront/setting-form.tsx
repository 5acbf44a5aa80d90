import { useForm } from '@mantine/form'
import { api, bodyOf } from '../../../shared/api/client.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { DescribedFields } from '../../../shared/forms/described-fields.tsx'
import { entriesOf, objectOf } from '../../../shared/forms/described-keys.ts'
import { ownField } from '../../../shared/forms/form-errors.ts'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { readSettings, type Setting } from './queries.ts'
import { useStorefrontTexts } from './texts.ts'

/** A setting of the storefront, whose fields are those that the service describes. */
export function SettingForm({ setting, onClose }: { setting: Setting; onClose: () => void }) {
  const { id } = useKnownStore()
  const texts = useStorefrontTexts()
  const { common } = useTexts()
  const { key, fields } = setting
  const form = useForm<{ value: Record<string, unknown> }>({
    initialValues: { value: entriesOf(fields, setting.value) }
  })
  const names = fields.map((field) => `value.${field.key}`)
  const submit = useSubmit(form, {
    send: ({ value }) =>
      bodyOf(
        api.PATCH('/stores/{store}/storefront-settings/{setting}', {
          params: { path: { store: id, setting: key } },
          body: { value: objectOf(fields, value) as Record<string, never> }
        })
      ),
    done: common.saved,
    onDone: onClose,
    fields: (field) => ownField(field, names),
    unlessChanged: {
      opened: setting.value,
      read: async () => (await readSettings(id)).find((one) => one.key === key)?.value
    }
  })
  return (
    <FormParts submit={submit} submitLabel={common.save} onClose={onClose}>
      <DescribedFields form={form} prefix="value" keys={fields} texts={texts} />
    </FormParts>
  )
}
