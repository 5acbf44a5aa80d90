import { Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormDialog } from '../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { CopyField } from '../../shared/ui/copy-field.tsx'
import { QrCode } from './qr-code.tsx'
import { confirmSecondFactor } from './requests.ts'
import { useAccountTexts } from './texts.ts'

/** Shows the secret to the app, and asks for a code of it: only then it is turned on. */
export function ConfirmSecondFactor({
  uri,
  onClose,
  onDone
}: {
  uri: string
  onClose: () => void
  onDone: () => void
}) {
  const texts = useAccountTexts()
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } })
  const submit = useSubmit(form, {
    send: ({ code }) => confirmSecondFactor(code.replaceAll(' ', '')),
    done: texts.turnedOn,
    onDone
  })
  return (
    <FormDialog title={texts.app} submitLabel={texts.confirm} submit={submit} isOpen onClose={onClose}>
      <Stack>
        <Text size="sm">{texts.scan}</Text>
        <QrCode text={uri} label={texts.picture} />
        <CopyField label={texts.secret} value={new URL(uri).searchParams.get('secret') ?? ''} />
        <TextInput
          label={texts.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          key={form.key('code')}
          {...form.getInputProps('code')}
        />
      </Stack>
    </FormDialog>
  )
}
