import { Button, Divider, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../shared/api/errors.ts'
import { FormAlert } from '../../shared/forms/form-alert.tsx'
import { formErrors } from '../../shared/forms/form-errors.ts'
import { hasPasskeys, signIn, signInWithPasskey } from '../../shared/session/auth.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { PasswordField } from '../../shared/ui/password-field.tsx'
import { passGate } from './pass-gate.ts'
import { SecondFactorForm } from './second-factor-form.tsx'

/** By password and, where the account has one, a second factor; or by passkey. */
export function SignInForm({ email = '' }: { email?: string }) {
  const queries = useQueryClient()
  const { signIn: texts, errors } = useTexts()
  const [step, setStep] = useState<'password' | 'second-factor'>('password')
  const [general, setGeneral] = useState<string | null>(null)
  const form = useForm({ mode: 'uncontrolled', initialValues: { email, password: '' } })

  const byPassword = useMutation({
    meta: { inForm: true },
    mutationFn: (given: { email: string; password: string }) => signIn(given.email, given.password),
    onMutate: () => setGeneral(null),
    onSuccess: async ({ next }) => {
      if (next === 'done') await passGate(queries)
      else setStep('second-factor')
    },
    onError: (err) => {
      const refused = formErrors(err, ['email', 'password'], errors)
      form.setErrors(refused.fields)
      setGeneral(refused.general)
    }
  })
  const byPasskey = useMutation({
    meta: { inForm: true },
    mutationFn: signInWithPasskey,
    onMutate: () => setGeneral(null),
    onSuccess: () => passGate(queries),
    onError: (err) =>
      setGeneral(err instanceof ApiError || err instanceof DOMException ? texts.passkeyFailed : errors.unreachable)
  })

  if (step === 'second-factor')
    return <SecondFactorForm onBack={() => setStep('password')} onSignedIn={() => passGate(queries)} />
  return (
    <form onSubmit={form.onSubmit((given) => byPassword.mutate(given))}>
      <Stack>
        <FormAlert message={general} />
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username webauthn"
          required
          withAsterisk={false}
          data-autofocus={email === '' || undefined}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={texts.password}
          autoComplete="current-password"
          data-autofocus={email !== '' || undefined}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={byPassword.isPending} fullWidth>
          {texts.submit}
        </Button>
        {hasPasskeys() && (
          <>
            <Divider />
            <Button variant="default" loading={byPasskey.isPending} onClick={() => byPasskey.mutate()} fullWidth>
              {texts.withPasskey}
            </Button>
          </>
        )}
      </Stack>
    </form>
  )
}
