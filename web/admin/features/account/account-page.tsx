import { Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormAlert } from '../../shared/forms/form-alert.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { useMe } from '../../shared/session/me.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { ConfirmButton } from '../../shared/ui/confirm-button.tsx'
import { FactList } from '../../shared/ui/fact-list.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { endOtherSessions, rename } from './requests.ts'
import { SecondFactor } from './second-factor.tsx'
import { useAccountTexts } from './texts.ts'

/** What somebody decides about their own account. */
export function AccountPage() {
  const texts = useAccountTexts()
  return (
    <Page title={texts.title}>
      <Person />
      <Password />
      <SecondFactor />
      <Passkeys />
      <Section title={texts.sessions}>
        <Text size="sm">{texts.sessionsText}</Text>
        <div>
          <ConfirmButton
            label={texts.endSessions}
            title={texts.sessions}
            text={texts.sessionsText}
            change={endOtherSessions}
            done={texts.sessionsEnded}
          />
        </div>
      </Section>
    </Page>
  )
}

function Person() {
  const me = useMe()
  const texts = useAccountTexts()
  const { roles, common } = useTexts()
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: me?.person?.name ?? '' } })
  const { onSubmit, isPending, general } = useSubmit(form, {
    send: ({ name }) => rename(name.trim()),
    done: texts.nameSaved
  })
  if (!me?.person) return null
  return (
    <Section title={texts.person}>
      <FactList
        facts={[
          [texts.email, me.person.email],
          [texts.role, roles[me.role]]
        ]}
      />
      <form onSubmit={onSubmit}>
        <FormAlert message={general} />
        <Group align="flex-end">
          <TextInput
            label={texts.name}
            autoComplete="name"
            maxLength={100}
            required
            withAsterisk={false}
            key={form.key('name')}
            {...form.getInputProps('name')}
          />
          <Button type="submit" variant="default" loading={isPending}>
            {common.save}
          </Button>
        </Group>
      </form>
    </Section>
  )
}
