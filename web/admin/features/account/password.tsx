import { Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormAlert } from '../../shared/forms/form-alert.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { PasswordField } from '../../shared/ui/password-field.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { changePassword } from './requests.ts'
import { useAccountTexts } from './texts.ts'

export function Password() {
  const texts = useAccountTexts()
  const form = useForm({ mode: 'uncontrolled', initialValues: { current: '', next: '' } })
  const { onSubmit, isPending, general } = useSubmit(form, {
    send: changePassword,
    done: texts.changed,
    onDone: () => form.reset()
  })
  return (
    <Section title={texts.password}>
      <Text size="sm">{texts.passwordText}</Text>
      <form onSubmit={onSubmit}>
        <Stack maw={360}>
          <FormAlert message={general} />
          <PasswordField
            label={texts.current}
            autoComplete="current-password"
            key={form.key('current')}
            {...form.getInputProps('current')}
          />
          <PasswordField
            label={texts.next}
            description={texts.nextHelp}
            autoComplete="new-password"
            key={form.key('next')}
            {...form.getInputProps('next')}
          />
          <div>
            <Button type="submit" variant="default" loading={isPending}>
              {texts.change}
            </Button>
          </div>
        </Stack>
      </form>
    </Section>
  )
}
