import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { FormAlert } from '../../shared/forms/form-alert.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { acceptInvitation, type Invitation } from '../../shared/session/auth.ts'
import { PasswordField } from '../../shared/ui/password-field.tsx'
import { useInvitationTexts } from './invitation-texts.ts'
import { SecondFactorForm } from './second-factor-form.tsx'

/** With a new page, which finds the session. */
const enter = () => location.assign('/admin/')

/** Makes an account, or gives one that there is a new password. */
export function InvitationForm({ token, invitation }: { token: string; invitation: Invitation }) {
  const texts = useInvitationTexts()
  const [needsSecondFactor, setNeedsSecondFactor] = useState(false)
  const { email, for_new_password: isNewPassword } = invitation
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: '', email: email ?? '', password: '' } })
  const [isAccepted, setAccepted] = useState(false)
  const { onSubmit, isPending, general } = useSubmit(form, {
    // An account that there is keeps its name, but a name is asked for.
    send: ({ name, ...given }) => acceptInvitation({ token, name: isNewPassword ? given.email : name, ...given }),
    onDone: ({ next }) => {
      setAccepted(true)
      if (next === 'done') enter()
      else setNeedsSecondFactor(true)
    }
  })

  if (needsSecondFactor) return <SecondFactorForm onBack={enter} onSignedIn={enter} />
  return (
    <form onSubmit={onSubmit}>
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
        <Button type="submit" loading={isPending || isAccepted} fullWidth>
          {isNewPassword ? texts.savePassword : texts.submit}
        </Button>
      </Stack>
    </form>
  )
}
