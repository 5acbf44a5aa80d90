import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { formErrors } from '../../shared/forms/form-errors.ts'
import { acceptInvitation, type Invitation } from '../../shared/session/auth.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { PasswordField } from '../../shared/ui/password-field.tsx'
import { FormAlert } from './form-alert.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'

const FIELDS = ['name', 'email', 'password'] as const

/** With a new page, which finds the session. */
const enter = () => location.assign('/admin/')

/** Makes an account, or gives one that there is a new password. */
export function InvitationForm({ token, invitation }: { token: string; invitation: Invitation }) {
  const { invitation: texts, errors } = useTexts()
  const [needsSecondFactor, setNeedsSecondFactor] = useState(false)
  const [general, setGeneral] = useState<string | null>(null)
  const { email, for_new_password: isNewPassword } = invitation
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: '', email: email ?? '', password: '' } })
  const accept = useMutation({
    meta: { inForm: true },
    // An account that there is keeps its name, but a name is asked for.
    mutationFn: ({ name, ...given }: { name: string; email: string; password: string }) =>
      acceptInvitation({ token, name: isNewPassword ? given.email : name, ...given }),
    onMutate: () => setGeneral(null),
    onSuccess: ({ next }) => (next === 'done' ? enter() : setNeedsSecondFactor(true)),
    onError: (err) => {
      const refused = formErrors(err, FIELDS, errors.unreachable)
      form.setErrors(refused.fields)
      setGeneral(refused.general)
    }
  })

  if (needsSecondFactor) return <SecondFactorForm onBack={enter} onSignedIn={enter} />
  return (
    <form onSubmit={form.onSubmit((given) => accept.mutate(given))}>
      <Stack>
        <FormAlert message={general} />
        {!isNewPassword && (
          <TextInput
            label={texts.name}
            autoComplete="name"
            required
            withAsterisk={false}
            key={form.key('name')}
            {...form.getInputProps('name')}
          />
        )}
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          readOnly={email !== null}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={texts.password}
          autoComplete="new-password"
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={accept.isPending || accept.isSuccess} fullWidth>
          {isNewPassword ? texts.savePassword : texts.submit}
        </Button>
      </Stack>
    </form>
  )
}
