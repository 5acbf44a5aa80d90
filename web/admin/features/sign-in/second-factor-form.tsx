import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FormAlert } from '../../shared/forms/form-alert.tsx'
import { formErrors } from '../../shared/forms/form-errors.ts'
import { verifyBackupCode, verifyTotp } from '../../shared/session/auth.ts'
import { useTexts } from '../../shared/texts/language.tsx'

/** The code of an authenticator app, or one of the backup codes for those who have lost it. */
export function SecondFactorForm({
  onBack,
  onSignedIn
}: {
  onBack: () => void
  onSignedIn: () => void | Promise<void>
}) {
  const { signIn: texts, errors } = useTexts()
  const [kind, setKind] = useState<'app' | 'backup'>('app')
  const [general, setGeneral] = useState<string | null>(null)
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } })

  const verify = useMutation({
    meta: { inForm: true },
    mutationFn: async ({ code }: { code: string }) => {
      await (kind === 'app' ? verifyTotp(code.replaceAll(' ', '')) : verifyBackupCode(code.trim()))
    },
    onMutate: () => setGeneral(null),
    onSuccess: onSignedIn,
    onError: (err) => {
      const refused = formErrors(err, ['code'], errors)
      form.setErrors(refused.fields)
      setGeneral(refused.general)
    }
  })
  const change = () => {
    setKind(kind === 'app' ? 'backup' : 'app')
    setGeneral(null)
    form.reset()
  }

  return (
    <form onSubmit={form.onSubmit((given) => verify.mutate(given))}>
      <Stack>
        {kind === 'app' && <Text size="sm">{texts.secondFactor}</Text>}
        <FormAlert message={general} />
        <TextInput
          label={kind === 'app' ? texts.code : texts.backupCode}
          autoComplete="one-time-code"
          inputMode={kind === 'app' ? 'numeric' : 'text'}
          required
          withAsterisk={false}
          autoFocus
          key={`${kind} ${form.key('code')}`}
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={verify.isPending} fullWidth>
          {texts.verify}
        </Button>
        <Group justify="space-between">
          <Button variant="subtle" size="compact-sm" onClick={onBack}>
            {texts.back}
          </Button>
          <Button variant="subtle" size="compact-sm" onClick={change}>
            {kind === 'app' ? texts.useBackupCode : texts.useApp}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
