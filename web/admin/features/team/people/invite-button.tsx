import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { FormDialog } from '../../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import type { TeamRole } from '../../../shared/session/auth.ts'
import { invite } from '../queries.ts'
import { useTeamTexts } from '../texts.ts'
import { type Link, LinkDialog } from './link-dialog.tsx'
import { RoleChoice } from './role-choice.tsx'

/** Makes a link by which somebody creates an account. */
export function InviteButton() {
  const { invite: texts } = useTeamTexts()
  const [isOpen, { open, close }] = useDisclosure()
  const [link, setLink] = useState<Link | null>(null)
  const [invited, setInvited] = useState('')
  const form = useForm({ initialValues: { email: '', role: 'support' as string } })
  const submit = useSubmit(form, {
    send: ({ email, role }) => invite({ email: email.trim(), role: role as TeamRole }),
    onDone: (made) => {
      setInvited(form.getValues().email.trim())
      setLink(made)
      close()
      form.reset()
    }
  })
  return (
    <>
      <Button onClick={open}>{texts.label}</Button>
      <FormDialog title={texts.title} submitLabel={texts.confirm} submit={submit} isOpen={isOpen} onClose={close}>
        <TextInput
          type="email"
          label={texts.email}
          required
          withAsterisk={false}
          data-autofocus
          {...form.getInputProps('email')}
        />
        <RoleChoice {...form.getInputProps('role')} />
      </FormDialog>
      <LinkDialog
        title={texts.linkTitle(invited)}
        text={texts.linkText(invited)}
        link={link}
        onClose={() => setLink(null)}
      />
    </>
  )
}
