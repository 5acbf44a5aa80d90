import { Button, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormDialog } from '../../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { May } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { readStorefrontSettings, type StorefrontSetting, saveStorefrontSetting } from '../queries.ts'
import { useSettingsTexts } from '../texts.ts'

/** The value as it is in the metafield, to be edited as text. */
export function JsonButton({ setting }: { setting: StorefrontSetting }) {
  const [isOpen, { open, close }] = useDisclosure()
  const { json } = useSettingsTexts()
  return (
    <May permission="manage">
      <Button variant="default" size="xs" onClick={open} aria-label={`${json.label}: ${setting.key}`}>
        {json.label}
      </Button>
      {isOpen && <JsonForm setting={setting} onClose={close} />}
    </May>
  )
}

function JsonForm({ setting, onClose }: { setting: StorefrontSetting; onClose: () => void }) {
  const { id: store } = useKnownStore()
  const { json } = useSettingsTexts()
  const { common } = useTexts()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { value: JSON.stringify(setting.value, null, 2) },
    validate: { value: (text) => (isObject(text) ? null : json.notAnObject) }
  })
  const submit = useSubmit(form, {
    // Every refusal is of something in this one field, with its path in the sentence.
    fields: () => 'value',
    done: common.saved,
    send: ({ value }) => saveStorefrontSetting(store, setting.key, JSON.parse(value)),
    onDone: onClose,
    unlessChanged: {
      opened: setting.value,
      read: async () => (await readStorefrontSettings(store)).find(({ key }) => key === setting.key)?.value
    }
  })
  return (
    <FormDialog
      title={json.title(setting.key)}
      submitLabel={common.save}
      submit={submit}
      size="lg"
      isOpen
      onClose={onClose}
    >
      <Textarea
        label={json.value}
        description={json.help}
        autosize
        minRows={6}
        maxRows={20}
        spellCheck={false}
        ff="monospace"
        key={form.key('value')}
        {...form.getInputProps('value')}
      />
    </FormDialog>
  )
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
