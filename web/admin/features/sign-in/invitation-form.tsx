import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { formErrors } from '../../shared/forms/form-errors.ts'
import { acceptInvitation } from '../../shared/session/auth.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { FormAlert } from './form-alert.tsx'

const FIELDS = ['name', 'email', 'password'] as const

/** `email` is the address that was invited; null when whoever has the link may choose one. */
export function InvitationForm({ token, email }: { token: string; email: string | null }) {
  const { invitation: texts, errors } = useTexts()
  const [general, setGeneral] = useState<string | null>(null)
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: '', email: email ?? '', password: '' } })
  const accept = useMutation({
    meta: { inForm: true },
    mutationFn: (given: { name: string; email: string; password: string }) => acceptInvitation({ token, ...given }),
    onMutate: () => setGeneral(null),
    // With a new page, which finds the session.
    onSuccess: () => location.assign('/admin/'),
    onError: (err) => {
      const refused = formErrors(err, FIELDS, errors.unreachable)
      form.setErrors(refused.fields)
      setGeneral(refused.general)
    }
  })

  return (
    <form onSubmit={form.onSubmit((given) => accept.mutate(given))}>
      <Stack>
        <FormAlert message={general} />
        <TextInput
          label={texts.name}
          autoComplete="name"
          required
          withAsterisk={false}
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
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
        <PasswordInput
          label={texts.password}
          autoComplete="new-password"
          required
          withAsterisk={false}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={accept.isPending || accept.isSuccess} fullWidth>
          {texts.submit}
        </Button>
      </Stack>
    </form>
  )
}
