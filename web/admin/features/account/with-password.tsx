import { Button, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { FormDialog } from '../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { PasswordField } from '../../shared/ui/password-field.tsx'
import { useAccountTexts } from './texts.ts'

type Props<Output> = {
  label: string
  text: string
  send: (password: string) => Promise<Output>
  done?: string
  onDone?: (output: Output) => void
  isHarmful?: boolean
}

/** A change for which the password is asked again. */
export function WithPassword<Output>({ label, text, send, done, onDone, isHarmful = false }: Props<Output>) {
  const texts = useAccountTexts()
  const [isOpen, { open, close }] = useDisclosure()
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } })
  const submit = useSubmit(form, {
    send: ({ password }) => send(password),
    ...(done && { done }),
    onDone: (output) => {
      close()
      form.reset()
      onDone?.(output)
    }
  })
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        {label}
      </Button>
      <FormDialog
        title={label}
        submitLabel={label}
        submit={submit}
        isHarmful={isHarmful}
        isOpen={isOpen}
        onClose={close}
      >
        <Text size="sm">{text}</Text>
        <PasswordField
          label={texts.password}
          autoComplete="current-password"
          data-autofocus
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
      </FormDialog>
    </>
  )
}
